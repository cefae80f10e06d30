"""A statement about a function written without its argument, with the argument: what `to_fun` makes.

`Continuous (f * g)` becomes `Continuous (fun x => f x * g x)`. Lean pulls `fun x ↦` out of every operation;
here it is pulled out of those arguments of the statement that the text shows to be operations on functions.
"""

from __future__ import annotations

from collections.abc import Sequence

from lean_extract.source.lexer import is_identifier, raw_tokens
from lean_extract.source.syntax import DEPTH, close

_OPERATORS = frozenset(("+", "-", "*", "/", "•", "⊔", "⊓", "⁻¹", "^", "∘", "∑", "∏", "+ᵥ"))
_VARIABLES = ("x", "y", "z", "t", "u")


def eta_expanded(conclusion: str, context: Sequence[str]) -> str:
    """The conclusion with the operations on functions in its arguments applied to a variable.

    `context` are the binders of the statement: a name whose type has an arrow is a function.
    """
    functions = frozenset(name for binder in context for name in _functions(binder))
    raw = raw_tokens(conclusion)
    words = [token.rstrip() for token in raw]
    taken = set(words)
    variable = next((name for name in _VARIABLES if name not in taken), "x'")
    result: list[str] = []
    index = 0
    while index < len(words):
        behind = close(words, index, len(words)) + 1 if words[index] == "(" else index + 1
        if words[index] == "(" and _is_operation(words, index + 1, behind - 1, functions):
            body = _applied(words[index + 1 : behind - 1], functions, variable)
            space = raw[behind - 1][len(words[behind - 1]) :]
            result.append(f"(fun {variable} => {body}){space}")
        elif index and words[index] in functions and _is_inverted(words, index):
            result.append(f"fun {variable} => ({words[index]} {variable})⁻¹")
            behind += 1
        else:
            behind = index + 1
            result.append(raw[index])
        index = behind
    return "".join(result).strip()


def _functions(binder: str) -> list[str]:
    """The names that a binder gives functions."""
    names, _, type_ = binder.strip("()[]{}⦃⦄").partition(":")
    return names.split() if "→" in type_ else []


def _is_inverted(words: list[str], index: int) -> bool:
    """Whether `f⁻¹` stands at `index`."""
    return index + 1 < len(words) and words[index + 1] == "⁻¹"


def _is_operation(words: list[str], begin: int, end: int, functions: frozenset[str]) -> bool:
    """Whether the tokens join functions by an operator, outside of any lambda."""
    inside = words[begin:end]
    return (
        not {"fun", "λ", ":", "=", "∈"} & set(inside[:1])
        and any(word in _OPERATORS for word in inside)
        and any(word in functions for word in inside)
        and not {"fun", "λ", "↦", "=>", ":="} & set(inside)
    )


def _applied(words: list[str], functions: frozenset[str], variable: str) -> str:
    """The operation with every function in it applied to the variable."""
    parts: list[str] = []
    index = 0
    while index < len(words):
        word = words[index]
        if word in functions and index + 1 < len(words) and words[index + 1] == "∘":
            parts.append(f"{word} ({_applied(words[index + 2 :], functions, variable)})")
            break
        if word in functions:
            behind = _arguments_end(words, index + 1)
            parts.append(" ".join([*words[index:behind], variable]))
            index = behind
            if index < len(words) and words[index] == "⁻¹":
                parts[-1] = f"({parts[-1]})"
            continue
        parts.append(word)
        index += 1
    return _joined(parts)


def _arguments_end(words: list[str], index: int) -> int:
    """Behind the arguments that the function before `index` has already."""
    while index < len(words):
        if words[index] == "(":
            index = close(words, index, len(words)) + 1
        elif is_identifier(words[index]) or words[index].isdigit():
            index += 1
        else:
            break
    return index


def _joined(parts: list[str]) -> str:
    text = ""
    for part in parts:
        tight = part in ("⁻¹", ",") or DEPTH.get(part) == -1 or text[-1:] in ("(", "") or text == "-"
        text += part if tight else f" {part}"
    return text
