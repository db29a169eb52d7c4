"""Faults on purpose: a cut wire, killed processes, a database that is full, slow, restarting; models that are away."""
