"""Tactics adapted from the steps of known proofs whose states are near to the goal."""
