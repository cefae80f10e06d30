"""Lean behind the interface of all backends; what serves a live goal is `retriever.lean.service`."""
