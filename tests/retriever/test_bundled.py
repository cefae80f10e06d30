from __future__ import annotations

import errno
import hashlib
import json
import lzma
import multiprocessing
import os
import shutil
import time
from pathlib import Path

import numpy as np
import pytest

from lean_extract.common.errors import IndexDamaged, IndexMissing, IndexWriteFailed, ModelError
from retriever.lean.eligibility import RankRequest
from retriever.lean.index import bundle_parts, bundled
from retriever.lean.index.build import update_index
from retriever.lean.index.bundle_parts import UNUSED_STEP
from retriever.lean.index.view import LeanView, proof_graph
from retriever.lean.service import PremiseService
from retriever.lean.text_search import search
from retriever.lean.words.vocabulary import word_tokens
from retriever.models.encoder import Encoder
from retriever.search.index.segment import Segment
from retriever.search.index.store import IndexStore
from retriever.search.index.view import LiveNames
from tests.retriever.failing_writes import refusing
from tests.retriever.support import COMMUTES, make_store
from tests.retriever.test_service import MATHLIB


@pytest.fixture
def data(tmp_path: Path, encoder: Encoder) -> Path:
    """A packed index as the package ships one."""
    proofs = {"Set.mem_union": ["add_comm'"]}
    uses = {"add_comm'": 5}
    store = make_store(tmp_path / "built", MATHLIB, encoder, uses=uses, proofs=proofs, is_bundled=True)
    _, [(segment, _)] = store.open(encoder.fingerprint)
    bundled.pack(segment, tmp_path / "data", revision="v0", built_at="2026-01-01T00:00:00+00:00")
    return tmp_path / "data"


ROUNDED = ("vectors.npy", "scales.npy")


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a segment, without the mark that says when they were last read."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "checked"}


def test_packing_loses_nothing(tmp_path: Path, data: Path, encoder: Encoder) -> None:
    store = bundled.unpack(tmp_path / "cache", data)
    manifest, [(segment, _)] = store.open(encoder.fingerprint)
    assert segment.verify() == []
    original = Segment(next((tmp_path / "built" / "segments").iterdir()))
    before, after = contents(original.folder), contents(segment.folder)
    assert {name for name in before if before[name] != after[name]} == {"meta.json", *ROUNDED}
    assert before.keys() == after.keys()
    vectors, rounded = (one.vectors * one.scales[:, None] for one in (original, segment))
    assert np.linalg.norm(vectors - rounded, axis=1).max() < UNUSED_STEP / 1024 * vectors.shape[1] ** 0.5
    assert manifest.is_bundled and manifest.built_at.startswith("2026-01-01")


def test_no_statement_is_shipped(data: Path, tmp_path: Path, encoder: Encoder) -> None:
    store = bundled.unpack(tmp_path / "cache", data)
    for path in store.root.rglob("*"):
        if path.is_file():
            assert b"a + b" not in path.read_bytes() and "x ∈ s".encode() not in path.read_bytes()
    full = make_store(tmp_path / "full", MATHLIB, encoder)
    _, [(segment, _)] = full.open()
    with pytest.raises(ValueError, match="not to be shipped"):
        bundled.pack(segment, tmp_path / "other", revision="", built_at="")


def test_it_answers(data: Path, tmp_path: Path, model_folder: Path) -> None:
    service = PremiseService.open([bundled.unpack(tmp_path / "cache", data)], model_folder)
    [first, second] = service.rank(RankRequest(COMMUTES))
    assert first.premise.name == "add_comm'" and second.premise.name == "Set.mem_union"
    assert first.doc_url is not None and first.doc_url.endswith(
        "Mathlib/Algebra/Group/Basic.html#add_comm%27"
    )
    assert [source.is_bundled for source in service.freshness().sources] == [True]
    assert service.freshness().stale_files == ()


