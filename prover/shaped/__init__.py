"""A generator without decoding: a classifier of tactic shapes, with pointers to premises and hypotheses."""
