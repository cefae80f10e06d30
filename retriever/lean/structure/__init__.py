"""Finds the premises of which a goal is an instance, from text, with a path index over statements."""
