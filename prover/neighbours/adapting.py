"""A neighbour's tactic rewritten for our goal. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lean_extract.near_steps import NearStep
from lean_extract.source.budget import Budget
from lean_extract.syntax.lexer import is_identifier, raw_tokens
from prover.neighbours.names import ContextView, meanings

_BINDING = frozenset(
    ("intro", "intros", "rintro", "ext", "ext1", "funext", "obtain", "fun", "λ", "by_contra", "by_contra!",
     "choose", "rename_i", "with", "have", "let", "set", "by_cases")
)  # fmt: skip
"""Words after which names are introduced."""
_ENDING = frozenset(("=>", "↦", ":=", ":", "at", "using", ",", "]", "from", "by", "in", "generalizing"))
"""Tokens after which names are no longer introduced."""
_FUNCTIONS = frozenset(
    ("exact", "refine", "refine'", "apply", "simpa", "convert", "rwa", "rw", "have", "calc")
)
_MOST_FRESH = 20


@dataclass(frozen=True, slots=True)
class Adapted:
    """A tactic for our goal, and what became of the neighbour's."""

    tactic: str
    mentioned: int
    """How many names of its context the neighbour's tactic mentions."""
    mapped: int
    """How many of these have one of ours."""

    @property
    def share(self) -> float:
        """How many of the names have one of ours, as a share; 1 where there are none."""
        return self.mapped / self.mentioned if self.mentioned else 1.0


def adapted(step: NearStep, theirs: ContextView, ours: ContextView, pairs: Budget) -> Adapted | None:
    """The neighbour's tactic with our hypotheses in place of its own; None where one that it needs has no match.

    An argument that nothing fits is left open (`_`, or `?_` in `refine`). `pairs`: see `meanings`.
    """
    texts = raw_tokens(step.tactic)
    if not texts:
        return None
    introduced = introduced_at(texts)
    mentioned = dict.fromkeys(
        name
        for position, text in enumerate(texts)
        if position not in introduced and (name := text.rstrip().split(".")[0]) in theirs.local
    )
    ours_for = meanings(theirs, ours, list(mentioned), pairs) if mentioned else {}
    fresh = _fresh(texts, introduced, ours.local)
    hole = "?_" if texts[0].rstrip() in ("refine", "refine'") else "_"
    written: list[str] = []
    for position, raw in enumerate(texts):
        token = raw.rstrip()
        first, dot, rest = token.partition(".")
        if position in introduced:
            written.append(fresh.get(token, token) + raw[len(token) :])
        elif first in mentioned and first in ours_for:
            written.append(ours_for[first] + dot + rest + raw[len(token) :])
        elif first in mentioned:
            if dot or not _is_argument(texts, position):
                return None
            written.append(hole + raw[len(token) :])
        else:
            written.append((fresh[first] + raw[len(first) :]) if first in fresh else raw)
    return Adapted("".join(written), len(mentioned), len(ours_for))


def introduced_at(texts: Sequence[str]) -> frozenset[int]:
    """The positions of the tokens that introduce names (`x` in `intro x`, `a` in `obtain ⟨a, b⟩ := h`)."""
    found: set[int] = set()
    is_open, is_nested = False, 0
    for position, raw in enumerate(texts):
        token = raw.rstrip()
        if token in _BINDING:
            is_open, is_nested = True, 0
        elif not is_open:
            continue
        elif token in ("⟨", "("):
            is_nested += 1
        elif token in ("⟩", ")"):
            is_nested -= 1
            is_open = is_nested >= 0
        elif token in _ENDING and not (token == "," and is_nested):
            is_open = token == ":" and is_nested > 0
        elif is_identifier(token) and token not in ("rfl", "_") and "." not in token:
            found.add(position)
    return frozenset(found)


def _fresh(texts: Sequence[str], introduced: frozenset[int], local: frozenset[str]) -> dict[str, str]:
    """A new name for each introduced one that would hide one of ours."""
    found: dict[str, str] = {}
    names = dict.fromkeys(texts[position].rstrip() for position in sorted(introduced))
    for name in names:
        if name in local:
            found[name] = next(
                (new for i in range(1, _MOST_FRESH) if (new := name + _subscript(i)) not in local), name
            )
    return found


def _subscript(number: int) -> str:
    return "".join(chr(0x2080 + int(digit)) for digit in str(number))


def _is_argument(texts: Sequence[str], position: int) -> bool:
    """Whether the token is an argument of what stands before it, so that `_` can take its place."""
    if not position:
        return False
    before = texts[position - 1].rstrip()
    if before in (")", "⟩", "_", "?_"):
        return True
    return is_identifier(before) and before not in _FUNCTIONS and before not in ("at", "using", "with")
