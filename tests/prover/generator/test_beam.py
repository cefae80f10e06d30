"""The beam search, against transformers, against all sequences there are, and for what must always hold."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.arrays import Floats, Int64s
from lean_extract.common.onnx_runtime import open_session
from prover.generator import files
from prover.generator.beam import BeamSettings, search
from prover.generator.model import Decoding, run_encoder

END = 1


class Words:
    """A step whose answer depends on a row's whole past: a random row a prefix, remembered by it."""

    def __init__(self, seed: int, symbols: int, spread: float = 1.0) -> None:
        self.seed, self.symbols, self.spread = seed, symbols, spread
        self.rows: list[tuple[int, ...]] = [()]

    def __call__(self, symbols: Int64s, parents: Int64s) -> Floats:
        self.rows = [(*self.rows[parent], int(s)) for s, parent in zip(symbols, parents, strict=True)]
        return np.stack([self.after(row[1:]) for row in self.rows])

    def after(self, prefix: tuple[int, ...]) -> Floats:
        logits = np.random.default_rng([self.seed, *prefix]).normal(size=self.symbols) * self.spread
        return (logits - np.log(np.exp(logits).sum())).astype(np.float32)

    def log_probability(self, symbols: tuple[int, ...]) -> float:
        return sum(float(self.after(symbols[:at])[symbol]) for at, symbol in enumerate(symbols))


cases = st.tuples(st.integers(0, 10_000), st.integers(2, 6), st.integers(1, 7), st.integers(1, 6))


@given(cases)
def test_what_holds_for_every_search(case: tuple[int, int, int, int]) -> None:
    seed, symbols, beams, most = case
    words = Words(seed, symbols)
    found = search(words, BeamSettings(beams, most, END))
    assert 1 <= len(found) <= beams
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    assert len({each.symbols + (END,) * each.ended for each in found}) == len(found)
    for each in found:
        whole = (*each.symbols, END) if each.ended else each.symbols
        assert END not in each.symbols
        assert len(whole) <= most
        assert each.ended or len(whole) == most
        assert each.log_probability == pytest.approx(words.log_probability(whole), abs=1e-4)
        assert each.score == each.log_probability
    again = search(Words(seed, symbols), BeamSettings(beams, most, END))
    assert again == found


@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(1, 8))
def test_one_beam_takes_the_best_symbol_each_time(seed: int, symbols: int, most: int) -> None:
    words = Words(seed, symbols)
    greedy: list[int] = []
    while len(greedy) < most and END not in greedy:
        greedy.append(int(words.after(tuple(greedy)).argmax()))
    [found] = search(Words(seed, symbols), BeamSettings(1, most, END))
    # What has ended may be worse than what runs on; then the search goes on and may find better.
    assert found.log_probability >= words.log_probability(tuple(greedy)) - 1e-6
    if END not in greedy:
        assert found.symbols == tuple(greedy)


@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(1, 4))
def test_beams_enough_for_all_sequences_find_the_best_of_all(seed: int, symbols: int, most: int) -> None:
    words = Words(seed, symbols)
    others = [symbol for symbol in range(symbols) if symbol != END]
    whole = [
        (*start, *last)
        for length in range(most)
        for start in itertools.product(others, repeat=length)
        for last in ([(END,)] if length + 1 < most else [(symbol,) for symbol in range(symbols)])
    ]
    best = sorted((words.log_probability(each) for each in whole), reverse=True)
    found = search(Words(seed, symbols), BeamSettings(len(whole), most, END))
    assert [each.log_probability for each in found] == pytest.approx(best, abs=1e-4)


def test_among_equals_the_lower_symbol_comes_first() -> None:
    def step(symbols: Int64s, _: Int64s) -> Floats:
        row = np.array([-3.0, -1.0, -2.0, -2.0, -2.0, -2.0], dtype=np.float32)
        return np.tile(row, (len(symbols), 1))

    found = search(step, BeamSettings(5, 2, END))
    assert [each.symbols for each in found] == [(), (2,), (3,), (4,), (5,)]


def test_it_ends_when_nothing_better_can_come() -> None:
    calls: list[int] = []

    def step(symbols: Int64s, _: Int64s) -> Floats:
        calls.append(len(symbols))
        row = np.full((len(symbols), 4), -9.0, dtype=np.float32)
        row[:, END] = -0.01
        return row

    [found] = search(step, BeamSettings(1, 60, END))
    assert found.symbols == ()
    assert calls == [1]


def first(symbols: tuple[int, ...]) -> int:
    return symbols[0]


