"""Tactics and proofs written by a model that the user runs: any server with OpenAI's interface."""
