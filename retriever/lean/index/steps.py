"""What an index keeps of proofs: what they mention, and their steps, the tactics of states known from the text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lean_extract.common.arrays import Floats
from lean_extract.common.typed import read_typed
from lean_extract.records import Goal, Hypothesis, to_json
from lean_extract.source.names.scopes import ROOT, Scope
from lean_extract.source.open_file import possible_uses
from lean_extract.source.proofs.proof import SourceProof, SourceStep
from lean_extract.source.reader import SourceModule
from lean_extract.syntax.complete_tactics import complete
from lean_extract.syntax.lexer import is_identifier, raw_tokens
from retriever.limits import (
    MAX_CONTEXT_NAMES,
    MAX_MENTIONS_PER_PROOF,
    MAX_STEP_STATE_CHARACTERS,
    MAX_STEPS_PER_FILE,
    MAX_TACTIC_CHARACTERS,
)
from retriever.models.encoder import PremiseEncoder
from retriever.search.index.proof_columns import MentionColumns, ReadStep

_LEAST = 1e-9


@dataclass(frozen=True, slots=True)
class KnownStep:
    """A step of a proof as the index keeps it."""

    tactic: str
    """On one line, with names as they are written."""
    target: str
    hypotheses: tuple[Hypothesis, ...] = ()
    """Those that the tactic mentions."""
    local: tuple[str, ...] = ()
    """The names of the other hypotheses."""
    mentions: tuple[str, ...] = ()
    """The names of premises in the tactic as they are written."""
    scope: Scope = ROOT
    """What they are resolved against."""
    is_term: bool = False
    """Whether it is a goal that a term proves, as `exact term`."""

    @property
    def goal(self) -> Goal:
        """The goal, as far as it is kept."""
        return Goal(self.hypotheses, self.target)


def known_steps(source: SourceModule, proof: SourceProof) -> Iterator[tuple[KnownStep, Goal]]:
    """The steps of one proof with known states, and the goal of each. The module was read with `states`."""
    for step, is_term in (*((one, False) for one in proof.steps), *((one, True) for one in proof.terms)):
        if step.before is None or not step.before.target or size_of(step.before) > MAX_STEP_STATE_CHARACTERS:
            continue
        if len(step.tactic) > 2 * MAX_TACTIC_CHARACTERS:  # white space aside, too long for certain
            continue
        tactic = complete(step.tactic)
        if tactic is not None and len(tactic) <= MAX_TACTIC_CHARACTERS:
            yield _known_step(proof, step, step.before, tactic, is_term=is_term), step.before


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


def _known_step(proof: SourceProof, step: SourceStep, goal: Goal, tactic: str, *, is_term: bool) -> KnownStep:
    mentioned, others = split_context(goal, tactic)
    names = [
        mention for mention in proof.mentions[step.first : step.last] if isinstance(mention, str) and mention
    ]
    return KnownStep(
        tactic,
        goal.target,
        mentioned,
        others,
        tuple(dict.fromkeys(name for name in names if name[0] != ".")),
        proof.scope,
        is_term,
    )


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
