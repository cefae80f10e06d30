"""What proves the problems of an evaluation: a Lean, the sources of tactics, and the index, by a plan."""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Literal

from lean_extract.session import LeanLimits, LeanSession
from lean_extract.source.projects.project import find_project
from lean_extract.toolchains import packaged
from lean_extract.toolchains.toolchain import Toolchain, project_oleans, resolve_lean
from lsp_server.commands.eval_premises import (
    ProblemPremises,
    References,
    Retrieval,
    RetrieverKind,
    evaluation_stores,
    library_digest,
    open_service,
)
from lsp_server.engine.generators import OpenGenerator
from lsp_server.engine.peak_memory import measured
from lsp_server.engine.proposing import make_proposer
from lsp_server.engine.settings import Settings
from lsp_server.engine.stores import Progress, model_folder, needs_mathlib
from prover.closers import MATHLIB_CLOSERS
from prover.generator.source import TacticGenerator
from prover.odds import shipped_odds
from prover.search.environment import Proposer, Shuffled
from prover.search.problems import Problem, digest
from prover.search.proving import AuthorFor, ProposerFor, Prove, Prover
from prover.search.run_folder import ProblemRow, RunDescription
from prover.search.search import SearchLimits
from prover.search.sets import ProblemSet
from retriever.models.encoder import Encoder
from retriever.search.index.store import IndexStore

if TYPE_CHECKING:
    from prover.served.client import ModelServer

log = logging.getLogger("premise_suggest")


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """How problems are to be proved.

    `premises`: how many are retrieved for a state. `generated`: how many tactics the generator writes for
    one. `generator` and `model` are folders or names on the hub; empty: what is shipped. `lean`: the
    command line of a Lean server; empty: found by itself. `served`: the settings of a model at a server, which
    writes proofs while the search runs; None: none is asked.
    """

    retriever: RetrieverKind = "ours"
    tactics_from: Literal["both", "templates", "generator"] = "both"
    generator: str = ""
    model: str = ""
    download: bool = False
    premises: int = 16
    generated: int = 16
    passes: int = 1
    workers: int = 1
    limits: SearchLimits = field(default_factory=SearchLimits)
    lean: str = ""
    served: Settings | None = None

    @property
    def has_generator(self) -> bool:
        """Whether a generator on this machine is used; a model at a server may be the only one."""
        return self.tactics_from == "both" or (self.tactics_from == "generator" and self.served is None)


@dataclass(frozen=True, slots=True)
class ProvingSetup:
    """All that proving a set's problems needs, but for the problems: what is sent to other processes.

    `problems`: the set, without its problems. `names`: their full names. `stores`: the folders of the indexes that
    hold nothing of their proofs; empty where no premises are retrieved. `plan`: how they are to be proved.
    """

    problems: ProblemSet
    names: tuple[str, ...]
    stores: tuple[Path, ...]
    plan: EvaluationPlan


@dataclass(frozen=True, slots=True)
class Prepared:
    """What proving needs: a Lean, the sources of tactics, and identifiers for both."""

    toolchain: Toolchain
    generator: TacticGenerator | None
    encoder: Encoder | None
    model: Path
    server: ModelServer | None = None


def prepare(
    problems: ProblemSet,
    plan: EvaluationPlan,
    generator: TacticGenerator | None,
    progress: Progress,
    stop: Event,
) -> Prepared:
    """Find Lean, compile the project unless Lake does that, and load the models."""
    # The mini core needs the packaged Lean, even if another Lean is installed.
    environment = {} if problems.on_minicore else os.environ
    toolchain = resolve_lean(problems.project, override=plan.lean or None, environment=environment)
    if toolchain.kind == "packaged":
        _compile_library(problems.project, progress, stop)
    folder = model_folder(plan.model, download=plan.download)
    encoder = None if plan.retriever == "none" else Encoder.load(folder)
    server = None if plan.served is None else OpenGenerator().server(plan.served)
    return Prepared(toolchain, generator, encoder, folder, server)


def _compile_library(root: Path, progress: Progress, stop: Event) -> None:
    """Compile a project for the packaged Lean. Files that Lean rejects are left out; their importers report it.

    Raises CompilationStopped once `stop` is set.
    """
    packaged.build_library(
        root,
        project_oleans(root),
        packaged.prepare(progress=lambda done, total, _: progress("core", done, total), stop=stop),
        lambda done, total, _: progress("library", done, total),
        rejected=lambda error: log.info("%s", error),
        stop=stop,
    )


