"""The premises of an evaluation: from an index that holds nothing of the problems' own proofs, by the retrievers to
compare.

They are `none`, BM25, the embedding, the full retriever (ours), and an oracle: ours with the premises of the problem's
own proof first. All but the first choose from the same premises: those that the problem's imports reach, and those
above it in its file. Other problems that were stated on their own are never among them.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from lean_extract.common.files.reading import read_source
from lean_extract.common.files.settings_files import settings_text
from lean_extract.records import Goal, NearStep, Premise
from lean_extract.source.open_file import uses_in
from lean_extract.source.projects.packages import MANIFEST
from lean_extract.source.projects.project import Project, find_sources, library_folders, module_of
from lean_extract.source.reader import SourceModule, read_file, read_module
from lean_extract.toolchains.toolchain import Toolchain, project_oleans
from lean_extract.traced.extract import trace_proof
from lean_extract.traced.ilean import Ilean, read_ilean
from lsp_server.documents.goal_positions import goal_context, text_to_line
from lsp_server.engine.freshness import MATHLIB
from lsp_server.engine.stores import (
    Progress,
    ShouldStop,
    bundled_store,
    holds_premises,
    index_folder,
    needs_mathlib,
    shared_folder,
)
from prover.candidates import Candidate
from prover.mentions import DEFINITIONS, SearchedDefinitions
from prover.neighbours.features import StepQuery
from prover.neighbours.proposals import candidates
from prover.search.problems import Problem
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
from retriever.lean.index.build import update_index
from retriever.lean.index.bundled import proof_rows, use_counts
from retriever.lean.index.content import NO_PROOFS
from retriever.lean.ranker.model import TreeRanker
from retriever.lean.service import PremiseService
from retriever.lean.theorems import is_theorem
from retriever.models.encoder import PremiseEncoder
from retriever.models.reranker import DEPTH, Reranker
from retriever.search.index.proof_columns import ProofRows, hash_names
from retriever.search.index.store import IndexStore

RetrieverKind = Literal["none", "bm25", "dense", "ours", "oracle"]
RETRIEVERS: tuple[RetrieverKind, ...] = get_args(RetrieverKind)
"""Where an evaluation's premises come from."""
_MOST_HIDDEN = 100
"""How many hidden premises may rank above those that are given."""
_IN_SCOPE = Allowed(in_scope=True)
_COLUMNS: dict[RetrieverKind, str] = {"bm25": "lexical", "dense": "dense"}


def evaluation_stores(
    library: Path,
    problems: Collection[str],
    encoder: PremiseEncoder,
    progress: Progress,
    should_stop: ShouldStop,
) -> list[IndexStore]:
    """Update the stores that answer for a library, and return them.

    Proofs of the problems (full names) neither vote in them nor count as uses, and no tactics are taken
    from them. Raises IndexLocked, IndexWriteFailed, IndexMissing, IndexDamaged.
    """
    wants_mathlib = needs_mathlib(library)
    bundled = bundled_store() if wants_mathlib else None
    uses: Mapping[str, int] = {}
    proofs = NO_PROOFS
    if bundled is not None:
        uses, proofs = without_owners(use_counts(bundled), proof_rows(bundled), problems)
    own = IndexStore(_folder(library, problems))
    update_index(
        library,
        own,
        encoder,
        progress=progress,
        should_stop=should_stop,
        shared=shared_folder(),
        uses=uses,
        proofs=proofs,
        unread=frozenset(problems),
    )
    if bundled is None or holds_premises(own, MATHLIB):
        return [own]
    return [own, bundled] if bundled.manifest().fingerprint == encoder.fingerprint else [own]


def without_owners(
    uses: Mapping[str, int], rows: ProofRows, names: Collection[str]
) -> tuple[dict[str, int], ProofRows]:
    """The use counts and rows without the proofs of these theorems."""
    lengths = np.diff(rows.starts)
    removed = np.isin(rows.owners, hash_names(names))
    used_removed = np.repeat(removed, lengths)
    lost = Counter(rows.used[used_removed].tolist())
    starts = np.concatenate([[0], np.cumsum(lengths[~removed])]).astype(np.int64)
    kept = ProofRows(rows.owners[~removed], starts, rows.used[~used_removed])
    if not lost:
        return dict(uses), kept
    hashes = hash_names(uses).tolist()
    counts = {
        name: max(0, count - lost.get(name_hash, 0))
        for (name, count), name_hash in zip(uses.items(), hashes, strict=True)
    }
    return counts, kept


