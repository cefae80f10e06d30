"""A collection's folder under Ctrl-C, kills, several writers, and damage."""

from __future__ import annotations

import os
import shutil
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tokenizers

from lean_extract.errors import IndexDamaged, IndexLocked, IndexMissing, ModelError
from lsp_server.engine import collections as kept
from lsp_server.engine.collections import OpenCollections, list_collections, remove_collection
from retriever.models.bag import MARK, BagEncoder, write_bag
from retriever.models.bag_terms import Terms
from retriever.naturalproofs.backend import BACKEND, collection_of
from retriever.naturalproofs.splits import make_splits
from retriever.search.collections.files import Stored, read_manifest, read_stored, remove_stored, write_stored
from retriever.search.collections.index import index_collection
from tests.retriever.naturalproofs.corpora import gardens

WAIT = 60.0

KILLED = """
import os, shutil, signal, sys
from pathlib import Path
from retriever.search.collections import files
from tests.retriever.collections.test_files import stored

moment, folder = sys.argv[1], Path(sys.argv[2])
rename, savez = Path.rename, files.np.savez
def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
def renaming(path, target):
    return die() if Path(target) == folder else rename(path, target)
if moment == "writing":
    files.np.savez = die
elif moment == "between":
    Path.rename = renaming
elif moment == "after":
    shutil.rmtree = die
files.write_stored(folder, stored("second"))
"""


def stored(version: str) -> Stored:
    """The gardens, every document of them saying which version it is."""
    collection = collection_of(gardens(), make_splits(gardens(), 0), version)
    made = index_collection(BACKEND, collection, "gardens", Path("gardens.json"))
    return replace(made, documents=tuple(replace(one, where=version) for one in made.documents))


