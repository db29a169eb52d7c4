"""A second reading of the charter: what the tests compare the first one with."""
