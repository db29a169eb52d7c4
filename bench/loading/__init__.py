"""The load: what is said, who says it, and what is counted."""
