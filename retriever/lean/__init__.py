"""Lean as a backend; what serves a live goal is `retriever.lean.service`."""
