"""Builds the bundled Mathlib index from extracted records and a trained encoder.

    python scripts/build_bundled.py RECORDS [--model FOLDER] [--work FOLDER] [--out FOLDER]
        [--revision NAME] [--lean VERSION] [--without NAMES]
    python scripts/build_bundled.py RECORDS --docs [--out FOLDER]

Resumable: modules that the work folder holds already are not embedded again. What is shipped has names,
modules, kinds, imports, embeddings, the tokens of names, the words of doc strings and of the statements of what
proofs often use, and what proofs use, but no text of statements or doc strings. Use counts and uses come from
the proofs of training theorems alone, so that they tell nothing about held-out ones; neither do the theorems of
`--without`, another benchmark's, nor their twins.

With `--docs`, only these words are made anew, for the premises that the bundle has.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from tqdm import tqdm

from lean_extract.common.errors import PremiseSuggestError
from lean_extract.records import Module, Premise, Proof, read_header, read_records
from retriever.lean.dataset.dataset import names_in
from retriever.lean.index import bundled
from retriever.lean.index.content import content_of, kept_of
from retriever.lean.tokens import name_tokens
from retriever.lean.words.doc_words import doc_words, statement_words
from retriever.models.encoder import Encoder
from retriever.models.quantise import quantise
from retriever.search.index.manifest import LiveSegment
from retriever.search.index.meta import IndexedFile
from retriever.search.index.proof_columns import ProofRows
from retriever.search.index.segment import Segment, merge
from retriever.search.index.segment_content import write_segment
from retriever.search.index.store import IndexStore
from retriever.search.indexing.corpus import EmbeddedSource
from retriever.search.splits import family_roots, split_of

PACKAGE = "mathlib"
MODULES_PER_STEP = 64
UNPROVED = "proof_wanted"
"""The one kind that is not shipped: nothing can use it."""


@dataclass(frozen=True)
class Library:
    """The records, by module."""

    modules: dict[str, Module]
    premises: dict[str, list[Premise]]
    uses: Counter[str]
    proofs: ProofRows


def read_library(path: Path, without: frozenset[str] = frozenset()) -> Library:
    modules: dict[str, Module] = {}
    premises: dict[str, list[Premise]] = defaultdict(list)
    uses: Counter[str] = Counter()
    shipped: list[Premise] = []
    proofs: dict[str, tuple[str, ...]] = {}
    for record in read_records(path):
        if isinstance(record, Module):
            modules[record.name] = record
        elif isinstance(record, Premise) and is_shipped(record):
            premises[record.module].append(record)
            shipped.append(record)
        elif isinstance(record, Proof):
            proofs[record.theorem] = record.premises
    roots = family_roots(shipped)
    barred = {roots.get(name, name) for name in without}
    family = {name: roots.get(name, name) for name in proofs}
    proofs = {
        name: used
        for name, used in proofs.items()
        if split_of(family[name]) == "train" and family[name] not in barred
    }
    for used in proofs.values():
        uses.update(set(used))
    known = {premise.name for premise in shipped}
    rows = ProofRows.of_names({name: sorted(known.intersection(used)) for name, used in proofs.items()})
    return Library(modules, premises, uses, rows)


def read_words(path: Path) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """What is written about premises, and the words of the statements of the others; by name."""
    by_module: dict[str, list[Premise]] = defaultdict(list)
    for record in read_records(path):
        if isinstance(record, Premise):
            by_module[record.module].append(record)
    written: dict[str, list[str]] = {}
    stated: dict[str, list[str]] = {}
    for premises in by_module.values():
        for premise, words in zip(premises, doc_words(premises), strict=True):
            written[premise.name] = words
            if not words and premise.conclusion:
                stated[premise.name] = statement_words(premise)
    return written, stated


def is_shipped(premise: Premise) -> bool:
    return not premise.is_private and premise.kind != UNPROVED


def embed_all(library: Library, revision: str, store: IndexStore, encoder: Encoder) -> None:
    with store.writer(encoder.fingerprint) as writer:
        segments = {live.name: store.segment(live.name) for live in writer.manifest.segments}
        done = {file.module for segment in segments.values() for file in segment.files}
        waiting = [name for name in sorted(library.modules) if name not in done]
        bar = tqdm(total=len(library.modules), initial=len(done), unit="module", mininterval=2)
        for step in steps(waiting):
            files = [embed(library, name, revision, encoder) for name in step]
            segment = writer.add(
                content_of(files, library.uses, library.proofs, with_records=False, tokens=name_tokens)
            )
            segments[segment.folder.name] = segment
            writer.commit([LiveSegment(name) for name in segments])
            bar.update(len(step))
        bar.close()


def steps(names: Sequence[str]) -> Iterator[list[str]]:
    rest = iter(names)
    while step := list(islice(rest, MODULES_PER_STEP)):
        yield step


def embed(library: Library, name: str, revision: str, encoder: Encoder) -> EmbeddedSource[Premise]:
    module, premises = library.modules[name], library.premises[name]
    vectors, scales = quantise(encoder.encode_premises(premises))
    path = f"{name.replace('.', '/')}.lean"
    head = (path, name, PACKAGE, revision, 0, 0, "")
    entry = IndexedFile(*head, 0, 0, kept_of(module.imports, module.in_module_system))
    return EmbeddedSource(entry, premises, vectors, scales)


def pack(store: IndexStore, out: Path, revision: str, lean: str) -> bundled.Bundle:
    _, parts = store.open()
    segments = sorted((segment for segment, _ in parts), key=lambda segment: segment.files[0].module)
    content = merge([(segment, frozenset()) for segment in segments])
    content = replace(content, files=[replace(file, revision=revision) for file in content.files])
    with tempfile.TemporaryDirectory(dir=store.root) as folder:
        write_segment(Path(folder), content, segments[0].fingerprint)
        built_at = datetime.now(UTC).isoformat(timespec="seconds")
        segment = Segment(Path(folder))
        return bundled.pack(segment, out, revision=revision, built_at=built_at, lean=lean)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("records", type=Path)
    parser.add_argument("--model", type=Path, default=bundled.DATA.parent / "encoder")
    parser.add_argument("--work", type=Path, default=Path("build/bundled"))
    parser.add_argument("--out", type=Path, default=bundled.DATA)
    parser.add_argument(
        "--revision", help="what to call the library's version (the records' own, if left out)"
    )
    parser.add_argument("--lean", default="", help="the Lean version that its `lean-toolchain` names")
    parser.add_argument("--without", type=Path, help="a file of theorem names whose proofs count nowhere")
    parser.add_argument(
        "--docs", action="store_true", help="only make the words of doc strings and statements anew"
    )
    options = parser.parse_args()
    try:
        if options.docs:
            bundled.replace_docs(options.out, *read_words(options.records))
            return 0
        revision = options.revision or read_header(options.records).revision
        encoder = Encoder.load(options.model)
        store = IndexStore(options.work)
        library = read_library(options.records, names_in(options.without))
        embed_all(library, revision, store, encoder)
        pack(store, options.out, revision, options.lean)
        bundle = bundled.replace_docs(options.out, *read_words(options.records))
    except PremiseSuggestError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    for name in bundle.parts:
        print(f"{name}: {bundled.part_path(options.out, name).stat().st_size / 1e6:.2f} MB")
    print(f"{bundle.premises} premises in {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
