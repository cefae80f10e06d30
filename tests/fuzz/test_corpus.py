"""All that fuzzers found once, and a short run of each: nothing escapes but errors for people."""

from __future__ import annotations

import contextlib
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.mutate import mutated
from tests.fuzz.targets import CORPUS, TARGETS, Target, seeds_of, text_of

_FILES = sorted(path for path in CORPUS.glob("*/*"))


def _tried(target: Target, data: bytes) -> None:
    with contextlib.suppress(*target.allowed):
        target.run(text_of(data))


def test_every_folder_of_the_corpus_has_its_target() -> None:
    assert {path.parent.name for path in _FILES} <= TARGETS.keys()
    assert sum(path.stat().st_size for path in _FILES) < 300_000


@pytest.mark.parametrize("name", TARGETS)
def test_what_was_found_stays_mended(name: str) -> None:
    for path in _FILES:
        if path.parent.name == name:
            _tried(TARGETS[name], path.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
@settings(derandomize=True, max_examples=20, database=None)
@given(st.integers(0, 10**9))
def test_a_reader_raises_errors_for_people_only(name: str, seed: int) -> None:
    _tried(TARGETS[name], mutated(Random(seed), seeds_of(name))[:4000])
