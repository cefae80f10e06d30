"""Training the tactic generator, and its export; the only part of the prover that needs torch."""
