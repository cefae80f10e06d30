"""Chooses the one to show among equivalent tactics. Pure.

Two steps are equivalent if they leave the same goals. Tactics that close a goal are equivalent only if they use
the same lemmas in the same way: two different lemmas that both close the goal are both worth knowing.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from lean_extract.records import TacticOutcome
from prover.candidates import key_of
from prover.shapes import tokens
from prover.states import fingerprint

_TERMS = frozenset({"exact", "apply", "refine", "refine'", "eapply", "exact_mod_cast", "apply_mod_cast"})
_REWRITES = frozenset({"rw", "rewrite", "rwa", "erw", "simp_rw"})
_SIMPLIFIES = frozenset({"simp", "simp_all", "dsimp", "simp?", "norm_num"})
_JOINS = frozenset({";", "<", ">", "<;>", "·", "|", "using", "at", "fun", "λ", "⟨", "by", "?"})


@dataclass(frozen=True, slots=True)
class TacticVariant:
    """One of several equivalent tactics, and the best score of all of them."""

    outcome: TacticOutcome
    score: float


def distinct(outcomes: Iterable[TacticOutcome], scores: Mapping[str, float]) -> list[TacticVariant]:
    """The shortest of each group of equivalent tactics; those without a linter's remark are preferred."""
    groups: dict[Hashable, list[TacticOutcome]] = {}
    for outcome in outcomes:
        groups.setdefault(_result(outcome), []).append(outcome)
    return [
        TacticVariant(min(group, key=_length), max(scores.get(one.tactic, 0.0) for one in group))
        for group in groups.values()
    ]


def _length(outcome: TacticOutcome) -> tuple[bool, int, str]:
    return bool(outcome.remark), len(outcome.shown), outcome.shown


def _result(outcome: TacticOutcome) -> Hashable:
    if outcome.state is None:
        return outcome.status, key_of(outcome.shown)
    if outcome.state.goals:
        return outcome.status, fingerprint(outcome.state)
    return outcome.status, outcome.rests_on_sorry, use_of(outcome.shown)


def use_of(tactic: str) -> Hashable:
    """Equal for tactics that use the same lemmas in the same way, judged by their text."""
    text = key_of(tactic)
    parts = tokens(text)
    # Neither the proof of an argument nor the way it is passed makes a difference.
    plain = tokens(text.replace("(by assumption)", "_").replace("‹_›", "_"))
    if not plain or "\n" in text or _JOINS & set(plain):
        return text
    word, rest = plain[0], plain[1:]
    if word in _TERMS:
        heads = _heads(rest)
        return ("term", *heads) if heads else text
    if word in _REWRITES | _SIMPLIFIES:
        names = frozenset(part for part in rest if part not in ("[", "]", ",", "only", "-"))
        return "rw" if word in _REWRITES else "simp", names
    return parts


def _heads(parts: Sequence[str]) -> tuple[str, ...]:
    """The applied functions: the first name of a term and of every bracket in it that holds more than a name."""
    bare = [part for part in parts if part != "@"]
    heads = bare[:1] if bare[:1] != ["("] else []
    for before, name, behind in zip(bare, bare[1:], bare[2:], strict=False):
        if before == "(" and name not in ("(", "_") and behind != ")":
            heads.append(name)
    return tuple(heads)
