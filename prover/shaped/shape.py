"""A tactic's shape: its text with slots for premises, hypotheses and variables. Pure.

`rw [← Nat.add_comm a, h] at hx` over `a : ℕ`, `h`, `hx` has the shape `rw [← ⟪P⟫ ⟪V⟫, ⟪H⟫] at ⟪H⟫`. What a tactic
introduces (`x` in `intro x`) stays as it is written, and so does what follows a name (`.symm`, `.1`). A name that is
introduced as the target's binder is called is a slot, too: `⟪B⟫`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from lean_extract.syntax.brackets import CLOSERS, OPENERS
from lean_extract.syntax.lexer import is_identifier
from lean_extract.syntax.premise_mentions import endings, pieces
from prover.neighbours.adapting import introduced_at

_Kind = Literal["P", "H", "V", "B"]
"""A premise; a hypothesis that is a proof; one that is data; the name of the target's first binder."""
_SLOT = re.compile(r"⟪([PHVB])⟫")
_TOKEN = re.compile(r"⟪[PHVB]⟫|\?_|[\w.'!?]+|\S")
_TERMS = frozenset(
    ("exact", "refine", "refine'", "apply", "convert", "exact_mod_cast", "use", "have", "suffices")
)
_REWRITES = frozenset(("rw", "rwa", "erw", "simp_rw", "nth_rw"))
_SIMPLIFIES = frozenset(("simp", "simpa", "dsimp", "simp_all", "norm_num", "field_simp"))
_SPLITS = frozenset(("cases", "rcases", "cases'", "obtain", "induction", "induction'", "subst", "by_cases"))
GROUPS = ("rewrite", "back", "simplify", "at", "using", "first", "argument", "split", "other")
"""The places of a slot, by what comes before it."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place to fill."""

    kind: _Kind
    group: str
    """One of `GROUPS`."""
    arguments: int = 0
    """How many explicit arguments follow directly."""
    of: int = -1
    """The number of the slot of the premise whose argument it is; -1 if it is no argument."""
    place: int = 0
    """Which of its explicit arguments, from 0."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A tactic with slots: `texts[0] slots[0] texts[1] ... texts[n]`."""

    texts: tuple[str, ...]
    slots: tuple[Slot, ...]

    @classmethod
    def of(cls, text: str) -> Shape:
        """The shape that a text with slots (`⟪P⟫`) is."""
        parts = _SLOT.split(text)
        texts, kinds = tuple(parts[::2]), cast(Sequence[_Kind], parts[1::2])
        counts, owners = _applied(text)
        slots = [
            Slot(kind, _group(text, texts[: number + 1]), counts.get(number, 0), *owners.get(number, (-1, 0)))
            for number, kind in enumerate(kinds)
        ]
        return cls(texts, tuple(slots))

    def filled(self, names: Sequence[str]) -> str:
        """The tactic with these names in its slots."""
        parts = [self.texts[0]]
        for name, text in zip(names, self.texts[1:], strict=True):
            parts += (name, text)
        return "".join(parts)

    def __str__(self) -> str:
        return self.filled([f"⟪{slot.kind}⟫" for slot in self.slots])


@dataclass(frozen=True, slots=True)
class Abstracted:
    """A tactic's shape as text, and what fills the slots."""

    shape: str
    fillers: tuple[str, ...]

    def with_premises(self) -> tuple[str, tuple[str, ...]]:
        """The shape with its premises written out, and what fills the other slots."""
        shape = Shape.of(self.shape)
        kept = [slot.kind == "P" for slot in shape.slots]
        names = [
            name if is_kept else f"⟪{slot.kind}⟫"
            for name, is_kept, slot in zip(self.fillers, kept, shape.slots, strict=True)
        ]
        return shape.filled(names), tuple(
            name for name, is_kept in zip(self.fillers, kept, strict=True) if not is_kept
        )


def abstracted(
    tactic: str, premises: Sequence[str], local: Mapping[str, bool], binder: str = ""
) -> Abstracted:
    """The shape of a tactic.

    Args:
        tactic: on one line, with the premises' full names.
        premises: full names of those that it may mention.
        local: the names of the context, and whether each is a proof.
        binder: the name of the target's first binder; empty without one.
    """
    found = pieces(" ".join(tactic.split()), endings(premises), frozenset(local))
    raw = [f"{premise}{text}" for text, premise in found]
    introduced = introduced_at(raw)
    own = {raw[at].rstrip() for at in introduced} - {binder}
    written: list[str] = []
    fillers: list[str] = []
    for at, (text, premise) in enumerate(found):
        token = text.rstrip()
        first = token.split(".")[0]
        if premise:
            written.append(f"⟪P⟫{text}")
            fillers.append(premise)
        elif binder and token == binder and (at in introduced or binder in fillers):
            written.append(f"⟪B⟫{text[len(token) :]}")
            fillers.append(binder)
        elif at not in introduced and is_identifier(token) and first in local and first not in own:
            written.append(f"⟪{'H' if local[first] else 'V'}⟫{text[len(first) :]}")
            fillers.append(first)
        else:
            written.append(text)
    return Abstracted("".join(written).strip(), tuple(fillers))


def _group(text: str, before: Sequence[str]) -> str:
    head = text.split(maxsplit=1)[0] if text else ""
    last = before[-1].rstrip()
    whole = "".join(before)
    if re.search(r"\bat\b", whole[max(whole.rfind("["), whole.rfind("]")) + 1 :]):
        return "at"
    if re.search(r"\busing\b", whole):
        return "using"
    if head in _REWRITES or (head in _SIMPLIFIES and "[" in whole):
        if last.endswith("←"):
            return "back"
        if last.endswith(("[", ",")):
            return "rewrite" if head in _REWRITES else "simplify"
        return "argument"
    if head in _SPLITS:
        return "split"
    if head in _TERMS:
        is_first = len(before) == 1 and not re.search(r"[(⟨=]", last)
        return "first" if is_first or last.endswith((":=", "⟨")) else "argument"
    return "other"


def _applied(text: str) -> tuple[dict[int, int], dict[int, tuple[int, int]]]:
    """For each premise's slot how many arguments follow it; for each slot that is one, whose and which."""
    found = list(_TOKEN.finditer(text))
    numbers: dict[int, int] = {}
    for at, token in enumerate(found):
        if _SLOT.fullmatch(token[0]):
            numbers[at] = len(numbers)
    counts: dict[int, int] = {}
    owners: dict[int, tuple[int, int]] = {}
    for at, number in numbers.items():
        if found[at][0] != "⟪P⟫":
            continue
        count, here = 0, at + 1
        while here < len(found) and text[found[here].start() - 1] == " " and _is_argument(found[here][0]):
            if here in numbers:
                owners.setdefault(numbers[here], (number, count))
            count += 1
            here = _after_argument(text, found, here)
        counts[number] = count
    return counts, owners


def _is_argument(token: str) -> bool:
    return token in ("_", "?_", "rfl", "(", "⟨") or bool(_SLOT.fullmatch(token)) or token.isdigit()


def _after_argument(text: str, found: Sequence[re.Match[str]], at: int) -> int:
    """The number of the next token after an argument: after its bracket and any projection (`.1`)."""
    depth = 0
    for here in range(at, len(found)):
        depth += (found[here][0] in OPENERS) - (found[here][0] in CLOSERS)
        end = found[here].end()
        if depth <= 0 and (end == len(text) or text[end] in " ])⟩,"):
            return here + 1
    return len(found)
