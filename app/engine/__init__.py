"""The decision engine (LLM or local) behind one port, the check of its verdicts, and extraction beside it.

Nothing here is trusted by the charter: an engine proposes, `app.charter.policy` rules.
"""
