"""Each reader on each shape of text, and on short pieces repeated: nothing hangs, and time grows with the length."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from lean_extract.records import Position
from lean_extract.session.document import LeanDocument
from lean_extract.session.places import guessed_edit
from lsp_server.documents.insertion import name_insertion
from tests.fuzz.targets import TARGETS, bytes_of, text_of
from tests.hostile.growth import assert_linear
from tests.hostile.shapes import FILES, Shape, pieces, repeated
from tests.hostile.tries.readers import LONGEST, Worker

_SIZE = 1 << 14
"""`python -m scripts.hostile` goes on to 1 MB; what is superlinear is so here as well."""
_QUICK = 0.3
"""Seconds of CPU time. What takes longer is measured at several lengths."""
_LONG = frozenset(("module", "document", "session", "steps", "tactic", "messages"))
"""Targets that read a text many times: they are tried with short pieces here, with their shapes by the script."""
_OF_DATA = frozenset(
    ("settings", "parameters", "manifest", "lakefile", "ilean", "records", "corpus", "pairs")
)
"""Targets that read JSON or TOML, for which a piece of Lean's is an error at its beginning."""
_ABOVE: dict[str, Shape] = {
    "comments": repeated("-- a\n"),
    "blank lines": repeated("\n"),
    "modifiers": repeated("private\n"),
    "a line of `by`": repeated("by "),
    "a line of brackets": repeated("( "),
    "attributes": FILES["attributes"],
    "theorems": FILES["theorems"],
}
_LINES = {
    "a word and a bracket": repeated("a", after="("),
    "words and a bracket": repeated("a.b ", after="("),
    "a word behind a space": repeated("a.", after=" "),
    "spaces": repeated(" ", before="x", after="("),
    "brackets": repeated(")", after="("),
}


def _read(name: str, text: str) -> None:
    with suppress(*TARGETS[name].allowed):
        TARGETS[name].run(text_of(bytes_of(text)))


def _seconds(work: Callable[[str], Any], text: str) -> float:
    began = time.thread_time()
    work(text)
    return time.thread_time() - began


@pytest.mark.parametrize("name", [name for name in TARGETS if name not in _LONG])
def test_every_shape_is_read_in_linear_time(name: str) -> None:
    read = partial(_read, name)
    for shape in TARGETS[name].shapes.values():
        if _seconds(read, shape(_SIZE)) > _QUICK:
            assert_linear(read, shape, 8 * _SIZE)


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    """A process that reads."""
    found = Worker()
    yield found
    found.end()


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in TARGETS if name not in _OF_DATA])
def test_repeated_pieces_are_read_in_linear_time(name: str, worker: Worker) -> None:
    for piece, shape in pieces(130).items():
        answer = worker.ask(name, shape(_SIZE))
        assert answer is not None, f"{piece}: no end in {LONGEST:.0f} s"
        seconds, error = answer
        assert not error, piece
        if seconds > _QUICK:
            assert_linear(partial(_read, name), shape, 8 * _SIZE)


@pytest.mark.slow
@pytest.mark.parametrize("shape", _ABOVE.values(), ids=_ABOVE)
def test_a_theorem_below_a_long_text_is_found_in_linear_time(shape: Shape) -> None:
    assert_linear(TARGETS["session"].run, shape, 1 << 19)


@pytest.mark.parametrize("shape", _LINES.values(), ids=_LINES)
@pytest.mark.parametrize(
    "insert", [lambda *given: guessed_edit(LeanDocument(given[0][0]), *given[1:]), name_insertion]
)
def test_the_end_of_a_long_line_is_read_in_linear_time(insert: Callable[..., Any], shape: Shape) -> None:
    assert_linear(lambda line: insert([line], Position(0, len(line)), "rfl"), shape, 1 << 18)
