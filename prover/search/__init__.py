"""Proof search over tactics that Lean judges (section 4.5 of the paper), and the found proof as a Lean file."""

from prover.search.environment import ProofEnvironment, Proposed, Proposer, Reached, Verdict
from prover.search.result import SearchLimits, SearchProgress, SearchResult, SearchTree, TreeNode
from prover.search.search import search

__all__ = [
    "ProofEnvironment",
    "Proposed",
    "Proposer",
    "Reached",
    "SearchLimits",
    "SearchProgress",
    "SearchResult",
    "SearchTree",
    "TreeNode",
    "Verdict",
    "search",
]
