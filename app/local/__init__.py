"""A Postgres of our own for `make run` and the tests, and the keys of the first run. No part of a served request."""
