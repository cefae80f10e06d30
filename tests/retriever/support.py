"""Small parts that several of the retriever's tests build on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lean_extract.common.arrays import Floats
from lean_extract.records import Goal, Hypothesis, Import, Position, Premise, Span
from retriever.lean.features import load_fusion
from retriever.lean.index.build import update_index
from retriever.lean.index.content import content_of, kept_of
from retriever.lean.index.view import LeanView
from retriever.lean.service import PremiseService
from retriever.lean.tokens import name_tokens, premise_tokens
from retriever.models.encoder import Encoder, PremiseEncoder
from retriever.models.quantise import quantise
from retriever.search.index.manifest import LiveSegment
from retriever.search.index.meta import IndexedFile
from retriever.search.index.proof_columns import ProofRows
from retriever.search.index.segment_content import SegmentContent
from retriever.search.index.store import IndexStore
from retriever.search.indexing.corpus import EmbeddedSource
from retriever.search.indexing.report import IndexReport
from retriever.search.splits import split_of


def named_in(split: str, stem: str) -> str:
    """A name that begins with `stem` and falls into this part."""
    return next(name for number in range(10_000) if split_of(name := f"{stem}{number}") == split)


@dataclass(frozen=True)
class Sheet:
    """A module for the index: what it imports, and its premises."""

    premises: Sequence[Premise]
    imports: tuple[Import, ...] = ()
    in_module_system: bool = False
    package: str = ""


def theorem(
    name: str,
    module: str,
    conclusion: str,
    *context: str,
    kind: str = "theorem",
    lines: tuple[int, int] | None = None,
    is_private: bool = False,
    generated_from: str | None = None,
    doc: str | None = None,
) -> Premise:
    span = Span(Position(lines[0], 0), Position(lines[1], 9)) if lines else None
    return Premise(
        name,
        kind,
        module,
        context,
        conclusion,
        span,
        doc,
        is_private=is_private,
        generated_from=generated_from,
    )


def goal(target: str, *hypotheses: tuple[str, str]) -> Goal:
    return Goal(tuple(Hypothesis(tuple(names.split()), kind) for names, kind in hypotheses), target)


MODEL = Path(__file__).parent / "fixtures" / "encoder"
COMMUTES = goal("n + m = m + n", ("n m", "ℕ"))


def read_files(sheets: Mapping[str, Sheet], encoder: PremiseEncoder) -> list[EmbeddedSource[Premise]]:
    files = []
    for module, sheet in sheets.items():
        vectors, scales = quantise(encoder.encode_premises(sheet.premises))
        path = f"{module.replace('.', '/')}.lean"
        entry = IndexedFile(
            path, module, sheet.package, "", 1, 2, "0", 0, 0, kept_of(sheet.imports, sheet.in_module_system)
        )
        files.append(EmbeddedSource(entry, sheet.premises, vectors, scales))
    return files


def content(
    sheets: Mapping[str, Sheet],
    encoder: PremiseEncoder,
    *,
    uses: Mapping[str, int] | None = None,
    proofs: Mapping[str, Sequence[str]] | None = None,
    with_records: bool = True,
) -> SegmentContent:
    rows = ProofRows.of_names(proofs or {})
    tokens = premise_tokens if with_records else name_tokens
    return content_of(read_files(sheets, encoder), uses or {}, rows, with_records=with_records, tokens=tokens)


def make_store(
    root: Path,
    sheets: Mapping[str, Sheet],
    encoder: PremiseEncoder,
    *,
    uses: Mapping[str, int] | None = None,
    proofs: Mapping[str, Sequence[str]] | None = None,
    is_bundled: bool = False,
    project: str = "",
) -> IndexStore:
    """A store with one segment. `project`: the folder that it is the index of; empty: that of a fetched library."""
    store = IndexStore(root)
    with store.writer(encoder.fingerprint) as writer:
        made = content(sheets, encoder, uses=uses, proofs=proofs, with_records=not is_bundled)
        segment = writer.add(made)
        writer.commit([LiveSegment(segment.folder.name)], complete=True, is_bundled=is_bundled, root=project)
    return store


class CountingEncoder:
    """The real encoder, and how many premises it was asked for."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.dimension, self.fingerprint = encoder.dimension, encoder.fingerprint
        self.encode_state, self.encode_states, self.fit = (
            encoder.encode_state,
            encoder.encode_states,
            encoder.fit,
        )
        self.names: list[str] = []

    def encode_premises(self, premises: Sequence[Premise]) -> Floats:
        self.names += [premise.name for premise in premises]
        return self._encoder.encode_premises(premises)


@dataclass(frozen=True)
class Project:
    """A project `num`, the store of its index, and the encoder that reads it."""

    root: Path
    store: IndexStore
    encoder: CountingEncoder

    @classmethod
    def written(cls, folder: Path, encoder: CountingEncoder, **modules: str) -> Project:
        """A project with these modules of its library `Num`, not yet indexed."""
        project = cls(folder / "project", IndexStore(folder / "index"), encoder)
        (project.root / "Num").mkdir(parents=True)
        (project.root / "lakefile.toml").write_text('name = "num"\n[[lean_lib]]\nname = "Num"\n')
        for name, text in modules.items():
            project.write(name, text)
        return project

    def path(self, name: str) -> Path:
        """Where a module of the library is."""
        return self.root / "Num" / f"{name}.lean"

    def write(self, name: str, text: str) -> None:
        self.path(name).write_text(text)

    def index(self, **options: Any) -> IndexReport:
        """Bring the index up to date."""
        return update_index(self.root, self.store, self.encoder, **options)

    def view(self) -> LeanView:
        return LeanView.open([self.store], self.encoder.fingerprint)

    def names(self) -> set[str]:
        """All that the index holds."""
        view = self.view()
        return {view.name(number) for number in range(len(view)) if view.alive[number]}

    def service(self) -> PremiseService:
        return PremiseService([self.store], self.encoder, load_fusion(MODEL))
