"""NaturalProofs (Welleck et al., 2021): mathematical statements and proofs in natural language, and the
retrieval of the references that a proof uses."""
