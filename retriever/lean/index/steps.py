"""What an index keeps of proofs: what they mention, and their steps, the tactics of states known from the text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lean_extract.common.arrays import Floats
from lean_extract.common.typed import read_typed
from lean_extract.records import Goal, Hypothesis, Position, to_json
from lean_extract.source.names.scopes import ROOT, Scope
from lean_extract.source.open_file import possible_uses
from lean_extract.source.proofs.proof import SourceProof, SourceStep
from lean_extract.source.reader import SourceModule
from lean_extract.syntax.complete_tactics import complete
from lean_extract.syntax.lexer import is_identifier, raw_tokens
from lean_extract.syntax.tactic_words import SPLITTING
from retriever.limits import (
    CONSECUTIVE_STEPS,
    MAX_CONTEXT_NAMES,
    MAX_MENTIONS_PER_PROOF,
    MAX_STEP_STATE_CHARACTERS,
    MAX_STEPS_PER_FILE,
    MAX_TACTIC_CHARACTERS,
)
from retriever.models.encoder import PremiseEncoder
from retriever.search.index.proof_columns import MentionColumns, ReadStep

_LEAST = 1e-9
_STATING = ("have", "haveI", "replace")
"""First words of steps whose statement a block below them proves, where they end with `:= by`."""
_CASES = SPLITTING | {
    "cases",
    "cases'",
    "induction",
    "induction'",
    "by_cases",
    "split",
    "split_ifs",
    "fin_cases",
}
"""First words of steps that leave several goals."""
_LOOKED_AT = 8
"""So many steps after one are looked at: some are within it."""


@dataclass(frozen=True, slots=True)
class NextStep:
    """A step that follows another one in its proof."""

    tactic: str
    """On one line, with names as they are written."""
    mentions: tuple[str, ...] = ()
    is_nested: bool = False
    """Whether it is in the block that proves what the first step states."""


@dataclass(frozen=True, slots=True)
class KnownStep:
    """A step of a proof as the index keeps it."""

    tactic: str
    """On one line, with names as they are written."""
    target: str
    hypotheses: tuple[Hypothesis, ...] = ()
    """Those that the tactic or those that follow it mention."""
    local: tuple[str, ...] = ()
    """The names of the other hypotheses."""
    mentions: tuple[str, ...] = ()
    """The names of premises in the tactic as they are written."""
    scope: Scope = ROOT
    """What they are resolved against."""
    is_term: bool = False
    """Whether it is a goal that a term proves, as `exact term`."""
    following: tuple[NextStep, ...] = ()
    """The steps after it, as far as they are complete tactics."""

    @property
    def goal(self) -> Goal:
        """The goal, as far as it is kept."""
        return Goal(self.hypotheses, self.target)

    def continued(self) -> Iterator[KnownStep]:
        """The step with the next one, with the next two, and so on: each as one tactic of several lines."""
        whole = self
        for number, step in enumerate(self.following):
            opening = " := by" if step.is_nested and not number else ""
            line = f"{'  ' * step.is_nested}{step.tactic}"
            mentions = tuple(dict.fromkeys((*whole.mentions, *step.mentions)))
            whole = replace(whole, tactic=f"{whole.tactic}{opening}\n{line}", mentions=mentions)
            yield whole


def known_steps(source: SourceModule, proof: SourceProof) -> Iterator[tuple[KnownStep, Goal]]:
    """The steps of one proof with known states, and the goal of each. The module was read with `states`."""
    steps = [
        (one, proof.steps[number + 1 : number + 1 + _LOOKED_AT]) for number, one in enumerate(proof.steps)
    ]
    for step, later in (*steps, *((one, None) for one in proof.terms)):
        if step.before is None or not step.before.target or size_of(step.before) > MAX_STEP_STATE_CHARACTERS:
            continue
        tactic = _on_one_line(step)
        if tactic is not None:
            following = _following(proof, step, later or ())
            yield _known_step(proof, step, tactic, following, is_term=later is None), step.before


def _on_one_line(step: SourceStep) -> str | None:
    """A step as one complete tactic, unless it is long."""
    if len(step.tactic) > 2 * MAX_TACTIC_CHARACTERS:  # white space aside, too long for certain
        return None
    tactic = complete(step.tactic)
    return tactic if tactic is not None and len(tactic) <= MAX_TACTIC_CHARACTERS else None


def _following(proof: SourceProof, first: SourceStep, later: Sequence[SourceStep]) -> tuple[NextStep, ...]:
    """The steps that follow the first, up to one that is not a complete tactic. Those within it do not follow it.

    Nothing follows a step that leaves several goals: the next one proves a part of them.
    """
    found: list[NextStep] = []
    words = first.tactic.split()
    if _leaves_goals(first.tactic):
        return ()
    last, is_nested = first.span, words[0] in _STATING and words[-2:] == [":=", "by"]
    for step in later:
        if _place(step.span.start) < _place(last.end):
            continue
        tactic = _on_one_line(step)
        if tactic is None or len(found) == CONSECUTIVE_STEPS - 1:
            break
        is_nested &= step.span.start.column > first.span.start.column
        found.append(NextStep(tactic, _mentions(proof, step), is_nested))
        if _leaves_goals(tactic):
            break
        last = step.span
    return tuple(found)


def _leaves_goals(tactic: str) -> bool:
    """Whether a step looks as if it left several goals."""
    return tactic.split()[0] in _CASES or " | " in tactic or tactic.count("?_") > 1


def _place(position: Position) -> tuple[int, int]:
    return position.line, position.column


def _mentions(proof: SourceProof, step: SourceStep) -> tuple[str, ...]:
    """The names of premises that a step mentions, as they are written."""
    names = (name for name in proof.mentions[step.first : step.last] if isinstance(name, str))
    return tuple(dict.fromkeys(name for name in names if name and name[0] != "."))


def step_vectors(encoder: PremiseEncoder, goals: Sequence[Goal]) -> Floats:
    """float32[n, d]: what steps are found by, the mean of the vectors of the goal and of its target alone.

    Hypotheses that a tactic does not need then weigh less. Each vector has length 1. Raises Cancelled.
    """
    if not goals:
        return np.zeros((0, encoder.dimension), dtype=np.float32)
    targets = list(dict.fromkeys(goal.target for goal in goals))
    numbers = {target: number for number, target in enumerate(targets)}
    alone = encoder.encode_states([Goal((), target) for target in targets])
    both = encoder.encode_states(goals) + alone[[numbers[goal.target] for goal in goals]]
    return np.asarray(
        both / np.maximum(np.linalg.norm(both, axis=1, keepdims=True), _LEAST), dtype=np.float32
    )


def split_context(goal: Goal, tactic: str) -> tuple[tuple[Hypothesis, ...], tuple[str, ...]]:
    """The hypotheses that a tactic mentions, and the names of the last of the others."""
    words = {token.rstrip().split(".")[0] for token in raw_tokens(tactic) if is_identifier(token.rstrip())}
    mentioned: list[Hypothesis] = []
    others: list[str] = []
    for hypothesis in goal.hypotheses:
        if words.intersection(hypothesis.names):
            mentioned.append(hypothesis)
        else:
            others += hypothesis.names
    return tuple(mentioned), tuple(others[-MAX_CONTEXT_NAMES:])


def size_of(goal: Goal) -> int:
    """Characters of a goal's target and types."""
    return len(goal.target) + sum(len(hypothesis.type) for hypothesis in goal.hypotheses)


