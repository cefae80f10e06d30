"""Makes premises from the parsed parts of the text: declarations, members, aliases.

Parses the command `alias`, too, in its forms `alias a := b` and `alias ⟨a, b⟩ := iff`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lean_extract.records import Premise
from lean_extract.source.grammar.declarations import Declaration, Prefix
from lean_extract.source.grammar.structures import Member
from lean_extract.source.names.binders import Binder
from lean_extract.source.names.scopes import Scope, join_names, split_name
from lean_extract.syntax.brackets import DEPTH, close
from lean_extract.syntax.lexer import Tokens, is_identifier


@dataclass(frozen=True, slots=True)
class Alias:
    """A second name for a declaration. `target` is as written, to be resolved in `scope`."""

    name: str
    target: str
    direction: Literal["same", "forward", "backward"]
    scope: Scope

    def conclusion(self, target: str) -> str:
        """The alias's statement, given the target's: an implication for one direction of an equivalence."""
        if self.direction == "same":
            return target
        left, right = _split_iff(target)
        if not right:
            return target
        return f"{left} → {right}" if self.direction == "forward" else f"{right} → {left}"


def _split_iff(statement: str) -> tuple[str, str]:
    """The two sides of a statement's outermost `↔`. The second is empty if there is no `↔`."""
    depth = 0
    for index, character in enumerate(statement):
        depth += DEPTH.get(character, 0)
        if character == "↔" and depth == 0:
            return statement[:index].strip(), statement[index + 1 :].strip()
    return statement, ""


def parse_alias(tokens: Tokens, begin: int, end: int, scope: Scope) -> list[Alias]:
    """The aliases that the command in the tokens [begin, end) declares."""
    texts = tokens.texts
    index = begin + 1
    if index >= end:
        return []
    if texts[index] == "⟨":
        after = close(texts, index, end) + 1
        names = [text for text in texts[index + 1 : after - 1] if is_identifier(text)]
        directions: list[Literal["same", "forward", "backward"]] = ["forward", "backward"]
    else:
        names, directions, after = [texts[index]], ["same"], index + 1
    if after < end and texts[after] == ".{":
        after = close(texts, after, end) + 1
    if after + 1 >= end or texts[after] not in (":=", "←") or not is_identifier(texts[after + 1]):
        return []
    target = texts[after + 1]
    return [
        Alias(join_names(scope.namespace, name), target, direction, scope)
        for name, direction in zip(names, directions, strict=False)
        if name != "_"
    ]


def _attribute_texts(prefix: Prefix) -> tuple[str, ...]:
    """The texts of the attributes, as written."""
    return tuple([attribute.text for attribute in prefix.attributes])


def declared_premise(
    tokens: Tokens,
    module: str,
    namespace: str,
    declaration: Declaration,
    context: Sequence[Binder],
    *,
    is_private: bool,
) -> Premise:
    """The premise of a declaration in a namespace, with its whole context."""
    prefix = declaration.prefix
    # An axiom that only the compiler may use (`lcUnreachable : α`) is not available in proofs.
    is_unsafe = declaration.keyword == "axiom" and "unsafe" in prefix.modifiers
    return Premise(
        name=join_names(namespace, declaration.name),
        kind="unsafe axiom" if is_unsafe else declaration.keyword,
        module=module,
        context=tuple([binder.text for binder in context]),
        conclusion=tokens.source(declaration.type_begin, declaration.type_end),
        span=tokens.span(declaration.begin, declaration.end),
        doc=prefix.doc,
        attributes=_attribute_texts(prefix),
        is_private=is_private,
        is_protected="protected" in prefix.modifiers,
        has_sorry=tokens.has_sorry(declaration.begin, declaration.end),
    )


def member_premise(tokens: Tokens, member: Member, owner: Premise, outer: tuple[str, ...]) -> Premise:
    """The premise of a field, constructor or local declaration of `owner`, which gives it the binders `outer`."""
    conclusion = tokens.source(member.type_begin, member.type_end)
    if member.kind == "constructor" and not conclusion:
        conclusion = split_name(owner.name)[-1]
    return Premise(
        name=join_names(owner.name, member.name),
        kind=member.kind,
        module=owner.module,
        context=(*outer, *[binder.text for binder in member.binders]),
        conclusion=conclusion,
        span=tokens.span(member.begin, member.end),
        doc=member.prefix.doc,
        attributes=_attribute_texts(member.prefix),
        is_private="private" in member.prefix.modifiers or owner.is_private,
        is_protected="protected" in member.prefix.modifiers,
    )


def alias_premise(
    tokens: Tokens,
    module: str,
    alias: Alias,
    target: Premise | None,
    prefix: Prefix,
    token_range: tuple[int, int],
    *,
    is_private: bool,
) -> Premise:
    """The premise of the alias in the tokens `token_range`.

    If the target is not known, because it is in another module, the premise has no statement.
    """
    return Premise(
        name=alias.name,
        kind="alias",
        module=module,
        context=target.context if target else (),
        conclusion=alias.conclusion(target.conclusion) if target else "",
        span=tokens.span(*token_range),
        doc=prefix.doc,
        attributes=_attribute_texts(prefix),
        is_private=is_private,
        is_protected="protected" in prefix.modifiers,
    )
