"""Converts a theorem's signature to the initial goal of its proof, as Lean would print it without elaboration."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lean_extract.records import Goal, Hypothesis
from lean_extract.syntax.brackets import PAIR_DEPTH, PAIRS

_COLON_OR_BRACKET = re.compile("|".join(map(re.escape, (":", *PAIR_DEPTH))))


def goal_of(context: Iterable[str], conclusion: str) -> Goal:
    """The goal of a statement with these binders (`{G : Type*}`, `[Group G]`, `(a b : G)`)."""
    return Goal(tuple(hypothesis_of(binder) for binder in context), conclusion)


def hypothesis_of(binder: str) -> Hypothesis:
    """One binder as a hypothesis. An instance without a name is called `inst✝`, as Lean prints it."""
    text = binder.strip()
    opening = text[:1]
    inner = text[1:-1].strip() if opening in PAIRS and text.endswith(PAIRS[opening]) else text
    names, type_ = _split_at_colon(inner)
    type_ = _without_default(type_)
    if opening == "[" and len(names.split()) != 1:  # `[∀ i : ι, Ring (A i)]` has a colon and no name
        return Hypothesis(("inst✝",), inner)
    if type_ and names:
        return Hypothesis(tuple(names.split()), type_)
    return Hypothesis(tuple(inner.split()), "_")


def _split_at_colon(text: str) -> tuple[str, str]:
    for offset in _colons_at_top_level(text):
        if text[offset + 1 : offset + 2] != "=" and text[offset - 1 : offset] != ":":
            return text[:offset].strip(), text[offset + 1 :].strip()
    return "", ""


def _without_default(type_: str) -> str:
    for offset in _colons_at_top_level(type_):
        if type_.startswith(":=", offset):
            return type_[:offset].strip()
    return type_


def _colons_at_top_level(text: str) -> Iterator[int]:
    """The offsets of the colons that no bracket encloses."""
    depth = 0
    for found in _COLON_OR_BRACKET.finditer(text) if ":" in text else ():
        if found[0] == ":":
            if depth == 0:
                yield found.start()
        else:
            depth = max(0, depth + PAIR_DEPTH[found[0]])
