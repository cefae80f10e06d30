from __future__ import annotations

import errno
import json
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from lean_extract.common.errors import IndexDamaged, IndexLocked, IndexMissing, IndexWriteFailed, ModelError
from lean_extract.records import Import
from retriever.lean.index.content import Flag, node_of, premise_of
from retriever.lean.scope import ModuleNode
from retriever.models.encoder import Encoder
from retriever.search.index.manifest import LiveSegment
from retriever.search.index.segment import Segment, merge
from retriever.search.index.store import IndexStore
from tests.retriever.failing_writes import refusing
from tests.retriever.support import Sheet, content, make_store, theorem

COMM = theorem("Nat.add_comm", "A", "n + m = m + n", "(n m : ℕ)", lines=(3, 4))
HIDDEN = theorem("Nat.hidden", "A", "0 = 0", is_private=True)
SHEETS = {
    "A": Sheet([COMM, HIDDEN], (Import("Empty"), Import("B", is_public=True, is_meta=True)), True),
    "Empty": Sheet([]),
    "B": Sheet(
        [
            theorem("B.le", "B", "a ≤ b", kind="lemma", doc="The order."),
            theorem("B.data", "B", "ℕ", kind="def"),
        ]
    ),
}


def names(store: IndexStore) -> set[str]:
    _, segments = store.open()
    return {name for segment, _ in segments for name in segment.names}


def test_a_segment_gives_back_what_was_put_in(tmp_path: Path, encoder: Encoder) -> None:
    store = make_store(tmp_path, SHEETS, encoder, uses={"B.le": 7})
    manifest, [(segment, live)] = store.open(encoder.fingerprint)
    assert manifest.complete and live.dead_files == ()
    assert [premise_of(segment, i, segment.files[f]) for i, f in enumerate(segment.file_numbers())] == [
        premise for sheet in SHEETS.values() for premise in sheet.premises
    ]
    assert [(f.module, f.start, f.stop) for f in segment.files] == [("A", 0, 2), ("Empty", 2, 2), ("B", 2, 4)]
    assert node_of(segment.files[0]) == ModuleNode(SHEETS["A"].imports, in_module_system=True)
    assert segment.columns["uses"].tolist() == [0, 0, 7, 0]
    assert segment.columns["lines"].tolist() == [3, -1, -1, -1]
    flags = [Flag.THEOREM, Flag.THEOREM | Flag.PRIVATE, Flag.THEOREM, Flag(0)]
    assert segment.columns["flags"].tolist() == flags
    vectors = segment.vectors * segment.scales[:, None]
    assert vectors[0] == pytest.approx(encoder.encode_premises([COMM])[0], abs=0.01)
    assert segment.verify() == []


def test_merging_drops_dead_files_and_keeps_the_rest(tmp_path: Path, encoder: Encoder) -> None:
    store = IndexStore(tmp_path)
    more = {"C": Sheet([theorem("C.mul", "C", "a * b = b * a", "(a b : ℤ)", doc="Products and the order.")])}
    with store.writer(encoder.fingerprint) as writer:
        first, second = writer.add(content(SHEETS, encoder)), writer.add(content(more, encoder))
        merged = writer.add(merge([(first, frozenset({0})), (second, frozenset())]))
        whole = writer.add(content({"Empty": SHEETS["Empty"], "B": SHEETS["B"], **more}, encoder))
    assert list(merged.names) == list(whole.names) == ["B.le", "B.data", "C.mul"]
    assert merged.files == whole.files
    for table in ("postings", "docs"):
        one, other = getattr(merged.tables, table), getattr(whole.tables, table)
        assert list(one.terms) == list(other.terms) and one.lengths.tolist() == other.lengths.tolist()
        for term in one.terms:
            assert [column.tolist() for column in one.find(term)] == [
                column.tolist() for column in other.find(term)
            ]
    assert [merged.raw_record(i) for i in range(3)] == [whole.raw_record(i) for i in range(3)]
    assert (merged.vectors == whole.vectors).all() and merged.kind_names == whole.kind_names


def test_no_index_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(IndexMissing, match="premise-suggest index"):
        IndexStore(tmp_path / "none").open()


@pytest.mark.parametrize("which", ["manifest.json", "segments/*/meta.json"])
def test_another_format_is_refused_and_then_replaced(tmp_path: Path, encoder: Encoder, which: str) -> None:
    store = make_store(tmp_path, SHEETS, encoder)
    path = next(tmp_path.glob(which))
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": 0}))
    with pytest.raises(IndexDamaged, match=r" 0, this version reads .* [15]\."):
        store.open()
    make_store(tmp_path, {"B": SHEETS["B"]}, encoder)
    assert names(store) == {"B.le", "B.data"}


def test_another_model_is_refused_by_name(tmp_path: Path, encoder: Encoder) -> None:
    store = make_store(tmp_path, SHEETS, encoder)
    with pytest.raises(ModelError) as caught:
        store.open("other-model")
    assert encoder.fingerprint in caught.value.message and "other-model" in caught.value.message
    assert "premise-suggest index" in caught.value.hint


def test_a_reader_outlives_the_segments_it_reads(tmp_path: Path, encoder: Encoder) -> None:
    store = make_store(tmp_path, SHEETS, encoder)
    _, [(segment, live)] = store.open()
    for _ in range(3):
        make_store(tmp_path, {"B": SHEETS["B"]}, encoder)
    assert not (tmp_path / "segments" / live.name).exists()
    assert premise_of(segment, 0, segment.files[0]) == COMM
    assert segment.vectors[1].any()


