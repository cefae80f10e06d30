"""Theorems proved by search, counted: problems in, one row a problem out (section 4.5 of the paper)."""
