"""A found proof as people write it: bullets, alternatives of `induction`, joined steps, and terms. Pure.

A search works on the main goal first, so the goals after each tactic show which goals it left. All forms are guesses:
Lean judges them, the best first; the last one is what the search has run.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from lean_extract.records import Goal, ProofState
from lean_extract.session.goals_left import alternatives, takes_alternatives
from prover.search.naming import RENAME
from prover.search.tree import NEXT_GOAL
from prover.states import fingerprint, has_unknowns

WIDTH = 100
"""The longest line, as in Mathlib's style."""
_LIST = re.compile(r"rw \[(?P<list>[^\[\]\n]+)\]")
_INTRO = re.compile(r"intro (?P<list>[^\n;|<]+)")
_EXACT = re.compile(r"exact (?P<term>[^\n;]+)")
_APPLY = re.compile(r"apply (?P<function>[\w.'!?]+)")
_SIDES = {"left": "Or.inl", "right": "Or.inr"}
_ATOM = re.compile(r"[\w.'!?]+|⟨[^⟨⟩]*⟩|\([^()]*\)")


@dataclass(frozen=True, slots=True)
class Proof:
    """What proves a goal: a tactic, and the proofs of the goals that it leaves; no tactic where it is open."""

    goal: Goal
    tactic: str = ""
    left: tuple[Proof, ...] = ()

    @property
    def ends(self) -> tuple[int, int]:
        """How many of the goals that it leads to are proved, and how many there are."""
        if not self.left:
            return int(bool(self.tactic)), 1
        ends = [one.ends for one in self.left]
        return sum(proved for proved, _ in ends), sum(count for _, count in ends)

    @property
    def steps(self) -> tuple[str, ...]:
        """The tactics, each for the main goal that those before it leave."""
        return tuple(filter(None, (self.tactic, *(step for one in self.left for step in one.steps))))

    @property
    def parts(self) -> Iterator[Proof]:
        """The proof, and those of all goals below it."""
        yield self
        for one in self.left:
            yield from one.parts

    @property
    def open(self) -> tuple[Goal, ...]:
        """The goals that are not proved."""
        if not self.tactic:
            return (self.goal,)
        return tuple(goal for one in self.left for goal in one.open)


@dataclass(slots=True)
class _Growing:
    """A goal whose proof is being read."""

    goal: Goal
    tactic: str = ""
    left: list[_Growing] = field(default_factory=list)
    is_gone: bool = False

    def frozen(self) -> Proof:
        left = (one.frozen() for one in self.left if not one.is_gone)
        return Proof(self.goal, self.tactic, tuple(left))


def read_proof(tactics: Sequence[str], states: Sequence[ProofState]) -> Proof:
    """The proof of the first goal of the first state.

    Args:
        tactics: each for the main goal that those before it leave.
        states: before the first tactic, and after each. The goals that a tactic leaves come before the others. A
            tactic that chooses a value may end other goals.
    """
    first = _Growing(states[0].goals[0])
    waiting = [first]
    for tactic, state in zip(tactics, states[1:], strict=True):
        if tactic == NEXT_GOAL:
            waiting = [*waiting[1:], waiting[0]]
            continue
        node, waiting = waiting[0], waiting[1:]
        new = max(len(state.goals) - len(waiting), 0)
        node.tactic = tactic
        node.left = [_Growing(goal) for goal in state.goals[:new]]
        kept = _kept(waiting, state.goals[new:])
        for one in waiting:
            one.is_gone = one not in kept
        waiting = [*node.left, *kept]
    return first.frozen()


def _kept(waiting: Sequence[_Growing], goals: Sequence[Goal]) -> list[_Growing]:
    """Those that are still waiting, with their goals as they are now."""
    kept: list[_Growing] = []
    for number, one in enumerate(waiting):
        left, now = len(waiting) - number, len(goals) - len(kept)
        if now and (left == now or one.goal.case == goals[len(kept)].case):
            one.goal = goals[len(kept)]
            kept.append(one)
    return kept


def is_worth_showing(proof: Proof) -> bool:
    """Whether an unfinished proof proves at least one goal of a branch, and leaves goals worth to go on with: not the
    first again, and none with a value that is still to be chosen."""
    proved, count = proof.ends
    first = fingerprint(ProofState((proof.goal,)))
    left = [ProofState((goal,)) for goal in proof.open]
    return 0 < proved < count and not any(has_unknowns(one) or fingerprint(one) == first for one in left)


def forms(proof: Proof, width: int = WIDTH) -> list[str]:
    """The scripts of a proof, best first, with `sorry` for open goals; the last is the plainest."""
    whole = shortened(proof, width)
    joined = _joined(proof, width)
    found = [
        "\n".join(_lines(one, write, width))
        for one in (whole, joined, proof)
        for write in (_in_alternatives, _in_bullets)
    ]
    return list(dict.fromkeys([*found, "\n".join(_lines(proof, _in_a_row, width))]))


