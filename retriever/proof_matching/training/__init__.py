"""MATcH's models and their training (thesis, chapters 5 and 6)."""
