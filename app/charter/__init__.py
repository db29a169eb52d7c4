"""The charter: what may be decided alone, what must be asked, what must never be done.

Everything in this package is pure: no I/O, no clock, no randomness, no logging, no framework. It imports nothing but
the standard library, so that each rule can be read, tabled and proved by itself.
"""
