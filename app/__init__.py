"""Helixir: governed memory for AI agents."""
