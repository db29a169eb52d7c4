"""Tests of `helixir erase` on a real database."""
