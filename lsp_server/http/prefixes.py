"""Tactics that begin with a typed prefix."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lean_extract.records import Premise
from lean_extract.syntax.brackets import TERM_PAIRS
from prover.candidates import Candidate, merge

_HEAD = re.compile(r".*[\s()\[\]{},;:⟨⟩←@]", re.DOTALL)
"""The text before a name that is still being typed."""
_COMPLETED = 0.1
"""The score of the best premise that completes a name; the following ones have less."""


def starting_with(
    prefix: str, candidates: Sequence[Candidate], premises: Sequence[Premise]
) -> list[Candidate]:
    """The candidates that begin with the prefix, then completions of its last name to a premise's name.

    Args:
        prefix: the typed text; leading white space is ignored.
        candidates: best first.
        premises: best first.
    """
    typed = prefix.lstrip()
    if not typed:
        return list(candidates)
    fitting = [one for one in candidates if one.tactic.startswith(typed)]
    completed = _completed(typed, premises)
    return merge([fitting, completed], len(fitting) + len(completed))


def _completed(typed: str, premises: Sequence[Premise]) -> list[Candidate]:
    """`exact Nat.add_` to `exact Nat.add_comm`, `rw [` to `rw [Nat.add_comm]`, by the premises in order.

    The first word is a tactic's name, and is not completed.
    """
    begun = _HEAD.match(typed)
    if not begun:
        return []
    head = begun[0]
    name, closing = typed[len(head) :], _closing(head)
    names = (premise.name for premise in premises if premise.name.startswith(name))
    return [
        Candidate(f"{head}{found}{closing}", _COMPLETED / (1 + rank), "prefix")
        for rank, found in enumerate(names)
    ]


def _closing(text: str) -> str:
    """The closing brackets for those that are open at the end of a text."""
    waiting: list[str] = []
    for character in text:
        if character in TERM_PAIRS:
            waiting.append(TERM_PAIRS[character])
        elif waiting and character == waiting[-1]:
            waiting.pop()
    return "".join(reversed(waiting))
