"""A file of an index is damaged, one at a time: what it answers is right, or it says which file it is."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import prover
from lean_extract.common.errors import (
    IndexDamaged,
    IndexMissing,
    IndexUnreadable,
    IndexWriteFailed,
    ModelError,
)
from prover.generator.files import read_config
from retriever.lean.eligibility import RankRequest
from retriever.lean.features import load_fusion
from retriever.lean.index import bundled
from retriever.lean.service import PremiseService
from retriever.lean.text_search import search
from retriever.models.encoder import Encoder, fingerprint_of
from retriever.search.index import hnsw
from retriever.search.index.manifest import LiveSegment
from retriever.search.index.store import IndexStore
from tests.hostile.damages import DAMAGES, flip
from tests.retriever.failing_writes import refusing
from tests.retriever.support import COMMUTES, Sheet, content, make_store, theorem

pytest.importorskip("hnswlib")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="makes a FIFO")

GENERATOR = Path(prover.__path__[0]) / "data" / "generator"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, encoder: Encoder) -> Path:
    """A store with a segment of everything that one may have: records, exported names, doc strings, a graph."""
    sheet = [theorem("Nat.add_comm", "A", "n + m = m + n", "(n m : ℕ)", lines=(3, 4), doc="Sums.")]
    sheet += [theorem(f"B.le{i}", "A", f"a ≤ b + {i}", "(a b : ℕ)") for i in range(30)]
    store = IndexStore(tmp_path_factory.mktemp("whole"))
    with store.writer(encoder.fingerprint) as writer:
        made = content({"A": Sheet(sheet)}, encoder, uses={"B.le1": 2}, proofs={"B.le2": ["Nat.add_comm"]})
        made.aliases[0] = "add_comm"  # type: ignore[index]
        segment = writer.add(made)
        assert hnsw.build_graph(segment.folder, segment.vectors, segment.scales, hnsw.HnswParameters())
        writer.commit([LiveSegment(segment.folder.name)], complete=True)
    return store.root


def _files(whole: Path) -> Iterator[str]:
    """All but the marks of what was found whole, whose damage has the files read again."""
    found = (path for path in sorted(whole.rglob("*.*")) if path.is_file())
    return (str(path.relative_to(whole)) for path in found if path.suffix != ".checked")


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    """A copy of the store, to be damaged."""
    return Path(shutil.copytree(whole, tmp_path / "store"))


def without_sum(path: Path, **changes: object) -> None:
    """Change a document and drop its sum, as if written by hand, or by an older version."""
    values = json.loads(path.read_bytes())
    del values["sum"]
    path.write_text(json.dumps({**values, **changes}), encoding="utf-8")


def service_of(store: IndexStore, encoder: Encoder) -> PremiseService:
    return PremiseService([store], encoder, load_fusion(bundled.DATA.parent / "encoder"))


def _answers(store: IndexStore, encoder: Encoder) -> list[object]:
    service = service_of(store, encoder)
    ranked = service.rank(RankRequest(COMMUTES, k=40))
    return [ranked, search(service, "add_comm"), [store.open()[0].built_at]]


def test_every_damage_of_every_file_is_found(whole: Path, tmp_path: Path, encoder: Encoder) -> None:
    right = _answers(IndexStore(whole), encoder)
    files = list(_files(whole))
    assert len(files) > 28 and any(name.endswith("hnsw.bin") for name in files)
    tried = 0
    for name in files:
        for how, damage in DAMAGES.items():
            root = tmp_path / str(tried)
            shutil.copytree(whole, root)
            damage(root / name)
            store, path = IndexStore(root), root / name
            try:
                assert _answers(store, encoder) == right, f"{name} {how}: answered otherwise"
                assert "hnsw" in name, f"{name} {how}: was not found"
            except (IndexDamaged, IndexMissing) as error:
                assert path.name in error.message or (how, path.name) == ("gone", "manifest.json"), how
                assert "premise-suggest index" in error.hint
            if (how, path.name) != ("gone", "manifest.json"):
                found = store.verify()
                assert any(path.name in one for one in found) or path.name == "hnsw.json", f"{name} {how}"
            shutil.rmtree(root)
            tried += 1
    assert tried >= 300


def test_a_change_is_found_after_the_files_were_looked_at(copy: Path) -> None:
    """The mark of what was found whole is of the files as they were."""
    for path in copy.rglob("*.*"):
        os.utime(path, (1e9, 1e9))
    [folder] = (copy / "segments").iterdir()
    store, deadline = IndexStore(copy), 100
    while not (folder / "checked").exists():  # until the clock of the files has gone on
        store.open()
        deadline -= 1
        assert deadline
    flip(0.5, 1)(folder / "terms.txt")
    with pytest.raises(IndexDamaged, match=r"terms\.txt: was altered"):
        store.open()
    flip(0.5, 1)(folder / "terms.txt")
    assert store.open() and store.verify() == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("segments", [["../../elsewhere", []]]),
        ("segments", [["/etc", []]]),
        ("segments", [["..", []]]),
        ("segments", [["a", [-1]]]),
        ("segments", [["a", [0.5]]]),
        ("segments", [["a", []], ["a", []]]),
        ("segments", [[["a"], []]]),
        ("segments", {"a": []}),
        ("retired", ["../x"]),
        ("includes", ["packages/x"]),
        ("includes", [3]),
        ("includes", ["/x\0"]),
        ("fingerprint", "../../model"),
        ("fingerprint", None),
        ("complete", "yes"),
        ("pinned", 1),
        ("root", ["/"]),
        ("stats", {"A.lean": [1, float("nan")]}),
        ("stats", {"A.lean": [-1, 2]}),
        ("stats", {"A.lean": [10**40, 2]}),
        ("stats", {"A.lean": [1, 10**400]}),
        ("stats", [["A.lean", [1, 2]]]),
        ("more", 1),
    ],
)
def test_a_manifest_says_only_what_it_may(copy: Path, name: str, value: object) -> None:
    without_sum(copy / "manifest.json", **{name: value})
    with pytest.raises(IndexDamaged, match=r"manifest\.json"):
        IndexStore(copy).manifest()


def test_files_that_a_segment_does_not_have_are_not_dead(copy: Path) -> None:
    store = IndexStore(copy)
    [live] = store.manifest().segments
    without_sum(store.manifest_path, segments=[[live.name, [0]]])
    store.open()
    values = json.loads(store.manifest_path.read_bytes())
    store.manifest_path.write_text(json.dumps({**values, "segments": [[live.name, [1]]]}), encoding="utf-8")
    with pytest.raises(IndexDamaged, match=r"manifest\.json"):
        store.open()
    assert "manifest.json" in store.verify()[0]


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 100_000, "9" * 10_000, "\xff\xfe", '"\\ud800"', "null"]
)
@pytest.mark.parametrize("name", ["manifest.json", "meta.json", "files.json"])
def test_json_of_any_kind_is_damage(copy: Path, name: str, text: str) -> None:
    [path] = copy.rglob(name)
    path.write_text(text, encoding="latin-1")
    with pytest.raises(IndexDamaged, match=name.replace(".", r"\.")):
        IndexStore(copy).open()


def test_what_older_versions_wrote_is_read(whole: Path, copy: Path, encoder: Encoder) -> None:
    """Without sums of the documents themselves, and of the graph."""
    right = _answers(IndexStore(whole), encoder)
    for name, key in (("manifest.json", "sum"), ("meta.json", "sum"), ("hnsw.json", "sha256")):
        [path] = copy.rglob(name)
        values = json.loads(path.read_bytes())
        del values[key]
        path.write_text(json.dumps(values), encoding="utf-8")
    assert _answers(IndexStore(copy), encoder) == right and IndexStore(copy).verify() == []


@pytest.mark.parametrize("name", ["records.txt", "terms.txt"])
def test_a_file_altered_while_it_is_open_is_named(copy: Path, encoder: Encoder, name: str) -> None:
    """In place, as no writer of ours does: what fails because of it says so, and so does the next answer."""
    service = service_of(IndexStore(copy), encoder)
    [path] = copy.rglob(name)
    with path.open("r+b") as stream:
        stream.write(b"\xff" * min(200, path.stat().st_size))
    with pytest.raises(IndexDamaged, match=name):
        service.rank(RankRequest(COMMUTES))
    with pytest.raises(IndexDamaged, match=f"{name}:? was altered"):
        service.rank(RankRequest(COMMUTES))


def test_a_fault_of_ours_is_not_told_as_damage(whole: Path, encoder: Encoder) -> None:
    service = service_of(IndexStore(whole), encoder)
    with pytest.raises(IndexError), service.reading() as snapshot:
        snapshot.view.name(10**6)
    assert service.rank(RankRequest(COMMUTES))


@pytest.mark.parametrize("how", ["halved", "bit 0 at 0.5", "gone", "a folder", "a FIFO"])
@pytest.mark.parametrize("name", ["vectors.npy", "terms.txt", "meta.json", "manifest.json"])
def test_a_damaged_copy_of_the_bundled_index_heals_itself(
    tmp_path: Path, encoder: Encoder, packed: Path, name: str, how: str
) -> None:
    store = bundled.unpack(tmp_path / "cache", packed)
    before = service_of(store, encoder)
    right = before.rank(RankRequest(COMMUTES))
    [path] = store.root.rglob(name)
    told: list[str] = []
    bundle = bundled.read_card(packed)
    DAMAGES[how](path)
    if (how, name) != ("gone", "manifest.json"):
        assert any(name in one for one in bundled.verify_unpacked(tmp_path / "cache", bundle))
    if how in ("gone", "a folder", "a FIFO") and name != "manifest.json":
        assert before.rank(RankRequest(COMMUTES)) == right, "what is open stays open"
    healed = bundled.unpack(tmp_path / "cache", packed, told.append)
    assert len(told) == 1 and (name in told[0] or how == "gone")
    assert healed.verify() == [] and len(list((healed.root / "segments").iterdir())) == 1
    assert service_of(healed, encoder).rank(RankRequest(COMMUTES)) == right
    assert before.rank(RankRequest(COMMUTES)) == right, "who had the old one open goes on with the new one"
    assert bundled.unpack(tmp_path / "cache", packed, told.append).stamp() == healed.stamp()
    assert len(told) == 1 and len(list((tmp_path / "cache").iterdir())) == 1


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory, encoder: Encoder) -> Path:
    """A packed index as the package ships one."""
    folder = tmp_path_factory.mktemp("packed")
    sheets = {"A": Sheet([theorem(f"Nat.le{i}", "A", f"n + {i} = {i} + n", "(n : ℕ)") for i in range(20)])}
    store = make_store(folder / "built", sheets, encoder, is_bundled=True)
    [(segment, _)] = store.open()[1]
    bundled.pack(segment, folder / "data", revision="v0", built_at="2026-01-01T00:00:00+00:00")
    return folder / "data"


@pytest.mark.parametrize(("number", "said"), [(28, "the disk is full"), (30, "the file system is read-only")])
def test_a_copy_that_cannot_be_replaced_is_told(
    tmp_path: Path, packed: Path, monkeypatch: pytest.MonkeyPatch, number: int, said: str
) -> None:
    store = bundled.unpack(tmp_path / "cache", packed)
    [path] = store.root.rglob("terms.txt")
    flip(0.5, 0)(path)

    monkeypatch.setattr(os, "mkdir", refusing(number))
    with pytest.raises(IndexWriteFailed, match=said) as caught:
        bundled.unpack(tmp_path / "cache", packed)
    assert "terms.txt" in caught.value.message and caught.value.hint
    monkeypatch.undo()
    assert bundled.unpack(tmp_path / "cache", packed).verify() == []


def test_a_want_of_file_handles_is_no_damage(whole: Path, tmp_path: Path, packed: Path) -> None:
    stamps = (bundled.unpack(tmp_path / "cache", packed).stamp(), IndexStore(whole).stamp())
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        with pytest.raises(IndexUnreadable, match="Too many open files"):
            bundled.unpack(tmp_path / "cache", packed)
        with pytest.raises(IndexUnreadable, match="Too many open files"):
            IndexStore(whole).open()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert (bundled.unpack(tmp_path / "cache", packed).stamp(), IndexStore(whole).stamp()) == stamps


def test_vectors_are_not_read_as_something_else(copy: Path) -> None:
    """Another array of the same size, with sums that fit: no answer, and no exception of numpy's."""
    [path], [meta] = copy.rglob("scales.npy"), copy.rglob("meta.json")
    np.save(path, np.zeros((2, 2)))
    sums = json.loads(meta.read_bytes())["files"]
    sums["scales.npy"] = [path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest()]
    without_sum(meta, files=sums)
    with pytest.raises(IndexDamaged, match="differ in length"):
        IndexStore(copy).open()


