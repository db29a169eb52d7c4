"""The relation model of the local engine: what it reads off a pair, and what the engine makes of it."""
