"""Which premises fit a proof state."""