@given(cases)
def test_groups_alone_change_nothing(case: tuple[int, int, int, int]) -> None:
    seed, symbols, beams, most = case
    plain = search(Words(seed, symbols), BeamSettings(beams, most, END))
    grouped = search(Words(seed, symbols), BeamSettings(beams, most, END, group=first))
    assert [each.symbols for each in grouped] == [each.symbols for each in plain]


@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(1, 4), st.integers(1, 4))
def test_the_most_probable_groups_are_heard(seed: int, symbols: int, beams: int, others: int) -> None:
    words = Words(seed, symbols)
    found = search(words, BeamSettings(beams, 120, END, group=first, others=others))
    assert len(found) <= beams + others
    heard = {(*each.symbols, END)[0]: each.group_log_probability for each in found}
    probable = sorted(range(symbols), key=lambda symbol: -words.after(())[symbol])
    assert set(probable[:others]) <= heard.keys()
    for symbol, log_probability in heard.items():
        assert log_probability == pytest.approx(float(words.after(())[symbol]), abs=1e-5)


class Ways(Words):
    """2 and 3 are as probable, but what begins with 2 soon ends in a few ways, with 3 later in many."""

    def after(self, prefix: tuple[int, ...]) -> Floats:
        if not prefix:
            chances = [0, 0, 0.5, 0.5] + [0] * 8
        elif prefix[0] == 2:
            chances = [0, 0.5, 0.25, 0.25] + [0] * 8
        else:
            chances = [0, 0.01, *[0.099] * 10] if len(prefix) < 9 else [0, 0.9, *[0.01] * 10]
        return np.log(np.array(chances) + 1e-9).astype(np.float32)


def test_short_sequences_do_not_take_all_the_places() -> None:
    plain = search(Ways(0, 12), BeamSettings(2, 20, END))
    assert [each.symbols[0] for each in plain] == [2, 2]
    spread = search(Ways(0, 12), BeamSettings(2, 20, END, group=first, others=1))
    assert [each.symbols for each in spread[:2]] == [each.symbols for each in plain]
    assert spread[2].symbols[0] == 3 and len(spread[2].symbols) == 9 and spread[2].ended


def test_what_is_no_number_is_never_chosen() -> None:
    def step(symbols: Int64s, _: Int64s) -> Floats:
        row = np.array([np.nan, -1.0, -np.inf, -2.0], dtype=np.float32)
        return np.tile(row, (len(symbols), 1))

    found = search(step, BeamSettings(8, 4, END))
    assert {symbol for each in found for symbol in each.symbols} == {3}
    assert search(lambda symbols, _: np.full((len(symbols), 4), np.nan, np.float32), BeamSettings(3, 4)) == []


@pytest.mark.train
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("beams", "penalty", "tied"), [(4, 0.0, True), (5, 1.0, True), (3, 0.0, False)])
def test_the_same_as_generate_of_transformers(
    make_t5: Callable[..., Any], tmp_path: Path, seed: int, beams: int, penalty: float, tied: bool
) -> None:
    import torch

    from prover.training.export import export_graphs

    # So few symbols that sequences end early as well as late.
    model = make_t5(seed, tied=tied, vocab_size=14, initializer_factor=2.0)
    model.generation_config.eos_token_id, model.generation_config.pad_token_id = END, 0
    export_graphs(model, tmp_path)
    prompt = torch.randint(2, 14, (1, 30), generator=torch.Generator().manual_seed(seed))
    with torch.no_grad():
        theirs = model.generate(
            prompt,
            num_beams=beams,
            num_return_sequences=beams,
            max_new_tokens=12,
            length_penalty=penalty,
            do_sample=False,
            early_stopping=False,
            output_scores=True,
            return_dict_in_generate=True,
        )
    encoder, decoder = (open_session(tmp_path / name, 1) for name in (files.ENCODER, files.DECODER))
    memory = run_encoder(encoder, prompt[0].tolist(), 2)
    step = Decoding(decoder, memory, 2, 3, 8)
    ours = search(step, BeamSettings(beams, 12, END, length_penalty=penalty))
    assert [each.score for each in ours] == pytest.approx(theirs.sequences_scores.tolist(), abs=1e-3)
    assert [each.symbols for each in ours] == [_symbols(row) for row in theirs.sequences.tolist()]


def _symbols(row: list[int]) -> tuple[int, ...]:
    """The part between the start and the end."""
    return tuple(row[1 : row.index(END)] if END in row else row[1:])
