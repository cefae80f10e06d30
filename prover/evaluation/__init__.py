"""Measures proof search: problems in, one row per problem out (section 4.5 of the paper)."""
