"""What a context becomes when a fact joins it, and when one of its hypotheses is taken apart."""

from __future__ import annotations

from lean_extract.source.proofs.propositions import Sequent, destructured, top_level
from lean_extract.syntax.lexer import raw_tokens


def with_fact(before: Sequent, name: str, fact: str, *, replaces: bool) -> Sequent:
    """With a named fact in the context, instead of another of its name if it replaces that one."""
    context = before.context
    if replaces or name == "this":
        context = tuple(binder for binder in context if not binder.startswith(f"({name} :"))
    return Sequent((*context, f"({name} : {fact})"), before.target)


def type_of(before: Sequent, name: str) -> str | None:
    """What a hypothesis says, if a binder of its own is in the context."""
    for binder in reversed(before.context):
        inner = binder[1:-1].strip()
        names, *rest = top_level(inner, ":")
        if rest and name in [token.strip() for token in raw_tokens(names)]:
            return inner[len(names) :].lstrip(" :")
    return None


def cases(before: Sequent, type_: str, pattern: str, used: str = "") -> list[Sequent] | None:
    """The sequents after something of a type is taken apart; None: not plain. The hypothesis `used` goes."""
    alternatives = destructured(type_, pattern)
    if alternatives is None:
        return None
    context = tuple(binder for binder in before.context if not used or not binder.startswith(f"({used} :"))
    return [Sequent((*context, *binders), before.target) for binders in alternatives]
