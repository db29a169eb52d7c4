"""What is measured, and against what. Nothing here is part of the service."""
