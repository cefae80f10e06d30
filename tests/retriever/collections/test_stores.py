"""A collection's store: what is indexed again, under kills, several writers, and damage."""

from __future__ import annotations

import json
import shutil
import signal
import struct
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import tokenizers

from lean_extract.common.errors import IndexDamaged, IndexMissing, ModelError
from lsp_server.engine import collections as kept
from lsp_server.engine.collections import OpenCollections, list_collections, remove_collection
from retriever.models.bag import MARK, BagEncoder, Terms, write_bag
from retriever.naturalproofs.backend import BACKEND, collection_of
from retriever.naturalproofs.splits import make_splits
from retriever.search.backend import Collection, Document
from retriever.search.collections.index import CollectionIndex
from retriever.search.collections.indexing import CollectionReport, index_collection
from retriever.search.collections.manifest import read_manifest
from retriever.search.index.store import IndexStore
from tests.retriever.failing_writes import run_killed
from tests.retriever.naturalproofs.corpora import gardens

WAIT = 60.0


def collection(version: str) -> Collection:
    """The gardens, every document of them saying which version it is."""
    found = collection_of(gardens(), make_splits(gardens(), 0), version)
    return replace(found, documents=tuple(replace(one, where=version) for one in found.documents))


def write(folder: Path, version: str, **more: Any) -> CollectionReport:
    return index_collection(BACKEND, Path("gardens.json"), folder, collection=collection(version), **more)