def describe(problems: ProblemSet, plan: EvaluationPlan, prepared: Prepared) -> RunDescription:
    """The description of the run: everything that determines its results."""
    with_premises = prepared.encoder is not None
    settings: dict[str, str | int | float] = {
        "problems": problems.name,
        "data": digest(problems.posed),
        "library": library_digest(problems.library),
        "lean": prepared.toolchain.version,
        "retriever": plan.retriever,
        "premises": plan.premises if with_premises else 0,
        "encoder": prepared.encoder.fingerprint if prepared.encoder is not None else "",
        "tactics_from": plan.tactics_from,
        "generator": prepared.generator.fingerprint if prepared.generator is not None else "",
        "generated": plan.generated if prepared.generator is not None else 0,
        "seconds": plan.limits.seconds,
        "nodes": plan.limits.nodes,
        "tactics": plan.limits.tactics,
        "tactic_seconds": plan.limits.tactic_seconds,
        "odds": shipped_odds().fingerprint,
    }
    if prepared.server is not None and plan.served is not None:
        from lsp_server.commands.eval_served import settings_of  # with an HTTP client

        settings |= settings_of(prepared.server, plan.served)
    return RunDescription(settings, len(problems.posed), plan.passes)


def setup_of(
    problems: ProblemSet,
    plan: EvaluationPlan,
    prepared: Prepared,
    progress: Progress,
    stop: Event,
) -> ProvingSetup:
    """The set-up for a set's problems. Builds the index if premises are retrieved."""
    names = tuple(posed.full_name for posed in problems.posed if isinstance(posed, Problem))
    stores: Sequence[IndexStore] = ()
    if prepared.encoder is not None:
        stores = evaluation_stores(problems.library, names, prepared.encoder, progress, stop.is_set)
    roots = tuple(store.root for store in stores)
    return ProvingSetup(replace(problems, posed=()), names, roots, plan)


def proposers(setup: ProvingSetup, prepared: Prepared) -> tuple[ProposerFor, AuthorFor | None]:
    """The functions that make the proposer, and the author if there is one, for a problem and a pass."""
    plan = setup.plan
    extra = MATHLIB_CLOSERS if needs_mathlib(setup.problems.project) else ()
    retrieval = retrieval_of(setup, prepared)

    def proposer(problem: Problem, pass_number: int) -> Proposer:
        premises = None if retrieval is None else ProblemPremises(retrieval, problem)
        tactics = make_proposer(
            premises,
            extra=extra,
            source=plan.tactics_from,
            tactics=plan.limits.tactics,
            generator=prepared.generator,
            generated=plan.generated,
        )
        return Shuffled(tactics, pass_number - 1)

    if prepared.server is None or plan.served is None:
        return proposer, None
    from lsp_server.commands.eval_served import authors  # with an HTTP client

    return proposer, authors(prepared.server, plan.served, retrieval)


@asynccontextmanager
async def opened_prover(
    setup: ProvingSetup, prepared: Prepared, sources: tuple[ProposerFor, AuthorFor | None]
) -> AsyncIterator[Prove]:
    """What proves problems with a Lean of its own, which ends with the block. Raises LeanError."""
    problems, toolchain, (proposer_for, author_for) = setup.problems, prepared.toolchain, sources
    async with await LeanSession.start(problems.project, toolchain, LeanLimits()) as session:
        prover = Prover(
            session,
            toolchain,
            problems.project,
            proposer_for,
            setup.plan.limits,
            problems.stated_alone,
            author_for,
        )

        async def prove(problem: Problem, pass_number: int) -> ProblemRow:
            async with measured(session) as peak:
                row = await prover.prove(problem, pass_number)
            return replace(row, memory_mb=round(peak.megabytes), processes=peak.count)

        yield prove


def retrieval_of(setup: ProvingSetup, prepared: Prepared) -> Retrieval | None:
    """The retriever of the plan; None if it has none. Raises ModelError, IndexMissing, IndexDamaged."""
    if prepared.encoder is None:
        return None
    problems, plan = setup.problems, setup.plan
    stores = [IndexStore(root) for root in setup.stores]
    service = open_service(stores, prepared.model, prepared.encoder, plan.retriever)
    known = service.snapshot().names
    names = frozenset(setup.names)
    are_hidden = problems.stated_alone or problems.library != problems.project
    return Retrieval(
        plan.retriever,
        service,
        find_project(problems.project),
        plan.premises,
        names if are_hidden else frozenset(),
        names,
        References(problems.project, prepared.toolchain, lambda name: bool(known.find_names([name])[0] >= 0)),
    )
