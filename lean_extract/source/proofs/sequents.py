"""Known states, and how their contexts change when facts are added or hypotheses are destructured."""

from __future__ import annotations

from dataclasses import dataclass

from lean_extract.source.proofs.propositions import Sequent, destructured, top_level
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
