"""Known states, how facts and destructured hypotheses change their contexts, and statements as goals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lean_extract.records import Goal, Hypothesis
from lean_extract.source.proofs.propositions import Sequent, destructured, top_level
from lean_extract.syntax.brackets import PAIR_DEPTH, PAIRS
from lean_extract.syntax.lexer import raw_tokens


@dataclass(frozen=True, slots=True)
class KnownState:
    """The state before a step, and how it was inferred (`start`, `have`, `intro`, ...)."""

    sequent: Sequent
    origin: str

    @property
    def with_unknown_target(self) -> KnownState:
        """The same context with an unknown target."""
        return KnownState(self.sequent.proving(None), self.origin)


def with_fact(before: Sequent, name: str, fact: str, *, replaces: bool) -> Sequent:
    """The sequent with a named fact added. With `replaces`, or for `this`, it replaces one of the same name."""
    context = before.context
    if replaces or name == "this":
        context = tuple(binder for binder in context if not binder.startswith(f"({name} :"))
    return Sequent((*context, f"({name} : {fact})"), before.target)


def _type_of(before: Sequent, name: str) -> str | None:
    """The type of a hypothesis; None if it is not in the context."""
    for binder in reversed(before.context):
        inner = binder[1:-1].strip()
        names, *rest = top_level(inner, ":")
        if rest and name in [token.strip() for token in raw_tokens(names)]:
            return inner[len(names) :].lstrip(" :")
    return None


def _cases(before: Sequent, type_: str, pattern: str, used: str = "") -> list[Sequent] | None:
    """The sequents after a term of a type is destructured; None if unknown. The hypothesis `used` is removed."""
    alternatives = destructured(type_, pattern)
    if alternatives is None:
        return None
    context = tuple(binder for binder in before.context if not used or not binder.startswith(f"({used} :"))
    return [Sequent((*context, *binders), before.target) for binders in alternatives]


def obtained(before: Sequent, text: str) -> list[Sequent] | None:
    """The sequents after `obtain` with this argument: `pattern := h` or `pattern : type := e`."""
    left, *right = top_level(text, ":=")
    pattern, *stated = top_level(left, ":")
    if stated:
        return _cases(before, " : ".join(stated), pattern)
    hypothesis = _type_of(before, right[0].strip()) if right else None
    return _cases(before, hypothesis, pattern, right[0].strip()) if hypothesis else None


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
