"""Trains and exports the tactic generator. The only part of the prover that needs torch."""