def _known_step(
    proof: SourceProof, step: SourceStep, tactic: str, following: tuple[NextStep, ...], *, is_term: bool
) -> KnownStep:
    assert step.before is not None
    mentioned, others = split_context(step.before, "\n".join((tactic, *(one.tactic for one in following))))
    target, mentions = step.before.target, _mentions(proof, step)
    return KnownStep(tactic, target, mentioned, others, mentions, proof.scope, is_term, following)


def read_steps(source: SourceModule) -> list[ReadStep]:
    """The steps that the index keeps of a module that was read with `states`, by their theorems' positions."""
    positions = {premise.name: number for number, premise in enumerate(source.premises)}
    found: list[ReadStep] = []
    for proof in source.proofs:
        owner = positions.get(proof.theorem)
        if owner is None:
            continue
        for step, goal in known_steps(source, proof):
            if len(found) == MAX_STEPS_PER_FILE:
                break
            found.append(ReadStep(owner, goal, to_record(step)))
    return sorted(found, key=lambda step: step.owner)


def to_record(step: KnownStep) -> bytes:
    """A step as JSON."""
    return json.dumps(to_json(step), ensure_ascii=False, separators=(",", ":")).encode()


def of_record(record: bytes) -> KnownStep:
    """The inverse of `to_record`. Raises ValueError, TypeError."""
    return read_typed(KnownStep, json.loads(record))


def read_mentions(source: SourceModule) -> MentionColumns:
    """What the proofs of a module mention, by their theorems' positions: by these mentions its theorems vote."""
    positions = {premise.name: number for number, premise in enumerate(source.premises)}
    proofs = [proof for proof in source.proofs if proof.theorem in positions]
    found = zip(proofs, possible_uses(source, proofs), strict=True)
    rows = [
        (positions[proof.theorem], names)
        for proof, mentions in found
        for names in mentions[:MAX_MENTIONS_PER_PROOF]
    ]
    return MentionColumns.of_names(sorted(rows, key=lambda row: row[0]))
