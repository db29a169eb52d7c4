"""What a human is asked, as data: one file a language."""
