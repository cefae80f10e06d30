"""Reads Lean, from text or from a running Lean, into records. Imports none of the other packages."""
