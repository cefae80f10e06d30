"""Names that `export` brings in: kept by the index beside the full name, found, shown and inserted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lean_extract.common.errors import IndexDamaged
from lean_extract.records import Goal, Premise
from lean_extract.source.reader import read_module
from lsp_server.engine.items import premise_item
from prover.candidates import Templates
from retriever.lean.eligibility import ranked_premise
from retriever.lean.index import bundled
from retriever.lean.index.view import LeanView
from retriever.lean.snapshot import NearbyUses
from retriever.models.encoder import Encoder
from retriever.search.index.segment import merge
from retriever.search.index.segment_content import ALIASES
from retriever.search.index.view import LiveNames
from tests.retriever.support import Sheet, make_store, theorem

ZERO_MUL = replace(theorem("C.zero_mul", "A", "0 * a = 0", "(a : M)", kind="field"), exported_as="zero_mul")
SHEETS = {
    "A": Sheet([theorem("first", "A", "a = a"), ZERO_MUL]),
    "B": Sheet([theorem("one_mul", "B", "b = b")]),
}


@pytest.mark.parametrize("with_records", [True, False])
def test_an_index_keeps_both_names(tmp_path: Path, encoder: Encoder, with_records: bool) -> None:
    store = make_store(tmp_path, SHEETS, encoder, is_bundled=not with_records)
    view = LeanView.open([store], encoder.fingerprint)
    assert LiveNames.of(view).find_names(["C.zero_mul", "zero_mul", "mul"]).tolist() == [1, 1, -1]
    assert (view.premise(1).name, view.premise(1).written) == ("C.zero_mul", "zero_mul")
    assert view.premise(0).written == "first"


def test_a_premise_of_that_very_name_counts_first(tmp_path: Path, encoder: Encoder) -> None:
    sheets = {**SHEETS, "D": Sheet([theorem("zero_mul", "D", "c = c")])}
    view = LeanView.open([make_store(tmp_path, sheets, encoder)], encoder.fingerprint)
    [number] = LiveNames.of(view).find_names(["zero_mul"]).tolist()
    assert view.name(number) == "zero_mul"


def test_merging_and_packing_lose_no_name(tmp_path: Path, encoder: Encoder) -> None:
    store = make_store(tmp_path / "a", SHEETS, encoder, is_bundled=True)
    _, [(segment, _)] = store.open(encoder.fingerprint)
    both = merge([(segment, frozenset({1})), (segment, frozenset({1}))])
    assert both.aliases == {1: "zero_mul", 3: "zero_mul"}
    assert merge([(segment, frozenset({0}))]).aliases == {}
    bundled.pack(segment, tmp_path / "data", revision="v0", built_at="")
    view = LeanView.open([bundled.unpack(tmp_path / "cache", tmp_path / "data")], encoder.fingerprint)
    assert view.aliases() == {"zero_mul": 1}


@pytest.mark.parametrize("content", ['[[7,"x"]]', "[[1]]", "{"])
def test_a_damaged_list_is_told(tmp_path: Path, encoder: Encoder, content: str) -> None:
    store = make_store(tmp_path, SHEETS, encoder)
    [path] = store.root.rglob(ALIASES)
    path.write_text(content.ljust(path.stat().st_size))
    with pytest.raises(IndexDamaged):
        store.open(encoder.fingerprint)


def test_either_name_in_a_proof_above_is_a_use(tmp_path: Path, encoder: Encoder) -> None:
    names = LiveNames.of(LeanView.open([make_store(tmp_path, SHEETS, encoder)], encoder.fingerprint))
    text = "theorem t : p := by\n  rw [zero_mul]\ntheorem u : p := C.zero_mul a"
    source = read_module(text, "Own", "Own.lean")
    for theorem_name in ("t", "u"):
        [(used,)] = NearbyUses(names).uses(source, {theorem_name})
        assert names.find_names([used]).tolist() == [1]


def test_an_export_of_the_open_file_itself(tmp_path: Path, encoder: Encoder) -> None:
    names = LiveNames.of(LeanView.open([make_store(tmp_path, SHEETS, encoder)], encoder.fingerprint))
    text = "namespace N\nclass K where\n  x : p\nexport K (x)\nend N\ntheorem t : p := N.x"
    source = read_module(text, "Own", "Own.lean")
    assert NearbyUses(names).uses(source, {"t"}) == [("N.K.x",)]


def test_it_is_shown_and_inserted_as_people_write_it() -> None:
    item = premise_item(ranked_premise(ZERO_MUL, "mathlib", 1.0, None))
    assert item.name == "zero_mul"
    assert item.doc_url is not None and item.doc_url.endswith("#C.zero_mul")
    tactics = [one.tactic for one in Templates().candidates(Goal((), "0 * x = 0"), [ZERO_MUL], 20)]
    assert tactics and any("zero_mul" in tactic for tactic in tactics)
    assert not any("C.zero_mul" in tactic for tactic in tactics)


def test_records_keep_it(tmp_path: Path) -> None:
    [_, field, *_] = read_module("class C where\n  x : p\nexport C (x)", "A", "A.lean").premises
    assert isinstance(field, Premise)
    assert (field.name, field.exported_as) == ("C.x", "x")
