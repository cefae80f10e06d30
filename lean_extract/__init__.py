"""Lean in, records out: the ground floor, which imports none of the other packages."""
