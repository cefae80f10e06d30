"""HTTP on loopback: the interfaces that existing Lean clients speak, and a small search page."""
