"""Eta-expands the functions in a statement, as the attribute `to_fun` does.

`Continuous (f * g)` becomes `Continuous (fun x => f x * g x)`. Lean pulls `fun x ↦` out of every operation.
Here this is done for those arguments of the statement that the text shows to be operations on functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lean_extract.syntax.brackets import DEPTH, close
from lean_extract.syntax.lexer import is_identifier, raw_tokens

_OPERATORS = frozenset(("+", "-", "*", "/", "•", "⊔", "⊓", "⁻¹", "^", "∘", "∑", "∏", "+ᵥ"))
_VARIABLES = ("x", "y", "z", "t", "u")
_MOST_WORDS = 2000
"""A longer statement is left unchanged, since nested brackets are read again at each level."""


def eta_expanded(conclusion: str, context: Sequence[str]) -> str:
    """The conclusion, with the operations on functions in its arguments applied to a variable.

    `context` holds the binders of the statement. A name whose type has arrows is a function as long as it has
    fewer arguments than arrows.
    """
    arities = {name: arity for binder in context for name, arity in _functions(binder)}
    raw = raw_tokens(conclusion)
    words = [token.rstrip() for token in raw]
    if len(words) > _MOST_WORDS:
        return conclusion
    taken = set(words)
    variable = next((name for name in _VARIABLES if name not in taken), "x'")
    result: list[str] = []
    index = 0
    while index < len(words):
        after = index + 1
        inside = words[index + 1 : close(words, index, len(words))] if words[index] == "(" else []
        if _is_operation(inside, arities):
            after = index + len(inside) + 2
            space = raw[after - 1][len(words[after - 1]) :]
            result.append(f"(fun {variable} => {_applied(inside, arities, variable)}){space}")
        elif index and _is_function(words, index, arities) and words[after : after + 1] == ["⁻¹"]:
            after += 1
            space = raw[index + 1][len("⁻¹") :]
            last = after >= len(words)
            body = f"fun {variable} => ({words[index]} {variable})⁻¹"
            result.append(body if last else f"({body}){space}")
        else:
            result.append(raw[index])
        index = after
    return "".join(result).strip()


def _functions(binder: str) -> list[tuple[str, int]]:
    """The names of functions that a binder introduces, each with the number of arrows in its type."""
    names, _, type_ = binder[1:-1].partition(":")
    depth = arity = 0
    for character in type_:
        depth += DEPTH.get(character, 0)
        arity += depth == 0 and character == "→"
    return [(name, arity) for name in names.split()] if arity else []


def _is_function(words: list[str], index: int, arities: Mapping[str, int]) -> bool:
    """Whether the token at `index` is a function that lacks an argument."""
    arity = arities.get(words[index], 0)
    return arity > 0 and _arguments(words, index + 1)[1] < arity


def _is_operation(inside: list[str], arities: Mapping[str, int]) -> bool:
    """Whether the tokens combine functions with an operator and contain no lambda."""
    return (
        not {"fun", "λ", "↦", "=>", ":=", ":"} & set(inside)
        and any(word in _OPERATORS for word in inside)
        and any(_is_function(inside, index, arities) for index in range(len(inside)))
    )


def _applied(words: list[str], arities: Mapping[str, int], variable: str) -> str:
    """The operation, with every function in it applied to the variable."""
    parts: list[str] = []
    index = opened = 0
    while index < len(words):
        word = words[index]
        if not _is_function(words, index, arities):
            parts.append(word)
            index += 1
        elif words[index + 1 : index + 2] == ["∘"]:
            parts += [word, "("]
            opened += 1
            index += 2
        else:
            after, _ = _arguments(words, index + 1)
            application = " ".join([*words[index:after], variable])
            parts.append(f"({application})" if words[after : after + 1] == ["⁻¹"] else application)
            index = after
    return _joined(parts + [")"] * opened)


def _arguments(words: list[str], index: int) -> tuple[int, int]:
    """The index after the arguments that the function before `index` already has, and their number."""
    count = 0
    while index < len(words):
        word = words[index]
        if word == "(":
            index = close(words, index, len(words)) + 1
        elif is_identifier(word) or word.isdigit():
            index += 1
        elif word[0] == "." and len(word) > 1:
            index += 1
            continue
        else:
            break
        count += 1
    return index, count


def _joined(parts: list[str]) -> str:
    pieces: list[str] = []
    before = ""
    for part in parts:
        is_tight = part in ("⁻¹", ",") or DEPTH.get(part) == -1 or before in ("(", "")
        is_sign = before == "-" and len(pieces) == 1
        pieces.append(part if is_tight or is_sign else f" {part}")
        before = part
    return "".join(pieces)
