"""Proof search over tactics that Lean judges (section 4.5 of the paper), for one theorem or for sets of problems."""

from prover.search.environment import ProofEnvironment, Proposed, Proposer
from prover.search.search import SearchLimits, SearchResult, search

__all__ = ["ProofEnvironment", "Proposed", "Proposer", "SearchLimits", "SearchResult", "search"]