def library_digest(library: Path) -> str:
    """A hash of the library's own files and of the packages in its manifest. Raises BadSource."""
    found = hashlib.sha256()
    found.update(settings_text(library / MANIFEST, (os.path.realpath(library),)).encode())
    for source in find_sources(library).sources:
        if source.revision is None:
            found.update(f"{source.module}\0".encode())
            found.update(source.path.read_bytes())
    return found.hexdigest()[:16]


def _folder(library: Path, problems: Collection[str]) -> Path:
    key = hashlib.sha256("\0".join([str(library.resolve()), *sorted(problems)]).encode()).hexdigest()[:12]
    return index_folder() / "evaluation" / f"{library.name}-{key}"


def open_service(
    stores: Sequence[IndexStore], model: Path, encoder: PremiseEncoder, kind: RetrieverKind
) -> PremiseService:
    """The service that ranks as this retriever does. Raises ModelError, IndexMissing, IndexDamaged."""
    fusion = load_fusion(model)
    if kind in _COLUMNS:
        weights = tuple(float(name == _COLUMNS[kind]) for name in FEATURES)
        return PremiseService(stores, encoder, replace(fusion, weights=weights))
    reranker = Reranker.of_model(model, threads=1)
    return PremiseService(stores, encoder, fusion, reranker, DEPTH, TreeRanker.of_model(model))


@dataclass(frozen=True, slots=True)
class Retrieval:
    """One retriever for the goals of problems; safe to use from several tasks.

    `service`: ranks the premises of its index. `project`: the one that Lean runs in. `count`: how many theorems a
    goal gets. `hidden`: full names that are never offered. `problems`: full names of the problems, whose proofs
    give no tactics. `reference`: gives the names that a problem's own proof uses, in order, for the oracle.
    """

    kind: RetrieverKind
    service: PremiseService
    project: Project
    count: int
    hidden: frozenset[str]
    problems: frozenset[str]
    reference: Callable[[Problem], Sequence[str]]

    def context_of(self, problem: Problem) -> GoalContext:
        """What a problem can use: its imports, and the declarations above it in its file."""
        theorem = problem.theorem
        position = GoalPosition(theorem.path, problem.text_seen, theorem.position)
        text = text_to_line(position)
        source = read_module(text, module_of(theorem.path, self.project), str(theorem.path))
        return goal_context(source, text, theorem.position.line)

    def best(
        self, problem: Problem, context: GoalContext, goal: Goal, count: int, kinds: Kinds
    ) -> list[Premise]:
        """The best premises of these kinds, without those that are hidden from the problem."""
        hidden = self.hidden | {problem.full_name}
        most = count + min(len(self.hidden), _MOST_HIDDEN) + 1
        ranked = self.service.rank(RankRequest(goal, context, most, kinds, _IN_SCOPE))
        left = [one for one in ranked if one.premise.name not in hidden and self._fits(one)]
        return [one.premise for one in left[:count]]

    def _fits(self, one: RankedPremise) -> bool:
        """Whether its retriever has a score for it; without a common word, BM25 has none."""
        return one.in_scope is not False and (self.kind != "bm25" or one.score > 0)

    def used(self, problem: Problem, context: GoalContext) -> list[Premise]:
        """The premises of the problem's own proof that the others could also have offered, in order of first use."""
        names = [name for name in self.reference(problem) if name not in self.hidden]
        own = {premise.name: premise for premise in own_premises(context, "all", None)}
        snapshot = self.service.snapshot()
        offered = offered_premises(snapshot, context, "all", len(own), _IN_SCOPE)
        scope = scope_of(snapshot, context)
        found: list[Premise] = []
        for name, number in zip(names, snapshot.names.find_names(names).tolist(), strict=True):
            if name in own:
                found.append(own[name])
            elif number >= 0 and offered[number] and (scope is None or scope[number]):
                found.append(snapshot.view.premise(number))
        return found


