"""What only the operator does, at the command line and as the tables' owner: erase, export, import."""