def version_of(folder: Path) -> str:
    """The version of what is read, of which there is one only."""
    found = read_stored(folder)
    assert {one.where for one in found.documents} == {found.manifest.digest}
    return found.manifest.digest


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a collection that is indexed once."""
    monkeypatch.setenv("PREMISE_SUGGEST_INDEX", str(tmp_path))
    path = tmp_path / "collections" / "gardens"
    write_stored(path, stored("first"))
    return path


@pytest.fixture
def at_swap(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None]], None]:
    """Have something done once, when a writer has put the old folder aside and not yet the new one there."""

    def set_up(act: Callable[[], None]) -> None:
        rename, acts = Path.rename, [act]

        def renaming(path: Path, target: Path) -> Path:
            if Path(target) == folder and acts:
                acts.pop()()
            return rename(path, target)

        monkeypatch.setattr(Path, "rename", renaming)

    return set_up


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


def test_an_interrupt_between_the_renames_leaves_the_old_one(
    folder: Path, at_swap: Callable[[Callable[[], None]], None]
) -> None:
    at_swap(partial(signal.raise_signal, signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        write_stored(folder, stored("second"))
    assert version_of(folder) == "first"
    assert names(folder.parent) == ["gardens"]


@pytest.mark.parametrize(
    ("moment", "known"), [("writing", "first"), ("between", "first"), ("after", "second")]
)
@pytest.mark.parametrize("follows", ["read", "list", "ask", "write", "remove"])
def test_after_a_kill_the_next_one_finds_it_and_nothing_stays(
    folder: Path, moment: str, known: str, follows: str
) -> None:
    killed = kill_writer(moment, folder)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert len(names(folder.parent)) > 1 or not folder.exists()
    if follows == "read":
        assert version_of(folder) == known
    elif follows == "list":
        assert [one.digest for one in list_collections()[0]] == [known]
    elif follows == "ask":
        assert OpenCollections().get("naturalproofs", "").stored.manifest.digest == known
    elif follows == "remove":
        assert remove_collection("gardens") > 0
        assert list_collections() == ([], [])
        assert names(folder.parent) == []
        return
    write_stored(folder, stored("third"))
    assert version_of(folder) == "third"
    assert names(folder.parent) == ["gardens"]


def kill_writer(moment: str, folder: Path) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).parents[3]
    path = os.pathsep.join([str(root), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-c", KILLED, moment, str(folder)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_what_an_earlier_version_left_aside_is_found_too(folder: Path) -> None:
    folder.rename(folder.with_name(".gardens.k_3v9x0a.old"))
    other = folder.with_name(".gardens.v2.k_3v9x0a")  # of another name, which may be in the making
    other.mkdir()
    assert version_of(folder) == "first"
    assert names(folder.parent) == [other.name, "gardens"]


@pytest.mark.skipif(sys.platform == "win32", reason="watches flock")
def test_a_writer_at_its_swap_is_waited_for(
    folder: Path, at_swap: Callable[[Callable[[], None]], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    there, waited = threading.Event(), threading.Event()

    def pause() -> None:
        there.set()
        assert waited.wait(WAIT)

    at_swap(pause)
    writing = background(partial(write_stored, folder, stored("second")))
    assert there.wait(WAIT)
    set_at_flock(monkeypatch, waited)
    reading = background(partial(version_of, folder), waited)
    assert (writing(), reading()) == (None, "second")
    assert names(folder.parent) == ["gardens"]


@pytest.mark.skipif(sys.platform == "win32", reason="watches flock")
def test_of_two_writers_the_last_one_stays(
    folder: Path, at_swap: Callable[[Callable[[], None]], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    there, waited = threading.Event(), threading.Event()

    def pause() -> None:
        there.set()
        assert waited.wait(WAIT)

    at_swap(pause)
    first = background(partial(write_stored, folder, stored("second")))
    assert there.wait(WAIT)
    set_at_flock(monkeypatch, waited)
    second = background(partial(write_stored, folder, stored("third")), waited)
    assert (first(), second()) == (None, None)
    assert version_of(folder) == "third"
    assert names(folder.parent) == ["gardens"]


def set_at_flock(monkeypatch: pytest.MonkeyPatch, event: threading.Event) -> None:
    """Set an event where somebody is about to wait for a lock."""
    import fcntl

    flock = fcntl.flock

    def locking(handle: int, operation: int) -> None:
        event.set()
        flock(handle, operation)

    monkeypatch.setattr(fcntl, "flock", locking)


@pytest.mark.skipif(sys.platform == "win32", reason="no processes by SIGKILL")
def test_many_writers_leave_one_whole_collection(folder: Path) -> None:
    versions = [str(number) for number in range(8)]
    done = [background(partial(write_stored, folder, stored(version))) for version in versions]
    for wait in done:
        assert wait() is None
    assert version_of(folder) in versions
    assert names(folder.parent) == ["gardens"]


def test_what_is_indexed_again_while_it_is_read_is_read_as_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load, coming = np.load, [stored("second")]

    def loading(path: Path) -> Any:  # the documents are read by now
        if coming:
            write_stored(folder, coming.pop())
        return load(path)

    monkeypatch.setattr(np, "load", loading)
    assert version_of(folder) == "second"


def test_a_file_gone_meanwhile_is_not_told_as_damage(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load = np.load

    def loading(path: Path) -> Any:
        if folder.exists():
            remove_stored(folder)
        return load(path)

    monkeypatch.setattr(np, "load", loading)
    with pytest.raises(IndexMissing):
        read_stored(folder)


def test_what_changes_all_the_time_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load, again = np.load, stored("again")

    def loading(path: Path) -> Any:
        write_stored(folder, again)
        return load(path)

    monkeypatch.setattr(np, "load", loading)
    with pytest.raises(IndexLocked, match="gardens is indexed again and again"):
        read_stored(folder)


def test_a_server_asks_in_the_moment_of_a_swap(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find = kept.find_collection

    def finding(backend: str, name: str = "") -> Any:
        found = find(backend, name)
        folder.rename(folder.with_name(".gardens.0123abcd.old"))
        return found

    monkeypatch.setattr(kept, "find_collection", finding)
    assert OpenCollections().get("naturalproofs", "gardens").stored.manifest.digest == "first"


def test_a_server_is_told_what_was_removed_since(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find = kept.find_collection

    def finding(backend: str, name: str = "") -> Any:
        found = find(backend, name)
        remove_stored(folder)
        return found

    monkeypatch.setattr(kept, "find_collection", finding)
    with pytest.raises(IndexMissing, match="no indexed collection gardens"):
        OpenCollections().get("naturalproofs", "gardens")


def test_one_removed_while_they_are_listed_does_not_hide_another(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = folder.with_name("aardvarks")
    made = stored("first")
    write_stored(other, replace(made, manifest=replace(made.manifest, name="aardvarks")))
    assert [one.name for one in list_collections()[0]] == ["aardvarks", "gardens"]

    def reading(path: Path) -> Any:
        if path == other:
            remove_stored(other)
        return read_manifest(path)

    monkeypatch.setattr(kept, "read_manifest", reading)
    assert [one.name for one in list_collections()[0]] == ["gardens"]


def test_removing_twice_is_told(folder: Path) -> None:
    remove_stored(folder)
    with pytest.raises(IndexMissing):
        remove_stored(folder)
    assert names(folder.parent) == []


@pytest.mark.skipif(sys.platform == "win32", reason="no umask")
@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o755), (0o002, 0o775), (0o077, 0o700)])
def test_others_may_read_it_as_far_as_the_umask_lets_them(folder: Path, mask: int, mode: int) -> None:
    before = os.umask(mask)
    try:
        write_stored(folder, stored("second"))
    finally:
        os.umask(before)
    assert folder.stat().st_mode & 0o777 == mode


@pytest.mark.skipif(sys.platform == "win32", reason="symlinks need rights")
def test_one_that_is_kept_elsewhere_is_indexed_again_here(folder: Path, tmp_path: Path) -> None:
    shutil.move(folder, tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    write_stored(folder, stored("second"))
    assert version_of(folder) == "second" and not folder.is_symlink()
    assert version_of(tmp_path / "elsewhere") == "first"
    assert names(folder.parent) == ["gardens"]


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


@pytest.mark.parametrize("damage", [emptied, of_an_unknown_method, as_if_enciphered, torn_inside])
@pytest.mark.parametrize("name", ["postings.npz", "proofs.npz"])
def test_damage_inside_an_archive_is_told(folder: Path, name: str, damage: Damage) -> None:
    path = folder / name
    path.write_bytes(damage(bytearray(path.read_bytes())))
    with pytest.raises(IndexDamaged, match="gardens is damaged"):
        read_stored(folder)


@pytest.mark.parametrize("name", ["documents.jsonl", "postings.npz", "proofs.npz"])
def test_a_letter_that_is_another_is_told(folder: Path, name: str) -> None:
    path = folder / name
    data = bytearray(path.read_bytes())
    place = data.index(b"a", len(data) // 2) if name == "documents.jsonl" else len(data) // 2
    data[place] ^= 2
    path.write_bytes(data)
    with pytest.raises(IndexDamaged, match=f"{name} was altered"):
        read_stored(folder)


@pytest.mark.parametrize("name", ["manifest.json", "documents.jsonl", "postings.npz", "proofs.npz"])
def test_a_pipe_in_the_place_of_a_file_is_told(folder: Path, name: str) -> None:
    (folder / name).unlink()
    os.mkfifo(folder / name)
    with pytest.raises(IndexDamaged, match="gardens"):
        read_stored(folder)


def test_a_manifest_of_endless_depth_is_told(folder: Path) -> None:
    (folder / "manifest.json").write_text("[" * 1_000_000, encoding="utf-8")
    with pytest.raises(IndexDamaged, match="gardens is damaged"):
        read_stored(folder)


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