def version_of(folder: Path) -> str:
    """The version of what is read, of which there is one only."""
    index = CollectionIndex(folder, BACKEND)
    version = index.manifest.digest
    assert {hit.document.where for hit in index.search("roses in a garden with a pond", 50)} == {version}
    return version


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a collection that is indexed once."""
    monkeypatch.setenv("PREMISE_SUGGEST_INDEX", str(tmp_path))
    path = tmp_path / "collections" / "gardens"
    write(path, "first")
    return path


def background(act: Callable[[], Any], done: threading.Event | None = None) -> Callable[[], Any]:
    """Do something in a thread; what comes back waits for what it gives, or raises what it raised."""
    results: list[Any] = []

    def job() -> None:
        try:
            results.append(act())
        except BaseException as error:  # noqa: BLE001 - raised again by who asks
            results.append(error)
        finally:
            if done is not None:
                done.set()

    thread = threading.Thread(target=job, daemon=True)
    thread.start()

    def result() -> Any:
        thread.join(WAIT)
        assert results, "it waits for ever"
        if isinstance(results[0], BaseException):
            raise results[0]
        return results[0]

    return result


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.parametrize("flushes", [1, 20])
def test_after_a_kill_the_old_one_is_there_and_the_next_one_takes_its_place(
    folder: Path, flushes: int
) -> None:
    indexing = "from pathlib import Path; from tests.retriever.collections.test_stores import write; "
    assert run_killed(f"{indexing} write(Path({str(folder)!r}), 'second')", flushes) == -signal.SIGKILL
    assert version_of(folder) == "first"
    assert [one.digest for one in list_collections()[0]] == ["first"]
    write(folder, "third")
    assert version_of(folder) == "third"
    segments = {segment.name for segment in IndexStore(folder).manifest().segments}
    retired = set(IndexStore(folder).manifest().retired)
    assert set(names(folder / "segments")) == segments | retired, "what the killed one wrote is gone"


def test_where_it_is_stopped_nothing_changes(folder: Path) -> None:
    assert write(folder, "second", should_stop=lambda: True).update.stopped
    assert version_of(folder) == "first"


@pytest.mark.skipif(sys.platform == "win32", reason="no processes by SIGKILL")
def test_many_writers_leave_one_whole_collection(folder: Path) -> None:
    versions = [str(number) for number in range(8)]
    done = [background(partial(write, folder, version)) for version in versions]
    for wait in done:
        assert not wait().update.stopped
    assert version_of(folder) in versions
    assert names(folder.parent) == ["gardens"]


def test_what_is_open_is_read_as_it_was_until_it_is_opened_again(folder: Path) -> None:
    index = CollectionIndex(folder, BACKEND)
    snapshot = index.search("roses in a pond", 5)
    write(folder, "second")
    again = index.search("roses in a pond", 5)
    assert {hit.document.where for hit in snapshot} == {"first"}
    assert {hit.document.where for hit in again} == {"second"}
    assert [hit.document.key for hit in snapshot] == [hit.document.key for hit in again]


def test_a_server_is_told_what_was_removed_since(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find = kept.find_collection

    def finding(backend: str, name: str = "") -> Any:
        found = find(backend, name)
        remove_collection("gardens")
        return found

    monkeypatch.setattr(kept, "find_collection", finding)
    with pytest.raises(IndexMissing, match="no indexed collection gardens"):
        OpenCollections().get("naturalproofs", "gardens")


def test_one_removed_while_they_are_listed_does_not_hide_another(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = folder.with_name("aardvarks")
    write(other, "first")
    assert [one.name for one in list_collections()[0]] == ["aardvarks", "gardens"]

    def reading(path: Path) -> Any:
        if path == other:
            IndexStore(other).remove()
        return read_manifest(path)

    monkeypatch.setattr(kept, "read_manifest", reading)
    assert [one.name for one in list_collections()[0]] == ["gardens"]


def test_removing_leaves_nothing_and_twice_is_told(folder: Path) -> None:
    assert remove_collection("gardens") > 0
    assert names(folder.parent) == []
    with pytest.raises(IndexMissing, match="There is: none"):
        remove_collection("gardens")


@pytest.mark.skipif(sys.platform == "win32", reason="symlinks need rights")
def test_of_one_that_is_kept_elsewhere_the_link_alone_is_removed(folder: Path, tmp_path: Path) -> None:
    shutil.move(folder, tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert version_of(folder) == "first"
    remove_collection("gardens")
    assert names(folder.parent) == []
    assert version_of(tmp_path / "elsewhere") == "first"


def old_collection(folder: Path, tmp_path: Path) -> None:
    """The files of a collection as versions before stores wrote them."""
    shutil.rmtree(folder)
    folder.mkdir()
    manifest = {
        "version": 1,
        "name": "gardens",
        "backend": "naturalproofs",
        "source": str(tmp_path / "my trees"),
    }
    manifest |= {"digest": "0", "documents": 7, "model": "", "fingerprint": "", "sums": {}}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    for name in ("documents.jsonl", "postings.npz", "proofs.npz"):
        (folder / name).write_bytes(b"0")


def test_an_index_of_an_older_version_names_the_command_that_builds_it_again(
    folder: Path, tmp_path: Path
) -> None:
    old_collection(folder, tmp_path)
    [told] = list_collections()[1]
    assert "gardens was indexed by an older version" in told.message
    command = f"premise-suggest index --backend naturalproofs '{tmp_path / 'my trees'}' --name gardens"
    assert command in told.hint
    with pytest.raises(IndexDamaged, match="older version"):
        CollectionIndex(folder, BACKEND)
    write(folder, "second")
    assert version_of(folder) == "second"
    assert names(folder) == ["lock", "manifest.json", "segments"]


class CountingTowers:
    """Two towers that make a vector of a text's letters, and note what they read."""

    backend, fingerprint, reranker = "naturalproofs", "abcdabcdabcdabcd", None
    weights: ClassVar = {"BM25": 1.0, "dense": 1.0}

    def __init__(self) -> None:
        self.read: list[str] = []
        self.document = self
        self.dimension = 26

    def queries(self, texts: list[str]) -> np.ndarray:
        counts = [[text.lower().count(chr(97 + letter)) for letter in range(26)] for text in texts]
        vectors = np.array(counts, dtype=np.float32).reshape(len(texts), 26) + 0.01
        found: np.ndarray = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return found

    def documents(self, texts: list[str]) -> np.ndarray:
        self.read += texts
        return self.queries(texts)


def many(count: int, changed: frozenset[int] = frozenset()) -> Collection:
    documents = tuple(
        Document(f"key {n}", "d", f"t{n}", f"text {'other' if n in changed else n} {n * n}", "")
        for n in range(count)
    )
    everything = tuple(range(count))
    return Collection(documents, (), {"train": everything, "valid": (), "test": ()}, str(len(changed)))


