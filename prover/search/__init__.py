"""Proof search over tactics that Lean judges (section 4.5 of the paper), and what it found as a Lean file."""

from prover.search.environment import Environment, Proposed, Proposer, Reached, Verdict
from prover.search.result import Progress, SearchLimits, SearchResult, SearchTree, TreeNode
from prover.search.search import search

__all__ = [
    "Environment",
    "Progress",
    "Proposed",
    "Proposer",
    "Reached",
    "SearchLimits",
    "SearchResult",
    "SearchTree",
    "TreeNode",
    "Verdict",
    "search",
]
