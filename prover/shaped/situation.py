"""What the generator reads of a goal, and the words that describe it to the classifier. Pure; bounded for any goal."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lean_extract.records import Goal
from lean_extract.syntax.dotted import undotted
from lean_extract.syntax.inaccessible import DAGGER
from prover import facts
from prover.shapes import GoalShape, binder_arguments, head, last_named, shape, symbols, tokens
from prover.templates import GoalView
from prover.terms import Term, parse

BUCKETS = 1 << 15
"""Hash buckets of the words; bucket 0 is padding."""
FIELDS = ("target", "context", "form")
"""What the words of a goal are about; each field has its own mean."""
_MOST_TOKENS = 300
_MOST_LOCALS = 32
_MOST_WORDS = 400
"""Words of one field."""
_MOST_COUNTED = 3
_PROOF = re.compile(r"(?:h|H|ih|IH|this|key|claim|e?q)[\w'₀-₉]*\Z")
_SORT = re.compile(r"(?:Type|Sort|ℕ|ℤ|ℝ|ℚ|ℂ)\b")


@dataclass(frozen=True)
class Local:
    """An accessible hypothesis or variable."""

    name: str
    tokens: tuple[str, ...]
    shape: GoalShape
    head: str
    is_proof: bool
    symbols: frozenset[str]
    context: frozenset[str]
    """All names of the goal's context."""

    @cached_property
    def term(self) -> Term:
        """Its type as a tree."""
        return parse(self.tokens, frozenset(), self.context)


@dataclass(frozen=True)
class Situation:
    """A goal, read once."""

    view: GoalView
    locals: tuple[Local, ...]
    """The last ones, unchanged."""
    others: Mapping[str, bool]
    """All names of the context, and whether each is a proof."""
    binder: str
    """The name of the target's first binder; empty if it has none."""

    @classmethod
    def of(cls, goal: Goal) -> Situation:
        """Read a goal."""
        local = frozenset(name for hypothesis in goal.hypotheses for name in hypothesis.names)
        found: list[Local] = []
        for hypothesis in reversed(last_named(goal)):
            names = [name for name in hypothesis.names if DAGGER not in name and not name.startswith("inst")]
            if not names:
                continue
            parts = undotted(tokens(hypothesis.type)[:_MOST_TOKENS], local)
            outer, own, first = shape(parts), symbols(parts, local), head(parts)
            found += [
                Local(name, parts, outer, first, is_proof(name, hypothesis.type), own, local)
                for name in reversed(names)
            ]
            if len(found) >= _MOST_LOCALS:
                break
        others = {name: is_proof(name, h.type) for h in goal.hypotheses for name in h.names}
        view = GoalView.of_target(tokens(goal.target)[:_MOST_TOKENS], local)
        return cls(view, tuple(found[:_MOST_LOCALS][::-1]), others, _first_binder(view.shape))

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each token occurs in the target."""
        return Counter(self.view.target)


def is_proof(name: str, type_: str) -> bool:
    """Whether a hypothesis is probably a proof, judged by its type's shape, then by its name."""
    parts = tokens(type_)
    if parts and _SORT.match(parts[0]):
        return False
    return bool(_PROOF.match(name)) or facts.is_proof(name, parts, {})


def words(situation: Situation) -> tuple[list[str], list[str], list[str]]:
    """The words of each of `FIELDS`."""
    view = situation.view
    plain = ["?" if token in view.local else token.rpartition(".")[2] or token for token in view.target]
    target = [f"{word}#{min(count, _MOST_COUNTED)}" for word, count in Counter(plain).items()]
    target += [f"{one} {other}" for one, other in pairwise(plain)]
    target += [f"={token}" for token in view.symbols]
    context: list[str] = []
    for place, local in enumerate(reversed(situation.locals)):
        kind = "p" if local.is_proof else "d"
        context += [f"n:{local.name}", f"{kind}:{local.head}", f"k:{local.shape.kind}:{local.head}"]
        if local.is_proof:
            context += [f"s:{symbol.rpartition('.')[2] or symbol}" for symbol in local.symbols]
        if place < 2:
            context += [f"last{place}:{local.name}", f"last{place}:{kind}:{local.head}"]
    return target[:_MOST_WORDS], list(dict.fromkeys(context))[:_MOST_WORDS], _form(situation)


def _form(situation: Situation) -> list[str]:
    """How the goal is built: connectives, heads, and how hypotheses compare with the target."""
    view = situation.view
    outer, term = view.shape, view.term
    left, right = head(outer.left), head(outer.right)
    found = [
        f"kind:{outer.kind}",
        f"op:{outer.operator}",
        f"head:{view.head}",
        f"left:{outer.kind}:{left}",
        f"right:{outer.kind}:{right}",
        f"sides:{left}:{right}",
        f"size:{min(len(view.target) // 8, 12)}",
        f"binder:{situation.binder}",
        f"tree:{_tree(term, 1)}",
        f"deep:{_tree(term, 2)}",
        f"locals:{min(len(situation.locals), 20) // 2}",
        f"proofs:{min(sum(local.is_proof for local in situation.locals), 10)}",
        f"hidden:{min(sum(DAGGER in name for name in situation.others), 6)}",
        f"same:{outer.left == outer.right}",
    ]
    if outer.kind in ("forall", "exists", "imp", "and", "or", "iff", "not"):
        inner = shape(outer.right)
        found += [f"then:{outer.kind}:{inner.kind}:{head(outer.right)}"]
    for local in situation.locals:
        if local.is_proof:
            if local.tokens == view.target:
                found.append("assumed")
            if local.head == view.head:
                found.append(f"alike:{local.shape.kind}")
            if local.shape.kind == "eq" and view.local.issuperset(local.shape.left[:1]):
                found.append(f"variable-equation:{len(local.shape.left) == 1}")
            if local.shape.kind in ("and", "or", "exists", "eq", "not", "false"):
                found.append(f"has:{local.shape.kind}")
        elif local.name in situation.counts:
            found.append(f"about:{local.head}")
    return list(dict.fromkeys(found))[:_MOST_WORDS]


def _tree(term: Term, depth: int) -> str:
    """The heads of a tree down to a depth."""
    if not depth or not term.args:
        return "v" if term.kind in ("bound", "variable") else term.head[:24].rpartition(".")[2]
    return f"{term.head[:24]}({','.join(_tree(part, depth - 1) for part in term.args[:4])})"


def _first_binder(outer: GoalShape) -> str:
    if outer.kind != "forall":
        return ""
    found = binder_arguments(outer.left)
    return found[0].name if found else ""


def bucket(word: str, size: int = BUCKETS) -> int:
    """A word's hash bucket, from 1 to size - 1."""
    return 1 + zlib.crc32(word.encode()) % (size - 1)


def bags(situation: Situation) -> list[NDArray[np.int64]]:
    """The hash buckets of each field's words, ascending."""
    return [
        np.array(sorted({bucket(f"{field}:{word}") for word in found}), dtype=np.int64)
        for field, found in zip(FIELDS, words(situation), strict=True)
    ]
