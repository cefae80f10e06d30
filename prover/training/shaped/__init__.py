"""Fits the classifier of tactic shapes and its pointers (`prover.shaped`)."""
