"""Postgres: one file a table with its SQL as constants and its row mappers; the pool, transactions, and the errors."""
