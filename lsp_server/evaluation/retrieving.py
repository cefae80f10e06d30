"""The retrievers to compare: none, BM25, the embedding, the full retriever (ours), and an oracle.

The oracle is ours with the premises of the problem's own proof in front.

All but the first choose from the same premises: those that the problem's imports reach, and those above it in
its file. Other problems that were stated by themselves are never among them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path

from lean_extract.records import Goal, Premise
from lean_extract.source.projects.project import Project, find_project, module_of
from lean_extract.source.reader import read_module
from lsp_server.documents.goal_positions import goal_context, text_to_line
from lsp_server.evaluation.retrievers import RetrieverKind
from lsp_server.evaluation.tactics import Neighbours
from prover.candidates import Candidate
from prover.evaluation.problems import Problem
from prover.mentions import DEFINITIONS, definitions_to_try
from prover.neighbours.features import StepQuery
from prover.neighbours.proposals import candidates
from prover.search.proposals import Retrieve
from prover.verify import GoalPosition
from retriever.lean.eligibility import (
    Allowed,
    Kinds,
    RankedPremise,
    RankRequest,
    offered_premises,
    own_premises,
    scope_of,
)
from retriever.lean.features import FEATURES, load_fusion
from retriever.lean.goal_context import GoalContext
from retriever.lean.ranker.model import TreeRanker
from retriever.lean.service import PremiseService
from retriever.lean.theorems import is_theorem
from retriever.models.encoder import PremiseEncoder
from retriever.models.reranker import DEPTH, Reranker
from retriever.search.fusion import Fusion
from retriever.search.index.store import IndexStore

_MOST_HIDDEN = 100
"""How many hidden premises may rank above those that are given."""
_IN_SCOPE = Allowed(in_scope=True)
_COLUMNS: dict[RetrieverKind, str] = {"bm25": "lexical", "dense": "dense"}

ReferenceNames = Callable[[Problem], Sequence[str]]
"""The names of what a problem's own proof uses, in order."""


async def nothing(_: Goal) -> Sequence[Premise]:
    """No premises, whatever the goal."""
    return ()


def open_service(
    stores: Sequence[IndexStore], model: Path, encoder: PremiseEncoder, kind: RetrieverKind
) -> PremiseService:
    """The service that ranks as this retriever does. Raises ModelError, IndexMissing, IndexDamaged."""
    fusion = load_fusion(model)
    if kind in _COLUMNS:
        return PremiseService(stores, encoder, _only(fusion, _COLUMNS[kind]))
    reranker = Reranker.beside(model, threads=1)
    return PremiseService(stores, encoder, fusion, reranker, DEPTH, TreeRanker.beside(model))


def _only(fusion: Fusion, column: str) -> Fusion:
    return replace(fusion, weights=tuple(float(name == column) for name in FEATURES))


class ProblemRetriever:
    """Premises for the goals of problems, by one retriever; safe to use from several tasks.

    Args:
        service: ranks the premises of its index.
        project: the folder that Lean runs in.
        hidden: full names that are never offered.
        problems: full names of the problems, whose proofs give no tactics.
        reference: gives the premises of a problem's own proof, for the oracle.
    """

    def __init__(
        self,
        kind: RetrieverKind,
        service: PremiseService,
        project: Path,
        count: int,
        hidden: Collection[str],
        problems: Collection[str],
        reference: ReferenceNames,
    ) -> None:
        self._kind = kind
        self._service = service
        self._project: Project = find_project(project)
        self._count = count
        self._hidden = frozenset(hidden)
        self._problems = frozenset(problems)
        self._reference = reference

    def of(self, problem: Problem) -> Retrieve:
        """The function that retrieves premises for the goals of one problem."""
        known: list[GoalContext] = []
        used: list[list[Premise]] = []

        def retrieve(goal: Goal) -> Sequence[Premise]:
            if not known:
                known.append(self.context_of(problem))
                used.append(self._used(problem, known[0]) if self._kind == "oracle" else [])
            return self._ranked(goal, known[0], problem, used[0])

        async def in_thread(goal: Goal) -> Sequence[Premise]:
            return await asyncio.to_thread(retrieve, goal)

        return in_thread

    def neighbours_of(self, problem: Problem) -> Neighbours:
        """The function that adapts known proofs to the goals of one problem; none of other problems."""
        context = self.context_of(problem)

        def neighbours(goal: Goal, premises: Sequence[Premise], limit: int) -> list[Candidate]:
            steps = self._service.near_steps(goal, context)
            known = [step for step in steps if step.theorem not in self._problems]
            asked = StepQuery(goal, context.module or "", context.theorem or "")
            theorems = [premise for premise in premises if is_theorem(premise)]
            return candidates(asked, known, theorems, limit)

        return neighbours

    def context_of(self, problem: Problem) -> GoalContext:
        """What a problem can use: its imports, and the declarations above it in its file."""
        theorem = problem.theorem
        position = GoalPosition(theorem.path, problem.text_seen, theorem.position)
        text = text_to_line(position)
        source = read_module(text, module_of(theorem.path, self._project), str(theorem.path))
        return goal_context(source, text, theorem.position.line)

    def _ranked(
        self, goal: Goal, context: GoalContext, problem: Problem, first: list[Premise]
    ) -> list[Premise]:
        found = self._best(goal, context, self._count, "theorems", problem)
        definitions = definitions_to_try(goal, self._best(goal, context, DEFINITIONS, "definitions", problem))
        names = {premise.name for premise in first}
        others = [premise for premise in found if premise.name not in names]
        return [
            *first,
            *others[: max(self._count - len(first), 0)],
            *(premise for premise in definitions if premise.name not in names),
        ]

    def _best(
        self, goal: Goal, context: GoalContext, count: int, kinds: Kinds, problem: Problem
    ) -> list[Premise]:
        hidden = self._hidden | {problem.full_name}
        most = count + min(len(self._hidden), _MOST_HIDDEN) + 1
        ranked = self._service.rank(RankRequest(goal, context, most, kinds, _IN_SCOPE))
        left = [one for one in ranked if one.premise.name not in hidden and self._fits(one)]
        return [one.premise for one in left[:count]]

    def _fits(self, one: RankedPremise) -> bool:
        """Whether its retriever has a score for it; without a common word, BM25 has none."""
        return one.in_scope is not False and (self._kind != "bm25" or one.score > 0)

    def _used(self, problem: Problem, context: GoalContext) -> list[Premise]:
        """The premises of the problem's own proof that the others could also have offered, in order of first use."""
        names = [name for name in self._reference(problem) if name not in self._hidden]
        own = {premise.name: premise for premise in own_premises(context, "all", None)}
        snapshot = self._service.snapshot()
        offered = offered_premises(snapshot, context, "all", len(own), _IN_SCOPE)
        scope = scope_of(snapshot, context)
        found: list[Premise] = []
        for name, number in zip(names, snapshot.names.find_names(names).tolist(), strict=True):
            if name in own:
                found.append(own[name])
            elif number >= 0 and offered[number] and (scope is None or scope[number]):
                found.append(snapshot.view.premise(number))
        return found
