"""Where a tactic's text mentions a premise, by its full or a shorter name. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from lean_extract.syntax.lexer import is_identifier, raw_tokens

_MOST_PARTS = 64
"""The most components of a premise's name."""
Piece = tuple[str, str]
"""(text, premise): the premise's full name and the text after it, or a text and an empty name."""


def qualified(tactic: str, names: Iterable[str], local: frozenset[str] = frozenset()) -> str:
    """The tactic with every mention of these premises written in full, `add_comm` as `Nat.add_comm`.

    Args:
        names: the premises that the tactic uses according to Lean or the source reader, in order.
        local: names of the local context, which are left as they are.
    """
    by_ending = endings(names)
    return "".join(
        f"{premise}{text}" if premise else text for text, premise in pieces(tactic, by_ending, local)
    )


def endings(names: Iterable[str]) -> dict[str, str]:
    """Every dotted suffix of each name -> the name. On a clash, a full name wins, then the first name."""
    names = list(names)
    found: dict[str, str] = {}
    for name in names:
        parts = name.split(".")
        for start in range(len(parts)):
            found.setdefault(".".join(parts[start:]), name)
    return found | {name: name for name in names}


def pieces(tactic: str, by_ending: Mapping[str, str], local: frozenset[str] = frozenset()) -> list[Piece]:
    """The tactic in pieces. The text of a premise's piece is what follows its name (`.symm`, white space)."""
    found: list[Piece] = []
    for raw in raw_tokens(tactic):
        token = raw.rstrip()
        name = _mentioned(token, by_ending, local) if is_identifier(token) else None
        if name is None:
            found.append((raw, ""))
        else:
            found.append((raw[len(name) :], by_ending[name]))
    return found


def _mentioned(token: str, by_ending: Mapping[str, str], local: frozenset[str]) -> str | None:
    """The longest dotted prefix of a token that names a premise."""
    parts: Sequence[str] = token.split(".", _MOST_PARTS)[:_MOST_PARTS]
    if parts[0] in local:
        return None
    for end in range(len(parts), 0, -1):
        beginning = ".".join(parts[:end])
        if beginning in by_ending:
            return beginning
    return None
