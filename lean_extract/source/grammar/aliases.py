"""Parses the command `alias`, in its forms `alias a := b` and `alias ⟨a, b⟩ := iff`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lean_extract.source.names.scopes import Scope, join_names
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
        left, right = split_iff(target)
        if not right:
            return target
        return f"{left} → {right}" if self.direction == "forward" else f"{right} → {left}"


def split_iff(statement: str) -> tuple[str, str]:
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