def test_leftovers_of_killed_processes_go(data: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    for name, age in ((".unpacking-old", 7200), (".unpacking-now", 0)):
        (cache / name).mkdir(parents=True)
        os.utime(cache / name, (time.time() - age,) * 2)
    store = bundled.unpack(cache, data)
    assert {path.name for path in cache.iterdir()} == {".unpacking-now", store.root.name}


def test_use_counts_come_back(data: Path, tmp_path: Path) -> None:
    assert bundled.use_counts(bundled.unpack(tmp_path / "cache", data)) == {"add_comm'": 5}


def test_what_proofs_use_reaches_an_index_of_the_library_itself(
    data: Path, tmp_path: Path, encoder: Encoder
) -> None:
    rows = bundled.proof_rows(bundled.unpack(tmp_path / "cache", data))
    root = tmp_path / "mathlib"
    root.mkdir()
    (root / "Sets.lean").write_text("theorem Set.mem_union : 1 = 1 := by omega\n")
    (root / "Sums.lean").write_text("theorem other : 1 = 1 := rfl\ntheorem add_comm' : 2 = 2 := rfl\n")
    update_index(root, IndexStore(tmp_path / "index"), encoder, proofs=rows)
    view = LeanView.open([IndexStore(tmp_path / "index")], encoder.fingerprint)
    graph = proof_graph(view, LiveNames.of(view))
    [user] = np.flatnonzero(graph.known)
    assert view.name(int(user)) == "Set.mem_union"
    assert [view.name(int(used)) for used in graph.uses] == ["add_comm'"]


def _unpack(cache: Path, data: Path, barrier: object, results: object) -> None:
    barrier.wait(30)  # type: ignore[attr-defined]
    store = bundled.unpack(cache, data)
    _, [(segment, _)] = store.open()
    results.put((str(store.root), segment.verify()))  # type: ignore[attr-defined]


def test_two_processes_may_unpack_at_once(data: Path, tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(2), context.Queue()
    cache = tmp_path / "cache"
    workers = [context.Process(target=_unpack, args=(cache, data, barrier, results)) for _ in range(2)]
    for worker in workers:
        worker.start()
    answers = [results.get(timeout=60) for _ in workers]
    for worker in workers:
        worker.join(30)
    assert answers[0] == answers[1] and answers[0][1] == []
    assert len(list(cache.iterdir())) == 1


@pytest.mark.parametrize("part", bundled.PARTS)
@pytest.mark.parametrize(("how", "reason"), [("cut", "cut off"), ("altered", "altered"), ("gone", "missing")])
def test_a_damaged_part_is_refused(data: Path, tmp_path: Path, part: str, how: str, reason: str) -> None:
    path = bundled.part_path(data, part)
    content = bytearray(path.read_bytes())
    content[50] ^= 1
    path.unlink()
    if how != "gone":
        path.write_bytes(content if how == "altered" else content[:-10])
    with pytest.raises(IndexDamaged, match=reason) as caught:
        bundled.unpack(tmp_path / "cache", data)
    assert path.name in caught.value.message and "Install" in caught.value.hint
    assert not (tmp_path / "cache").exists()


def change_card(data: Path, **changes: object) -> None:
    card = json.loads((data / bundled.CARD).read_text())
    (data / bundled.CARD).write_text(json.dumps(card | changes))


def test_what_an_older_version_packed_is_refused(data: Path, tmp_path: Path) -> None:
    card = {
        "fingerprint": "f",
        "revision": "v0",
        "sha256": 64 * "0",
        "premises": 2,
        "built_at": "",
        "lean": "",
    }
    (data / bundled.CARD).write_text(json.dumps(card))
    with pytest.raises(
        IndexDamaged, match=f"bundled.json is of form 1, this version reads form {bundled.FORM}"
    ) as caught:
        bundled.unpack(tmp_path / "cache", data)
    assert "python scripts/build_bundled.py" in caught.value.hint


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"parts": {"../names": 64 * "0"}}, "plain name"),
        ({"parts": {}}, "other parts"),
        ({"lean": 4}, "lean"),
    ],
)
def test_a_card_that_says_something_else_is_refused(
    data: Path, tmp_path: Path, changes: dict[str, object], reason: str
) -> None:
    change_card(data, **changes)
    with pytest.raises(IndexDamaged, match=reason):
        bundled.unpack(tmp_path / "cache", data)