def test_indexing_again_embeds_only_what_changed(tmp_path: Path) -> None:
    towers = CountingTowers()
    folder = tmp_path / "many"

    def index(found: Collection) -> CollectionReport:
        towers.read.clear()
        return index_collection(BACKEND, tmp_path, folder, towers, collection=found)  # type: ignore[arg-type]

    first = index(many(1000))
    assert (len(towers.read), first.update.documents) == (1000, 1000)
    [segment] = IndexStore(folder).manifest().segments
    again = index(many(1000))
    assert (towers.read, again.update.files_read) == ([], 0)
    changed = index(many(1000, frozenset([17])))
    assert towers.read == ["text other 289"]
    assert (changed.update.files_read, changed.update.documents) == (1, 1000)
    assert segment.name in {live.name for live in IndexStore(folder).manifest().segments}
    added = index(many(1002, frozenset([17])))
    assert towers.read == ["text 1000 1000000", "text 1001 1002001"] and added.update.documents == 1002
    removed = index(many(999, frozenset([17])))
    assert towers.read == [] and removed.update.documents == 999
    incremental = CollectionIndex(folder, BACKEND, towers)  # type: ignore[arg-type]
    fresh = tmp_path / "fresh"
    index_collection(BACKEND, tmp_path, fresh, towers, collection=many(999, frozenset([17])))  # type: ignore[arg-type]
    anew = CollectionIndex(fresh, BACKEND, towers)  # type: ignore[arg-type]
    for asked in ("text other", "text 998", "289"):
        found, expected = (
            {hit.document.key: round(hit.score, 4) for hit in one.search(asked, 5)}
            for one in (incremental, anew)
        )
        assert found == expected


def emptied(raw: bytearray) -> bytearray:
    return bytearray()


def of_an_unknown_method(raw: bytearray) -> bytearray:
    """The archive's directory says that its first member is compressed as nobody can."""
    at = raw.index(b"PK\x01\x02") + 10
    raw[at : at + 2] = struct.pack("<H", 9)
    return raw


def as_if_enciphered(raw: bytearray) -> bytearray:
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    return raw


def torn_inside(raw: bytearray) -> bytearray:
    """The first member begins with a block of a type that deflate does not have."""
    name, extra = struct.unpack_from("<HH", raw, 26)
    raw[30 + name + extra] = 0xFF
    return raw


Damage = Callable[[bytearray], bytearray]


def files_of(folder: Path) -> list[str]:
    """The files of a collection that damage could reach."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return [path.relative_to(folder).as_posix() for path in paths if path.name not in ("lock", "checked")]


def test_a_letter_that_is_another_is_told_in_every_file(folder: Path, tmp_path: Path) -> None:
    tried = files_of(folder)
    assert len(tried) > 15
    for number, name in enumerate(tried):
        copy = tmp_path / str(number) / "gardens"
        shutil.copytree(folder, copy)
        data = bytearray((copy / name).read_bytes())
        data[len(data) // 2] ^= 2
        (copy / name).write_bytes(data)
        with pytest.raises(IndexDamaged, match="collection gardens is damaged"):
            CollectionIndex(copy, BACKEND)


@pytest.mark.parametrize("about", [{}, {"name": 3}, {"name": "gardens", "documents": "many"}])
def test_a_manifest_that_says_nothing_of_a_collection_is_told(folder: Path, about: dict[str, Any]) -> None:
    path = folder / "manifest.json"
    values = json.loads(path.read_text(encoding="utf-8"))
    del values["sum"]
    path.write_text(json.dumps({**values, "about": about}), encoding="utf-8")
    with pytest.raises(IndexDamaged, match="gardens is damaged"):
        CollectionIndex(folder, BACKEND)


@pytest.mark.parametrize("damage", [emptied, of_an_unknown_method, as_if_enciphered, torn_inside])
def test_damage_inside_a_bag_is_told(tmp_path: Path, damage: Damage) -> None:
    words = tokenizers.models.WordLevel({"[UNK]": 0, MARK: 1, "gate": 2}, unk_token="[UNK]")
    table = np.ones((Terms(3, 1, 4).size, 8), dtype=np.float32)
    write_bag(tmp_path, tokenizers.Tokenizer(words).to_str(), table, max_length=8, pairs=4)
    assert BagEncoder.load(tmp_path).dimension == 8
    path = tmp_path / "terms.npz"
    path.write_bytes(damage(bytearray(path.read_bytes())))
    with pytest.raises(ModelError, match="is damaged"):
        BagEncoder.load(tmp_path)
