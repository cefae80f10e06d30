"""Which tactics work on a goal: candidates from premises, and Lean's verdict on them."""
