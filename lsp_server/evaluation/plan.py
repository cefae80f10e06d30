"""The plan of an evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from lsp_server.evaluation.retrievers import RetrieverKind
from prover.evaluation.problems import Posed
from prover.search.result import SearchLimits

TacticsFrom = Literal["both", "templates", "generator"]


@dataclass(frozen=True, slots=True)
class ProblemSet:
    """A set of problems, and the project in which they are proved.

    `name`: what they are, for the reports. `project`: the folder that Lean runs in. `library`: the project
    whose premises are indexed. `stated_alone`: whether they are statements of their own, not theorems of
    files that compile. `has_proofs`: whether there are proofs of them to take an oracle's premises from.
    `on_minicore`: whether they stand on the mini core, which the packaged Lean alone has.
    """

    name: str
    posed: Sequence[Posed]
    project: Path
    library: Path
    stated_alone: bool = False
    has_proofs: bool = True
    on_minicore: bool = False


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
class EvaluationPlan:
    """How problems are to be proved.

    `premises`: how many are retrieved for a state. `generated`: how many tactics the generator writes for
    one. `generator` and `model` are folders or names on the hub; empty: what is shipped. `lean`: the
    command line of a Lean server; empty: found by itself.
    """

    retriever: RetrieverKind = "ours"
    tactics_from: TacticsFrom = "both"
    generator: str = ""
    model: str = ""
    download: bool = False
    premises: int = 16
    generated: int = 16
    passes: int = 1
    workers: int = 1
    limits: SearchLimits = field(default_factory=SearchLimits)
    lean: str = ""
