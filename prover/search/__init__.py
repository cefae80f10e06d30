"""Proof search over tactics that Lean judges (section 4.5 of the paper), for one theorem or for sets of problems."""
