"""Fitting the odds by which sources take turns: what is collected, and the regression."""
