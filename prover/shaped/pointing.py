"""The features by which a premise or hypothesis is chosen for a slot of a shape. Pure.

Each slot has a table of its possible fillers, one row each. The rows are the same in training and in serving.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lean_extract.common.arrays import Floats
from lean_extract.records import Premise
from lean_extract.syntax.lexer import is_identifier
from prover.generator.prompt import words_of
from prover.matching import unify
from prover.shaped.shape import GROUPS, Slot
from prover.shaped.situation import Local, Situation, bucket
from prover.shapes import Argument, head
from prover.templates import PremiseView, fits, is_theorem, occurs_in

Uses = Mapping[str, Sequence[int]]
"""In how many training theorems a premise fills a slot of each of `GROUPS`."""
_KINDS = ("eq", "iff", "rel", "and", "or", "exists", "forall", "imp", "not")
_MOST_CONSTANTS = 12
_LONGEST_VARIABLE = 2
"""The most letters of a name that is taken for a bound variable."""
_NO_CONSTANTS = frozenset(
    ("fun", "Type", "Prop", "Sort", "True", "False", "if", "then", "else", "let", "have")
)
_MOST_MATCHED = 24
"""The last locals whose types are unified with an argument's."""
PREMISE_FEATURES = (
    "log rank", "first", "second", "known", "fit", "left", "right", "equation", "words", "share", "uses", "other uses",
    "definition", "explicit", "arguments", "proofs", "again", "alike",
)  # fmt: skip
LOCAL_FEATURES = (
    "recency", "last", "before last", "in target", "often", "place", "is target", "head", "kind", "symbols", *_KINDS,
    "other", "h", "ih", "this", "left occurs", "right occurs", "unifies", "clashes", "again", "mentioned", "argument",
    "argument head", "argument fits", "argument clashes", "argument kind", "is proof", "single", "applied", "first",
)  # fmt: skip
TYPE_BUCKETS, HEAD_BUCKETS = 512, 128


@dataclass(frozen=True, slots=True)
class Ranked:
    """A premise that may fill a slot, with what of it does not depend on the slot."""

    premise: Premise
    rank: int
    view: PremiseView | None
    fit: float
    left: float
    right: float
    words: float


def ranked(situation: Situation, premises: Sequence[Premise]) -> list[Ranked]:
    """The premises, read once for a goal, followed by the constants that the target names.

    `simp [foo]` and `unfold foo` use a definition by the name that the goal has.
    """
    goal = situation.view
    mine = words_of(" ".join(goal.target))
    found = []
    for rank, premise in enumerate(premises):
        theirs = words_of(premise.written)
        share = len(mine & theirs) / len(theirs) if theirs else 0.0
        if not premise.conclusion:
            found.append(Ranked(premise, rank, None, 0.0, 0.0, 0.0, share))
            continue
        view = PremiseView.of(premise)
        left = right = 0.0
        if view.shape.kind in ("eq", "iff"):
            left = occurs_in(goal, view.shape.left, view.variables)
            right = occurs_in(goal, view.shape.right, view.variables)
        fit = fits(goal, view.shape, view.core, view.variables)
        found.append(Ranked(premise, rank, view, fit, left, right, share))
    names = {premise.written for premise in premises}
    for name in _constants(situation):
        if name not in names:
            constant = Premise(name, "def", "")
            found.append(Ranked(constant, len(found), None, 0.0, 0.0, 0.0, 1.0))
    return found


def _constants(situation: Situation) -> list[str]:
    """The names in a target that are probably constants, not variables, in order."""
    view = situation.view
    found = [
        token
        for token in dict.fromkeys(view.target)
        if is_identifier(token)
        and len(token) > _LONGEST_VARIABLE
        and token.partition(".")[0] not in view.local
        and token not in _NO_CONSTANTS
    ]
    return found[:_MOST_CONSTANTS]


