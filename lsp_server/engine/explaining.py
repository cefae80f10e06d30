"""Contributions to a premise's score, in a line for people. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from lsp_server.engine.schema import ContributionItem, FeatureGroup

_MOST_REASONS = 3
_SMALLEST_REASON = 0.05
"""A smaller contribution would be shown as 0.0."""
_REASONS = {
    FeatureGroup.MEANING: ("near in meaning", "its meaning"),
    FeatureGroup.WORDS: ("shares words with the goal", "its words"),
    FeatureGroup.PROOFS: ("used in proofs of similar theorems", "the proofs of similar theorems"),
    FeatureGroup.TOGETHER: ("used together with other candidates", "what it is used with"),
    FeatureGroup.SHAPE: ("fits the goal's shape", "its shape"),
    FeatureGroup.NAME: ("its name fits", "its name"),
    FeatureGroup.USE: ("how often it is used", "how often it is used"),
    FeatureGroup.PLACE: ("where it is declared and used", "where it is declared and used"),
    FeatureGroup.KIND: ("of a wanted kind", "its kind"),
    FeatureGroup.SCOPE: ("in scope", "its missing import"),
    FeatureGroup.RERANKER: ("fits by the re-ranker", "the re-ranker's score"),
    FeatureGroup.OTHER: ("other features", "other features"),
}
"""What a contribution is called: where it is positive, and behind "less for" where it is negative."""


def explanation_line(explanation: Sequence[ContributionItem]) -> str:
    """The largest contributions to a premise's score, and the most negative one; empty if there are none.

    `near in meaning (+1.2), fits the goal's shape (+0.4); less for its name (-0.3)`
    """
    if not explanation:
        return ""
    raising = [one for one in explanation if one.amount >= _SMALLEST_REASON][:_MOST_REASONS]
    last = explanation[-1]  # the largest is first
    reasons = [", ".join(_reason(one) for one in raising)] if raising else []
    if last.amount <= -_SMALLEST_REASON:
        reasons.append(f"less for {_reason(last)}")
    return "; ".join(reasons) or "nothing sets it apart"


def _reason(contribution: ContributionItem) -> str:
    raising, lowering = _REASONS[contribution.group]
    return f"{raising if contribution.amount > 0 else lowering} ({contribution.amount:+.1f})"
