"""Whether a tactic probably does what another does, or the first part of it, judged by the texts. Pure.

The names of new hypotheses do not count, nor do the namespaces of names, `_`, round brackets, and whether a term is
written with dot notation. The first part of a `rw [a, b]` is `rw [a]`.
"""

from __future__ import annotations

from collections.abc import Sequence

from lean_extract.syntax.brackets import close
from lean_extract.syntax.lexer import is_identifier, raw_tokens
from prover.neighbours.adapting import introduced_at
from prover.training.steps import one_line

_IGNORED = frozenset(("(", ")", "_", "?", "?_"))
_STEPWISE = {"rw": "rw", "rwa": "rw", "erw": "erw", "simp_rw": "simp_rw"}
"""Tactics that use their rules one at a time, and what does the same up to the last rule."""


def has_effect(tactic: str, wanted: str) -> bool:
    """Whether a tactic has the effect of the wanted one, or of its first rules."""
    found, whole = _plain(tactic), _plain(wanted)
    return found == whole or _is_beginning(found, whole)


def _plain(tactic: str) -> list[str]:
    """The tokens that count."""
    texts = raw_tokens(one_line(tactic))
    names = dict.fromkeys(texts[at].rstrip() for at in sorted(introduced_at(texts)))
    numbers = {name: f"#{number}" for number, name in enumerate(names)}
    written: list[str] = []
    opened: list[int] = []
    argument = 0
    for raw in texts:
        token = raw.rstrip()
        if token == "(":
            opened.append(len(written))
        elif token == ")" and opened:
            argument = opened.pop()
        elif token.startswith(".") and written:
            written.insert(argument, token[1:])
        elif token not in _IGNORED:
            argument = len(written)
            written += _undotted(token, numbers) if is_identifier(token) else [token]
    return written


def _undotted(name: str, numbers: dict[str, str]) -> list[str]:
    """`h.symm` as `symm h`, and `Nat.add_comm` as `add_comm`."""
    parts = name.split(".")
    while len(parts) > 1 and not parts[0][:1].islower():
        del parts[0]
    return [*parts[:0:-1], numbers.get(parts[0], parts[0])]


def _is_beginning(tactic: Sequence[str], whole: Sequence[str]) -> bool:
    """Whether the rules of a tactic are the first of those of another that rewrites at the same place."""
    if tactic[1:2] != ["["] or whole[1:2] != ["["] or tactic[0] != _STEPWISE.get(whole[0]):
        return False
    end, end_of_whole = close(tactic, 1, len(tactic)), close(whole, 1, len(whole))
    is_beginning = tactic[2:end] == whole[2:end] and whole[end : end + 1] in ([","], ["]"])
    return is_beginning and tactic[end + 1 :] == whole[end_of_whole + 1 :]