def premise_table(slot: Slot, known: Sequence[Ranked], uses: Uses, taken: Sequence[str]) -> Floats:
    """float32[n, len(PREMISE_FEATURES)]: how well each premise suits a slot. `taken`: what fills slots before it."""
    group = GROUPS.index(slot.group)
    table = np.zeros((len(known), len(PREMISE_FEATURES)), dtype=np.float32)
    last = taken[-1].rpartition(".")[0] if taken else ""
    for row, one in enumerate(known):
        counts = uses.get(one.premise.name, ())
        here = counts[group] if counts else 0
        every = sum(counts)
        explicit = one.view.explicit if one.view else ()
        proofs = one.view.proofs if one.view else ()
        table[row] = (
            math.log1p(one.rank),
            one.rank == 0,
            one.rank == 1,
            one.view is not None,
            one.fit,
            one.left,
            one.right,
            one.view is not None and one.view.shape.kind in ("eq", "iff"),
            one.words,
            math.log((here + 0.2) / (every + 2)),
            math.log1p(here),
            math.log1p(every - here),
            not is_theorem(one.premise),
            min(len(explicit), 6) / 3,
            one.view is not None and len(explicit) == slot.arguments,
            one.view is not None and len(proofs) == slot.arguments,
            one.premise.written in taken,
            bool(last) and one.premise.name.startswith(f"{last}."),
        )
    return table


def local_table(
    slot: Slot, situation: Situation, taken: Sequence[str], wanted: Argument | None, of: PremiseView | None
) -> Floats:
    """float32[n, len(LOCAL_FEATURES)]: how well each of the situation's locals suits a slot.

    Args:
        taken: what fills the slots before it.
        wanted: the premise's argument in this slot; None if the slot is no argument.
        of: that premise.
    """
    view, locals_ = situation.view, situation.locals
    table = np.zeros((len(locals_), len(LOCAL_FEATURES)), dtype=np.float32)
    place = 0
    pattern = of.term(wanted.type) if wanted is not None and of is not None else None
    sought = head(wanted.type, of.variables if of is not None else frozenset()) if wanted is not None else ""
    for row in range(len(locals_) - 1, -1, -1):
        local = locals_[row]
        outer = local.shape
        place += local.is_proof == (slot.kind == "H")
        verdict = (
            unify(local.term, view.term).verdict
            if local.is_proof and row >= len(locals_) - _MOST_MATCHED
            else "open"
        )
        argument = "none"
        if pattern is not None and row >= len(locals_) - _MOST_MATCHED:
            argument = unify(pattern, local.term).verdict
        times = situation.counts[local.name]
        every = local.symbols | view.symbols
        two = outer.kind in ("eq", "iff")
        table[row] = (
            math.log1p(place),
            place == 1,
            place == 2,
            times > 0,
            min(times, 4) / 4,
            view.target.index(local.name) / len(view.target) if times else 1.0,
            local.tokens == view.target,
            local.head == view.head,
            outer.kind == view.shape.kind,
            len(local.symbols & view.symbols) / len(every) if every else 0.0,
            *(outer.kind == kind for kind in _KINDS),
            outer.kind in ("other", "true", "false"),
            local.name.startswith("h"),
            local.name.lower().startswith("ih"),
            local.name == "this",
            two and _within(outer.left, view.target),
            two and _within(outer.right, view.target),
            verdict == "yes",
            verdict == "no",
            local.name in taken,
            any(local.name in other.tokens for other in locals_[row + 1 :]),
            wanted is not None,
            wanted is not None and local.head == sought,
            argument == "yes",
            argument == "no",
            wanted is not None and wanted.is_proof == local.is_proof,
            local.is_proof,
            len(local.tokens) == 1,
            bool(local.term.args),
            not taken,
        )
    return table


def type_buckets(situation: Situation) -> NDArray[np.int64]:
    """int64[n]: a bucket of each local's type, by its head."""
    return np.array([bucket(one.head, TYPE_BUCKETS) for one in situation.locals], dtype=np.int64)


def head_bucket(shape: str) -> int:
    """The bucket of a shape's first word."""
    return bucket(shape.split(maxsplit=1)[0] if shape else "", HEAD_BUCKETS)


def eligible(slot: Slot, locals_: Sequence[Local]) -> NDArray[np.bool_]:
    """bool[n]: which locals are of the slot's kind."""
    return np.array([one.is_proof == (slot.kind == "H") for one in locals_], dtype=np.bool_)


def _within(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    """Whether a sequence of tokens is part of another."""
    size = len(part)
    return bool(size) and any(whole[at : at + size] == part for at in range(len(whole) - size + 1))
