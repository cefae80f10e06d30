"""Fuzzers of the readers. `python -m tests.fuzz [TARGET ...] --seconds N` runs them, see `__main__`."""
