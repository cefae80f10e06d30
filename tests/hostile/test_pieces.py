"""Short pieces, repeated, at every door that texts come in by: nothing hangs, and the time grows with the length."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial

import pytest

from tests.fuzz.targets import TARGETS
from tests.hostile.growth import assert_linear
from tests.hostile.shapes import FILES, Shape, pieces, repeated
from tests.hostile.tries.readers import LONGEST, Worker

_SIZE = 1 << 14
_QUICK = 0.3
"""Seconds of CPU time. What takes longer is measured at several lengths."""
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


def _read(name: str, text: str) -> None:
    with suppress(*TARGETS[name].allowed):
        TARGETS[name].run(text)


@pytest.mark.slow
@pytest.mark.parametrize("shape", _ABOVE.values(), ids=_ABOVE)
def test_a_theorem_below_a_long_text_is_found_in_linear_time(shape: Shape) -> None:
    assert_linear(TARGETS["session"].run, shape, 1 << 19)