class ProblemPremises:
    """The premises for the goals of one problem; also a `CandidateSource` of the tactics of known proofs."""

    def __init__(self, retrieval: Retrieval, problem: Problem) -> None:
        self._retrieval = retrieval
        self._problem = problem
        self._context = retrieval.context_of(problem)
        self._definitions = SearchedDefinitions(partial(self._best, count=DEFINITIONS, kinds="definitions"))

    async def retrieve(self, goal: Goal) -> Sequence[Premise]:
        """The premises that fit a goal, best first: theorems, then definitions."""
        return await asyncio.to_thread(self._ranked, goal)

    def candidates(self, goal: Goal, premises: Sequence[Premise], limit: int) -> list[Candidate]:
        """The tactics of known proofs at similar goals, adapted, best first; none of the problems' own proofs."""
        known = self.near(goal)
        query = StepQuery(goal, self._context.module or "", self._context.theorem or "")
        return candidates(query, known, [one for one in premises if is_theorem(one)], limit)

    def near(self, goal: Goal) -> list[NearStep]:
        """Known steps at similar goals, the nearest first; none of the problems' own proofs."""
        steps = self._retrieval.service.near_steps(goal, self._context)
        return [step for step in steps if step.theorem not in self._retrieval.problems]

    def _ranked(self, goal: Goal) -> list[Premise]:
        count, names = self._retrieval.count, {premise.name for premise in self._used}
        theorems = [premise for premise in self._best(goal, count, "theorems") if premise.name not in names]
        definitions = self._definitions.of(goal)
        return [
            *self._used,
            *theorems[: max(count - len(self._used), 0)],
            *(premise for premise in definitions if premise.name not in names),
        ]

    def _best(self, goal: Goal, count: int, kinds: Kinds) -> list[Premise]:
        return self._retrieval.best(self._problem, self._context, goal, count, kinds)

    @cached_property
    def _used(self) -> list[Premise]:
        """What the problem's own proof uses, for the oracle."""
        is_oracle = self._retrieval.kind == "oracle"
        return self._retrieval.used(self._problem, self._context) if is_oracle else []


class References:
    """The premises of the problems' own proofs.

    Args:
        project: the folder that Lean runs in, built.
        toolchain: the Lean that built it.
        is_known: whether a name is one of the library's.
    """

    def __init__(self, project: Path, toolchain: Toolchain, is_known: Callable[[str], bool]) -> None:
        folders = [*library_folders(project)]
        self._compiled = [project_oleans(project)] if toolchain.kind == "packaged" else folders
        self._is_known = is_known
        self._ileans: dict[str, Ilean | None] = {}
        self._modules: dict[Path, SourceModule] = {}

    def __call__(self, problem: Problem) -> Sequence[str]:
        """The names that the problem's own proof uses, in order of first use. Raises BadSource."""
        ilean = self._ilean(problem)
        declared = ilean.declared.get(problem.full_name) if ilean else None
        if ilean is not None and declared is not None:
            name, lines = problem.full_name, read_source(problem.theorem.path).split("\n")
            mentions = ilean.mentions().get(name, ())
            return trace_proof(name, declared, ilean.module, mentions, lines, ()).premises
        source = self._module(problem)
        proofs = [proof for proof in source.proofs if proof.theorem == problem.full_name]
        return next(uses_in(source, self._is_known, proofs), ())

    def _ilean(self, problem: Problem) -> Ilean | None:
        module = problem.module
        if module not in self._ileans:
            names = Path(*module.split(".")).with_suffix(".ilean") if module else Path("none.ilean")
            path = next((folder / names for folder in self._compiled if (folder / names).is_file()), None)
            self._ileans[module] = (
                None if path is None else read_ilean(path, read_source(problem.theorem.path))
            )
        return self._ileans[module]

    def _module(self, problem: Problem) -> SourceModule:
        path = problem.theorem.path
        if path not in self._modules:
            self._modules[path] = read_file(path, problem.module)
        return self._modules[path]