def test_dropped_segments_stay_for_one_more_write(tmp_path: Path, encoder: Encoder) -> None:
    store = make_store(tmp_path, SHEETS, encoder)
    first = store.manifest().segments[0].name
    make_store(tmp_path, {"B": SHEETS["B"]}, encoder)
    assert (tmp_path / "segments" / first).exists()
    make_store(tmp_path, {"B": SHEETS["B"]}, encoder)
    assert not (tmp_path / "segments" / first).exists()


def _write_and_wait(root: Path, folder: Path, ready: object, go_on: object) -> None:
    encoder = Encoder.load(folder)
    with IndexStore(root).writer(encoder.fingerprint) as writer:
        writer.add(content(SHEETS, encoder))
        ready.set()  # type: ignore[attr-defined]
        go_on.wait(30)  # type: ignore[attr-defined]


def test_two_writers_exclude_each_other_and_a_killed_one_leaves_the_index(
    tmp_path: Path, encoder: Encoder, model_folder: Path
) -> None:
    store = make_store(tmp_path, {"B": SHEETS["B"]}, encoder)
    context = multiprocessing.get_context("spawn")
    ready, go_on = context.Event(), context.Event()
    process = context.Process(target=_write_and_wait, args=(tmp_path, model_folder, ready, go_on))
    process.start()
    try:
        assert ready.wait(30)
        with pytest.raises(IndexLocked, match=f"process {process.pid}") as caught, store.writer("any"):
            pytest.fail("the lock was taken twice")
        assert caught.value.hint
        assert names(store) == {"B.le", "B.data"}  # Readers are not held up.
    finally:
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
    assert names(store) == {"B.le", "B.data"}
    assert len(list((tmp_path / "segments").iterdir())) == 2
    with store.writer(encoder.fingerprint):
        assert len(list((tmp_path / "segments").iterdir())) == 1  # What the killed one left is swept.


def test_a_writer_killed_within_a_file_leaves_the_index(
    tmp_path: Path, encoder: Encoder, model_folder: Path
) -> None:
    """SIGKILL at each of the writer's flushes in turn: always the old index or the new one, never half."""
    store = make_store(tmp_path, {"B": SHEETS["B"]}, encoder)
    script = textwrap.dedent(
        f"""
        import os, signal
        from pathlib import Path
        from retriever.models.encoder import Encoder
        from tests.retriever.test_store import SHEETS
        from tests.retriever.support import make_store

        encoder, flush = Encoder.load(Path({str(model_folder)!r})), os.fsync
        for stop_at in range(1, 60):
            child = os.fork()
            if child == 0:
                left = [stop_at]
                def counted(handle):
                    left[0] -= 1
                    if not left[0]:
                        os.kill(os.getpid(), signal.SIGKILL)
                    flush(handle)
                os.fsync = counted
                make_store(Path({str(tmp_path)!r}), SHEETS, encoder)
                os._exit(0)
            _, status = os.waitpid(child, 0)
            print(os.WIFSIGNALED(status), flush=True)
            from retriever.search.index.store import IndexStore
            _, segments = IndexStore(Path({str(tmp_path)!r})).open(encoder.fingerprint)
            print(sum(map(len, (segment for segment, _ in segments))), flush=True)
            if os.WIFEXITED(status):
                break
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    lines = done.stdout.split()
    killed, premises = lines[0::2], lines[1::2]
    assert killed[-1] == "False" and len(killed) > 15, "every flush but none after the last was hit"
    assert set(killed[:-1]) == {"True"}
    assert premises == sorted(premises) and set(premises) == {"2", "4"}
    assert names(store) == {"Nat.add_comm", "Nat.hidden", "B.le", "B.data"}


def test_a_file_that_cannot_grow_leaves_the_index_and_says_why(
    tmp_path: Path, encoder: Encoder, model_folder: Path
) -> None:
    """A limit on file sizes stands in for a full disk: the system itself refuses the write."""
    store = make_store(tmp_path, {"B": SHEETS["B"]}, encoder)
    stamp = store.stamp()
    process = multiprocessing.get_context("spawn").Process(
        target=_write_limited, args=(tmp_path, model_folder)
    )
    process.start()
    process.join(60)
    assert process.exitcode == 3
    assert store.stamp() == stamp and names(store) == {"B.le", "B.data"}
    assert not list((tmp_path / "segments").glob(".new-*"))


def _write_limited(root: Path, folder: Path) -> None:
    encoder = Encoder.load(folder)
    many = {"M": Sheet([theorem(f"M.t{i}", "M", f"{i} = {i} + 0") for i in range(500)])}
    prepared = content(many, encoder)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000))
    try:
        with IndexStore(root).writer(encoder.fingerprint) as writer:
            writer.add(prepared)
    except IndexWriteFailed as error:
        sys.exit(3 if "limit" in error.message and "untouched" in error.message and error.hint else 4)


def test_a_commit_that_fails_changes_nothing(
    tmp_path: Path, encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make_store(tmp_path, {"B": SHEETS["B"]}, encoder)
    before = store.manifest()
    with store.writer(encoder.fingerprint) as writer:
        segment: Segment = writer.add(content(SHEETS, encoder))
        monkeypatch.setattr(os, "fsync", refusing(errno.ENOSPC))
        with pytest.raises(IndexWriteFailed):
            writer.commit([LiveSegment(segment.folder.name)])
        assert writer.manifest == before
    assert store.manifest() == before
    assert not list(tmp_path.glob(".manifest*"))
