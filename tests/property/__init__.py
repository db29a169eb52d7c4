"""Laws that hold for every input, each test named after its law (charter, section 7)."""
