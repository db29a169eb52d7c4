"""Tests against a real model behind a real server, on this machine; `make test-llm` sets up what they need."""
