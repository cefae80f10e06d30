"""A fitted model made by hand, so that tests know the order."""

from __future__ import annotations

from collections.abc import Mapping

from prover.odds import FEATURES, SOURCES, AcceptanceModel

SLOPES = {f"{source} score": 1.0 for source in SOURCES}
"""Every source's score is its chance."""


def odds_of(
    weights: Mapping[str, float] = SLOPES,
    seconds: Mapping[str, float] | None = None,
    expected: Mapping[str, tuple[float, ...]] | None = None,
) -> AcceptanceModel:
    """A model with these numbers; all others count nothing."""
    known = dict.fromkeys(FEATURES, 0.0) | dict(weights)
    return AcceptanceModel(known, {"": 1.0} | dict(seconds or {}), expected or {})
