"""Traces for OpenTelemetry: spans in the code, the environment that asks for them, and what leaves the process."""
