"""Has every source propose tactics at goals of a library, as a suggestion does.

Premises are those that can be imported at the theorem, ranked as in the service; only training proofs vote. The
neighbours are training steps, and in the theorem's own file those above it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from lean_extract.common.arrays import Floats
from lean_extract.records import Premise
from prover.candidates import Candidate, FinishingTactics, Templates, proposed
from prover.generator.source import TacticGenerator, as_candidates
from prover.mentions import DEFINITIONS, definitions_to_try
from prover.neighbours.features import StepQuery as AskedNeighbours
from prover.neighbours.proposals import candidates as neighbour_candidates
from prover.opening import count_for
from prover.shaped.model import ShapeGenerator
from prover.training.evaluate_neighbours import Library
from prover.training.steps import WantedStep
from retriever.lean.evaluation.pool import HeldOutGoal
from retriever.lean.evaluation.rankers import RankedMethod, score, served_method
from retriever.lean.evaluation.session import EvaluationSession, encode_questions, open_session
from retriever.lean.features import load_fusion
from retriever.lean.index.steps import step_vectors
from retriever.lean.near_steps import NEAREST
from retriever.lean.theorems import is_theorem
from retriever.models.text import readable

_PREMISES = 16
"""How many theorems tactics are made from, as in a suggestion."""
_MADE = 64
"""How many tactics of each source are kept; more than are ever tried."""
_GENERATED = 8


@dataclass(frozen=True)
class Sources:
    """All that proposes tactics at the goals of one library."""

    session: EvaluationSession
    method: RankedMethod
    known: Library
    closers: tuple[str, ...]
    generators: Sequence[TacticGenerator]

    @classmethod
    def open(
        cls,
        encoder: Path,
        dataset: Path,
        definitions: Path,
        cache: Path | None,
        known: Library,
        closers: tuple[str, ...],
        generators: Sequence[TacticGenerator],
    ) -> Sources:
        """Load the model's folder, the dataset, and its records' definitions. Raises ModelError, BadRecords."""
        weights = load_fusion(encoder)
        session = open_session(encoder, dataset, cache, weights.bm25, definitions)
        method = served_method(session.pool, encoder, weights)
        return cls(session, method, known, closers, generators)

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {name: number for number, name in enumerate(self.session.pool.names)}

    def propose(
        self, steps: Sequence[WantedStep], generated: frozenset[str]
    ) -> Iterator[list[list[Candidate]]]:
        """For each step, in order, the lists of all sources, best first.

        `generated`: the theorems whose goals generators that decode (which takes long) get, too.
        """
        if not steps:
            return
        questions = [step.question(self.session.pool, self._numbers) for step in steps]
        encoded = encode_questions(self.session, questions)
        vectors = step_vectors(self.session.encoder, [readable(step.goal) for step in steps])
        nearest = self.known.nearest(steps, vectors, NEAREST, whole=False)
        templates = Templates(has_mathlib=bool(self.closers))
        for step, question, state, near in zip(steps, questions, encoded, nearest, strict=True):
            theorems, definitions = self._premises(question, state)
            usable = [*theorems, *definitions]
            made = proposed([templates, FinishingTactics(self.closers)], step.goal, usable, _MADE)
            where = AskedNeighbours(step.goal, step.module, step.theorem)
            lists = [made, neighbour_candidates(where, near, theorems, _MADE)]
            for generator in self.generators:
                if isinstance(generator, ShapeGenerator) or step.theorem in generated:
                    found = generator.generate([step.goal], theorems, count=count_for(generator, _GENERATED))
                    lists.append(as_candidates(found))
            yield lists

    def _premises(self, question: HeldOutGoal, state: Floats) -> tuple[list[Premise], list[Premise]]:
        theorems = self._ranked(question, state)
        others = [one for one in self._ranked(replace(question, kinds="all"), state) if not is_theorem(one)]
        return theorems[:_PREMISES], definitions_to_try(question.goal, others[:DEFINITIONS])

    def _ranked(self, question: HeldOutGoal, state: Floats) -> list[Premise]:
        pool, corpus = self.session.pool, self.session.dataset.corpus
        [scored] = score(pool, self.session.vectors, state, question, ["importable"])
        return [corpus[number] for number in self.method.ranking(scored)]