@pytest.mark.parametrize(
    "how", ["a FIFO", "a folder", "emptied", "too deep", "infinite", "huge", "a list", "null"]
)
@pytest.mark.parametrize("name", ["encoder/config.json", "encoder/fusion.json", "generator/generator.json"])
def test_settings_of_a_model_that_cannot_be_are_told(tmp_path: Path, name: str, how: str) -> None:
    """A model's small JSON files; its large ones are looked at by the libraries that read them."""
    shipped = {"encoder": bundled.DATA.parent / "encoder", "generator": GENERATOR}
    source = shipped[name.partition("/")[0]] / Path(name).name
    path = tmp_path / Path(name).name
    shutil.copy(source, path)
    values = json.loads(source.read_text(encoding="utf-8"))
    numbers = values["weights"] if path.name == "fusion.json" else values
    number = next(key for key, value in numbers.items() if type(value) in (int, float) and key != "version")
    if how in DAMAGES:
        DAMAGES[how](path)
    elif how == "too deep":
        path.write_text("[" * 100_000)
    elif how == "a list":
        path.write_text("[]")
    else:
        value = {"infinite": 1e999, "huge": 10**400, "null": None}[how]
        numbers[number] = value
        path.write_text(json.dumps(values))
    readers = {"config.json": fingerprint_of, "fusion.json": load_fusion, "generator.json": read_config}
    with pytest.raises(ModelError) as caught:
        readers[path.name](tmp_path)
    assert path.name in caught.value.message and caught.value.hint


def test_a_document_without_a_sum_that_says_nonsense_is_damage(copy: Path, encoder: Encoder) -> None:
    """As indexes have them that were made before documents had sums."""
    [path] = copy.glob("segments/*/meta.json")
    without_sum(path, premises=-1)
    with pytest.raises(IndexDamaged, match=r"meta\.json"):
        IndexStore(copy).open()
    with IndexStore(copy).writer(encoder.fingerprint) as writer:
        assert writer.manifest.segments == ()
