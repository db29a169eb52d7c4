"""Text to vectors: one port, a local model and an OpenAI-compatible client, and the threshold profile of each model."""