def put_part(data: Path, part: str, content: bytes) -> None:
    """Replace a part by another one, with a card that agrees."""
    bundled.part_path(data, part).write_bytes(content)
    parts = bundled.read_card(data).parts
    change_card(data, parts=dict(parts) | {part: hashlib.sha256(content).hexdigest()})


def test_parts_that_do_not_unpack_to_what_was_packed_are_refused(
    data: Path, tmp_path: Path, encoder: Encoder
) -> None:
    store = make_store(tmp_path / "less", {"A": MATHLIB["Mathlib.Data.Set"]}, encoder, is_bundled=True)
    [(segment, _)] = store.open()[1]
    other = bundle_parts.pack(segment)
    huge = lzma.compress(bytes(1 << 29), preset=0)
    wrong = [(part, other[part]) for part in bundled.PARTS]
    wrong += [("terms", b"no archive"), ("terms", huge), ("names", lzma.compress(b"no arrays"))]
    for number, (part, content) in enumerate(wrong):
        changed = tmp_path / str(number)
        shutil.copytree(data, changed)
        put_part(changed, part, content)
        with pytest.raises(IndexDamaged, match="cannot be unpacked"):
            bundled.unpack(tmp_path / "cache", changed)
    assert list((tmp_path / "cache").iterdir()) == []


def test_another_encoder_changes_its_part_alone(data: Path, tmp_path: Path) -> None:
    [folder] = (tmp_path / "built" / "segments").iterdir()
    segment = Segment(folder)
    segment.vectors, segment.fingerprint = -np.asarray(segment.vectors), "another"
    bundled.pack(segment, tmp_path / "other", revision="v0", built_at="later")
    before, after = contents(data), contents(tmp_path / "other")
    assert {name for name in before if before[name] != after[name]} == {"vectors.npz.xz", bundled.CARD}


def test_new_words_of_docs_change_their_part_alone_and_are_found(
    data: Path, tmp_path: Path, model_folder: Path
) -> None:
    before = contents(data)
    written = {"Set.mem_union": word_tokens("Belonging to either of two collections.")}
    stated = dict.fromkeys(("add_comm'", "Set.mem_union"), word_tokens("swapping summands"))
    bundled.replace_docs(data, written, stated)
    after = contents(data)
    assert {name for name in before if before[name] != after[name]} == {"docs.npz.xz", bundled.CARD}
    service = PremiseService.open([bundled.unpack(tmp_path / "cache", data)], model_folder)
    found = search(service, "which elements belong to two collections")
    assert found[0].premise.name == "Set.mem_union"
    assert [one.premise.name for one in search(service, "swapping summands")] == ["add_comm'"]


def test_nothing_shipped_is_told(tmp_path: Path) -> None:
    with pytest.raises(IndexMissing):
        bundled.unpack(tmp_path / "cache", tmp_path)


def test_a_full_disk_leaves_nothing_behind(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "rename", refusing(errno.ENOSPC))
    with pytest.raises(IndexWriteFailed, match="the disk is full"):
        bundled.unpack(tmp_path / "cache", data)
    assert not list((tmp_path / "cache").iterdir())


def test_an_interrupted_unpacking_leaves_nothing_behind(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        bundled.unpack(tmp_path / "cache", data)
    assert not list((tmp_path / "cache").iterdir())
    monkeypatch.undo()
    assert bundled.unpack(tmp_path / "cache", data).verify() == []


def test_another_model_is_told(data: Path, encoder: Encoder) -> None:
    card = bundled.read_card(data)
    bundled.check_fits(card, encoder.fingerprint)
    with pytest.raises(ModelError, match="other"):
        bundled.check_fits(card, "other")
