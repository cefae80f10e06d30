from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from retriever.naturalproofs.evaluation.oracles import ORACLES, oracle_sequences
from retriever.naturalproofs.evaluation.sequences import figures

truths = st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=9).map(tuple), min_size=1, max_size=8)


@given(truths, st.integers(0, 5))
def test_an_oracle_says_what_its_name_tells(true: list[tuple[int, ...]], seed: int) -> None:
    found = oracle_sequences(true, seed)
    assert found.keys() == ORACLES.keys()
    for one, distinct in zip(true, found["*-set"], strict=True):
        assert Counter(distinct) == Counter(set(one))
    assert [Counter(one) for one in found["*-multiset"]] == [Counter(one) for one in true]
    for one, half in zip(true, found["*-halfseq"], strict=True):
        assert one[: len(half)] == half
        assert len(half) == len(one) // 2


@given(truths)
def test_oracles_have_their_marks_in_the_table(true: list[tuple[int, ...]]) -> None:
    rows = {name: figures(predicted, true) for name, predicted in oracle_sequences(true).items()}
    assert rows["*-set"]["set EM"] == rows["*-multiset"]["multiset EM"] == 100
    assert rows["*-halfseq"]["EM"] == 0


def test_orders_are_random_and_the_seed_fixes_them() -> None:
    true = [tuple(range(6))] * 40
    found = oracle_sequences(true, 1)
    assert found == oracle_sequences(true, 1)
    for name in ("*-set", "*-multiset"):
        assert found[name] != oracle_sequences(true, 2)[name]
        assert len(set(found[name])) > 30
        assert {sequence[0] for sequence in found[name]} == set(range(6))