def shortened(proof: Proof, width: int = WIDTH) -> Proof:
    """The proof with joined steps, and with a term for what is a proof by terms."""
    proof = _joined(proof, width)
    term = _term(proof)
    if term is not None and len(f"exact {term}") <= width:
        return replace(proof, tactic=f"exact {term}", left=())
    return replace(proof, left=tuple(shortened(one, width - 2) for one in proof.left))


def _joined(proof: Proof, width: int) -> Proof:
    """The proof with consecutive rewrites and introductions in one tactic."""
    left = tuple(_joined(one, width) for one in proof.left)
    proof = replace(proof, left=left)
    if len(left) == 1:
        (below,) = left
        for pattern, text, between in ((_LIST, "rw [{}]", ", "), (_INTRO, "intro {}", " ")):
            mine, its = pattern.fullmatch(proof.tactic), pattern.fullmatch(below.tactic)
            if mine and its:
                tactic = text.format(f"{mine['list']}{between}{its['list']}")
                return replace(below, goal=proof.goal, tactic=tactic) if len(tactic) <= width else proof
    elif len(left) > 1 and "\n" not in proof.tactic:
        same = {one.tactic for one in left}
        if len(same) == 1 and all(not one.left and "\n" not in one.tactic for one in left) and same != {""}:
            return replace(proof, tactic=f"{proof.tactic} <;> {same.pop()}", left=())
    return proof


def _term(proof: Proof) -> str | None:
    """The term of a proof by `exact`, `apply`, `constructor`, `left` and `right`; None if it has other steps."""
    if exact := _EXACT.fullmatch(proof.tactic):
        term = exact["term"].strip()
        return None if proof.left or "?" in term or "<;>" in term else term
    terms = [_term(one) for one in proof.left]
    parts = [term for term in terms if term is not None]
    if not parts or len(parts) < len(terms):
        return None
    if proof.tactic == "constructor" and len(parts) == 2:
        return f"⟨{', '.join(parts)}⟩"
    apply = _APPLY.fullmatch(proof.tactic)
    function = apply["function"] if apply else _SIDES.get(proof.tactic)
    return " ".join([function, *map(argument, parts)]) if function else None


def argument(term: str) -> str:
    """A term as an argument: in brackets unless it is one word, or has its own."""
    return term if _ATOM.fullmatch(term) else f"({term})"


_Write = Callable[[Proof, int], list[str]]
"""The lines of a proof that leaves several goals."""


def _lines(proof: Proof, write: _Write, width: int) -> list[str]:
    if not proof.tactic:
        return ["sorry"]
    first = textwrap.dedent(proof.tactic).strip().split("\n")
    if not proof.left:
        return first
    if len(proof.left) == 1 and not (write is _in_alternatives and takes_alternatives(proof.tactic)):
        return [*first, *_lines(proof.left[0], write, width)]
    return write(proof, width)


def _in_bullets(proof: Proof, width: int, write: _Write | None = None) -> list[str]:
    blocks = (_lines(one, write or _in_bullets, width - 2) for one in proof.left)
    rest = (f"{'  ' if number else '· '}{line}" for block in blocks for number, line in enumerate(block))
    return [*proof.tactic.strip().split("\n"), *rest]


def _in_alternatives(proof: Proof, width: int) -> list[str]:
    """With the alternatives of `induction` and `cases` where their goals have names, otherwise in bullets."""
    goals = [one.goal for one in proof.left]
    names = alternatives(proof.tactic, goals, proof.goal) if takes_alternatives(proof.tactic) else None
    if names is None:
        if len(proof.left) == 1:
            return [proof.tactic, *_lines(proof.left[0], _in_alternatives, width)]
        return _in_bullets(proof, width, _in_alternatives)
    found = [f"{proof.tactic} with"]
    for name, one in zip(names, proof.left, strict=True):
        if one.tactic.startswith(RENAME) and len(one.left) == 1:
            name, one = f"{name.split()[0]} {one.tactic.removeprefix(RENAME)}", one.left[0]
        found += _alternative(f"| {name} =>", _lines(one, _in_alternatives, width - 2), width)
    return found


def _alternative(head: str, block: Sequence[str], width: int) -> Iterator[str]:
    if len(block) == 1 and len(head) + 1 + len(block[0]) <= width:
        yield f"{head} {block[0]}"
        return
    yield head
    yield from (f"  {line}" for line in block)


def _in_a_row(proof: Proof, width: int) -> list[str]:
    below = (line for one in proof.left for line in _lines(one, _in_a_row, width))
    return [*proof.tactic.strip().split("\n"), *below]
