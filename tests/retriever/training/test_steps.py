"""The parts of a training step, held against what they are defined as."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import ModelError
from retriever.lean.training.arrays import share_rank
from retriever.lean.training.sampling import Batch, draw_batch, excluded, with_unrelated, without_hypotheses
from retriever.training.arrays import TrainingArrays, no_rows, training_queries
from retriever.training.drawing import counts_of, draw_positives, draw_queries
from retriever.training.masking import IGNORED, Masking, masked_texts
from retriever.training.reranking.mined import Mined
from retriever.training.running.config import BatchConfig, Labels, ModelConfig, Shares
from retriever.training.tokens import Ragged, concatenate, ragged

NONE = (np.zeros(0, dtype=np.int64),) * 3
ROWS = st.lists(st.lists(st.integers(5, 99), min_size=2, max_size=12), min_size=1, max_size=12)


def rows_of(table: Ragged) -> list[list[int]]:
    return [table[row].tolist() for row in range(len(table))]


@given(ROWS, st.data())
def test_ragged_rows_can_be_taken_and_joined(rows: list[list[int]], data: st.DataObject) -> None:
    table = ragged(rows)
    assert rows_of(table) == rows
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=8))
    assert rows_of(table.take(np.array(chosen, dtype=np.int64))) == [rows[row] for row in chosen]
    assert rows_of(concatenate([table, table])) == rows + rows


@given(ROWS, st.integers(3, 14))
def test_a_cut_keeps_both_ends_and_the_side_that_was_asked_for(rows: list[list[int]], limit: int) -> None:
    for keep in ("head", "tail"):
        cut = rows_of(ragged(rows).cut(limit, keep=keep))  # type: ignore[arg-type]
        for row, short in zip(rows, cut, strict=True):
            if len(row) <= limit:
                assert short == row
            elif keep == "head":
                assert short == [*row[: limit - 1], row[-1]]
            else:
                assert short == [row[0], *row[1 - limit :]]


def arrays(golds: list[list[int]], families: list[int], own: list[int]) -> TrainingArrays:
    count = len(families)
    return TrainingArrays(
        contexts=ragged([[2, 5 + number, 3] for number in range(count)]),
        goals=ragged([[2, 6, 5 + number, 3] for number in range(count)]),
        families=np.array(families),
        states=ragged([[2, 7, 3]] * len(golds)),
        gold=ragged(golds),
        splits=np.zeros(len(golds), dtype=np.int64),
        later=no_rows(len(golds)),
        earlier=no_rows(len(golds)),
        origins=np.array([int(place % 3 == 0) for place in range(len(golds))]),
        theorems=np.arange(len(golds)),
        query_families=np.array(own),
        ranks=np.array([share_rank(f"theorem {place}") for place in range(len(golds))]),
    )


def test_batches_depend_on_seed_and_step_alone() -> None:
    data = arrays([[0, 1], [2], [1, 3], [4]], [0, 1, 2, 3, 4, 5], [0, 5, 4, 3])
    pools, config = (
        training_queries(data),
        BatchConfig(queries=4, corpus_negatives=3, shares=Shares(statement=0.5, inner=0.5)),
    )
    first, again, other = (draw_batch(data, pools, config, (0, step)) for step in (7, 7, 8))
    assert all(np.array_equal(getattr(first, name), getattr(again, name)) for name in Batch.__slots__)
    assert not np.array_equal(first.premises, other.premises) or not np.array_equal(
        first.queries, other.queries
    )
    for query, place in zip(first.queries, first.positives, strict=True):
        assert first.premises[place] in data.gold[query]
    assert int(data.origins[first.queries].sum()) == 2


def test_held_out_queries_are_never_drawn() -> None:
    data = arrays([[0]] * 9, [0, 1], [1] * 9)
    data.splits[:] = [0, 1, 2] * 3
    assert set(np.concatenate(training_queries(data))) == {0, 3, 6}


def test_a_smaller_share_of_the_theorems_lies_in_a_larger_one() -> None:
    data = arrays([[0]] * 2000, [0], [0] * 2000)
    chosen = [set(np.concatenate(training_queries(data, share))) for share in (0.25, 0.5, 0.75, 1.0)]
    assert all(small < large for small, large in pairwise(chosen))
    assert [len(part) for part in chosen] == pytest.approx([500, 1000, 1500, 2000], rel=0.1)
    assert chosen[3] == set(range(2000))


@given(st.integers(0, 1000))
def test_mined_candidates_come_along_and_never_count_against_what_is_related(seed: int) -> None:
    generator = np.random.default_rng(seed)
    count, asked = 30, 3
    golds = [sorted(generator.choice(count, 3, replace=False)) for _ in range(6)]
    data = arrays(golds, generator.integers(0, 12, count).tolist(), generator.integers(-1, 12, 6).tolist())
    found = np.array([generator.permutation(count)[:8] for _ in range(5)], dtype=np.int32)
    found[generator.random(found.shape) < 0.4] = -1
    mined = Mined(np.arange(5), found, "data", "model", has_gold=False)  # query 5 was not mined
    config = BatchConfig(
        queries=4, corpus_negatives=0, shares=Shares(statement=1.0), hard=Path("x"), hard_negatives=asked
    )
    pools = (np.arange(6), *NONE)
    batch = draw_batch(data, pools, config, (seed, 0), mined)
    without = draw_batch(data, pools, config, (seed, 0))
    assert np.array_equal(batch.queries, without.queries)
    assert np.array_equal(batch.premises[batch.positives], without.premises[without.positives])
    own = [set(mined.of(np.array([query]))[0].tolist()) - {-1} for query in batch.queries]
    come = set(batch.premises) - set(without.premises)
    assert come <= set().union(*own)
    assert all(len(row & set(batch.premises)) >= min(asked, len(row)) for row in own)
    mask = excluded(data, batch)
    for row, query in enumerate(batch.queries):
        for column, premise in enumerate(batch.premises):
            related = premise in golds[query] or data.families[premise] == data.query_families[query]
            assert mask[row, column] == (related and column != batch.positives[row])


MASKING = Masking(share=0.15, mask=4, pad=0, special=np.arange(7), vocabulary=100)


@given(ROWS, st.integers(0, 1000))
def test_masking_hides_words_alone_and_says_what_they_were(rows: list[list[int]], seed: int) -> None:
    texts = ragged([[2, *row, 3] for row in rows])
    hidden, labels = masked_texts(texts, MASKING, np.random.default_rng(seed))
    again, _ = masked_texts(texts, MASKING, np.random.default_rng(seed))
    assert np.array_equal(hidden.flat, again.flat) and np.array_equal(hidden.offsets, texts.offsets)
    told = labels != IGNORED
    assert np.array_equal(labels[told], texts.flat[told])
    assert np.array_equal(hidden.flat[~told], texts.flat[~told])
    special = np.isin(texts.flat, MASKING.special)
    assert not (special & told).any()
    assert told.any() or special.all()
    assert not np.isin(hidden.flat[told & (hidden.flat != MASKING.mask)], MASKING.special).any()


def test_masking_has_the_shares_of_bert() -> None:
    texts = ragged([[50] * 100_000])
    hidden, labels = masked_texts(texts, MASKING, np.random.default_rng(0))
    told = labels != IGNORED
    assert told.mean() == pytest.approx(0.15, abs=0.01)
    assert (hidden.flat[told] == MASKING.mask).mean() == pytest.approx(0.8, abs=0.02)
    assert (hidden.flat[told] == 50).mean() == pytest.approx(0.1 + 0.1 / 93, abs=0.02)


@given(st.integers(0, 1000))
def test_what_is_excluded_is_other_gold_the_theorem_and_its_twins(seed: int) -> None:
    generator = np.random.default_rng(seed)
    count = 20
    golds = [sorted(generator.choice(count, generator.integers(1, 5), replace=False)) for _ in range(6)]
    data = arrays(golds, generator.integers(0, 8, count).tolist(), generator.integers(-1, 8, 6).tolist())
    config = BatchConfig(queries=6, corpus_negatives=9, shares=Shares(statement=1.0))
    pools = (np.arange(6), *NONE)
    batch = draw_batch(data, pools, config, (seed, 0))
    mask = excluded(data, batch)
    for row, query in enumerate(batch.queries):
        for column, premise in enumerate(batch.premises):
            own = column == batch.positives[row]
            related = premise in golds[query] or data.families[premise] == data.query_families[query]
            assert mask[row, column] == (related and not own)


@pytest.mark.train
def test_the_loss_is_equation_6() -> None:
    torch = pytest.importorskip("torch")
    from retriever.training.losses import contrastive_loss, matryoshka_loss

    generator = torch.Generator().manual_seed(0)
    states, context, goal = (torch.randn(3, 8, generator=generator) for _ in range(3))
    positives, mask = torch.tensor([0, 2, 1]), torch.zeros(3, 3, dtype=torch.bool)
    mask[0, 1] = True
    unit = [part / part.norm(dim=1, keepdim=True) for part in (states, context, goal)]
    premises = (unit[1] + unit[2]) / 2
    expected = 0.0
    for row in range(3):
        scores = [float(unit[0][row] @ premises[column]) / 0.02 for column in range(3)]
        kept = [score for column, score in enumerate(scores) if not mask[row, column]]
        expected -= scores[positives[row]] - float(torch.logsumexp(torch.tensor(kept), 0))
    found = float(matryoshka_loss(states, [context, goal], positives, mask, 0.02, [8]))
    assert found == pytest.approx(expected / 3, rel=1e-4)
    assert float(contrastive_loss(unit[0], premises, positives, mask, 0.02)) == pytest.approx(found, rel=1e-5)
    cut = float(matryoshka_loss(states[:, :4], [context[:, :4], goal[:, :4]], positives, mask, 0.02, [4]))
    both = float(matryoshka_loss(states, [context, goal], positives, mask, 0.02, [4, 8]))
    assert both == pytest.approx((cut + found) / 2, rel=1e-5)


def _shape(layers: int) -> ModelConfig:
    return ModelConfig(layers=layers, hidden=16, heads=2, intermediate=32, positions=32, dropout=0.0)


@pytest.mark.train
def test_a_bert_without_layers_is_the_bag_of_words_it_is_run_as() -> None:
    torch = pytest.importorskip("torch")
    from retriever.training.model import BiEncoder, build_bert, by_length

    torch.manual_seed(0)
    model = BiEncoder(build_bert(_shape(0), 50)).eval()
    texts = ragged([[2, 9, 9, 3], [2, 11, 3], [2, 20, 21, 22, 23, 3]])
    assert model.is_bag
    assert torch.allclose(model(texts), by_length(texts, torch.device("cpu"), model._run), atol=1e-6)


@pytest.mark.train
def test_layers_put_on_a_bag_of_words_begin_as_the_identity() -> None:
    torch = pytest.importorskip("torch")
    from retriever.training.model import BiEncoder, build_bert
    from retriever.training.weights import take_over

    torch.manual_seed(0)
    bag, deep = BiEncoder(build_bert(_shape(0), 50)).eval(), BiEncoder(build_bert(_shape(2), 50)).eval()
    norm = bag.bert.embeddings.LayerNorm
    with torch.no_grad():
        norm.weight.uniform_(0.5, 2.0)
        norm.bias.uniform_(-0.5, 0.5)
    texts = ragged([[2, 9, 9, 3], [2, 11, 3]])
    assert not torch.allclose(bag(texts), deep(texts), atol=1e-3)
    take_over(deep.bert, bag.bert)
    assert torch.allclose(bag(texts), deep(texts), atol=1e-4)
    with pytest.raises(ModelError, match="another shape"):
        take_over(bag.bert, deep.bert)


@pytest.mark.train
@pytest.mark.parametrize(("before", "after"), [(8, 20), (20, 8), (8, 8)])
def test_positions_that_a_source_does_not_have_repeat_those_it_has(before: int, after: int) -> None:
    torch = pytest.importorskip("torch")
    from retriever.training.model import build_bert
    from retriever.training.weights import take_over

    source, target = (build_bert(replace(_shape(1), positions=rows), 50) for rows in (before, after))
    with torch.no_grad():
        source.embeddings.position_embeddings.weight.normal_()
    take_over(target, source)
    rows = target.embeddings.position_embeddings.weight
    for row in range(after):
        assert torch.equal(rows[row], source.embeddings.position_embeddings.weight[row % before])
    assert torch.equal(
        target.encoder.layer[0].output.dense.weight, source.encoder.layer[0].output.dense.weight
    )


def test_queries_are_drawn_by_origin_and_each_theorem_once() -> None:
    pools = tuple(np.arange(origin * 100, origin * 100 + 100) for origin in range(4))
    theorems = np.arange(400) % 100  # one query of each origin
    shares = Shares(statement=0.4, inner=0.1, step=0.2, comment=0.3)
    for seed in range(5):
        drawn = draw_queries(theorems, pools, shares, 40, np.random.default_rng(seed))
        assert np.bincount(drawn // 100).tolist() == [16, 4, 8, 12]
        assert len(set(theorems[drawn])) == 40
    few = draw_queries(theorems[:100], (pools[0][:3], *NONE), shares, 8, np.random.default_rng(0))
    assert len(few) == 8 and set(few) <= {0, 1, 2}


def test_an_origin_without_queries_leaves_its_share_to_the_others() -> None:
    some, none = np.arange(5), np.zeros(0, dtype=np.int64)
    shares = Shares(statement=0.5, step=0.3, comment=0.2)
    assert counts_of((some, some, some, some), shares, 10) == [5, 0, 3, 2]
    assert counts_of((some, some, none, none), shares, 10) == [10, 0, 0, 0]
    assert counts_of((none, none, some, some), shares, 10) == [0, 0, 6, 4]
    assert counts_of((none, some, none, none), shares, 10) == [0, 10, 0, 0]
    assert sum(counts_of((some, some, some, some), shares, 7)) == 7


def _with_parts() -> TrainingArrays:
    data = arrays([[0], [1, 2], [3]], list(range(10)), [9, 9, 9])
    return replace(data, later=ragged([[4, 5], [], [6]]), earlier=ragged([[7], [8], []]))


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (Labels(step=1.0), [{0}, {1, 2}, {3}]),
        (Labels(rest=1.0), [{0, 4, 5}, {1, 2}, {3, 6}]),
        (Labels(proof=1.0), [{0, 4, 5, 7}, {1, 2, 8}, {3, 6}]),
        (Labels(step=0.5, proof=0.5), [{0, 4, 5, 7}, {1, 2, 8}, {3, 6}]),
    ],
)
def test_a_steps_positives_reach_as_far_as_the_labels_say(labels: Labels, expected: list[set[int]]) -> None:
    data, queries = _with_parts(), np.array([2, 0, 1])
    drawn = [draw_positives(data, queries, labels, np.random.default_rng(seed)) for seed in range(120)]
    table = np.stack(drawn)
    assert [set(table[:, column].tolist()) for column in range(3)] == [expected[row] for row in (2, 0, 1)]


def test_a_graded_label_draws_the_step_more_often() -> None:
    data, labels = _with_parts(), Labels(step=0.7, proof=0.3)
    drawn = draw_positives(data, np.zeros(20_000, dtype=np.int64), labels, np.random.default_rng(3))
    assert np.bincount(drawn, minlength=8)[[0, 4, 5, 7]] / 20_000 == pytest.approx(
        [0.775, 0.075, 0.075, 0.075], abs=0.02
    )


def test_other_premises_of_the_proof_are_no_negatives_of_a_step() -> None:
    data = _with_parts()
    batch = Batch(np.array([0]), np.arange(10), np.array([0]))
    assert excluded(data, batch)[0].tolist() == [place in (4, 5, 7, 9) for place in range(10)]


def test_hypotheses_are_left_out_whole_and_targets_stay() -> None:
    var, goal = 11, 12
    states = ragged(
        [[2, var, 21, 22, var, 23, goal, 24, 3], [2, 31, var, 32, goal, 33, 34, 3], [2, goal, 41, 3]]
    )
    key, marks = (0, 1), (var, goal)
    assert without_hypotheses(states, np.zeros(3), marks, key) is states
    bare = without_hypotheses(states, np.ones(3), marks, key)
    assert rows_of(bare) == [[2, goal, 24, 3], [2, 31, goal, 33, 34, 3], [2, goal, 41, 3]]
    second = without_hypotheses(states, np.array([0.0, 1.0, 0.0]), marks, key)
    assert rows_of(second) == [rows_of(states)[0], rows_of(bare)[1], rows_of(states)[2]]
    found = {
        tuple(rows_of(without_hypotheses(states, np.full(3, 0.5), marks, (0, at)))[0]) for at in range(60)
    }
    assert len(found) == 4


def test_unrelated_hypotheses_stand_in_front_of_a_states_own() -> None:
    var, goal = 11, 12
    states = ragged([[2, var, 21, var, 22, goal, 23, 3], [2, var, 31, goal, 32, 3], [2, goal, 41, 3]])
    own, marks = rows_of(states), (var, goal)
    assert with_unrelated(states, 0.0, marks, (0,)) is states
    alone = states.take(np.array([0]))
    assert with_unrelated(alone, 1.0, marks, (0,)) is alone
    found = [rows_of(with_unrelated(states, 1.0, marks, (0, at))) for at in range(200)]
    borrowed = [
        {tuple(rows[row][1 : 1 + len(rows[row]) - len(own[row])]) for rows in found} for row in range(3)
    ]
    assert all(rows[row][-len(own[row]) + 1 :] == own[row][1:] for rows in found for row in range(3))
    first, second = {(), (var, 21), (var, 22), (var, 21, var, 22)}, {(), (var, 31)}
    assert borrowed == [second, first, first | second]
    half = [rows_of(with_unrelated(states, 0.5, marks, (0, at)))[2] == own[2] for at in range(200)]
    assert 100 < sum(half) < 180
