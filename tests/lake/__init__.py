"""A stand-in for Lake beside the real Lean, and the tests that need it."""
