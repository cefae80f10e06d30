"""Augmented states, and whole premises as one text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from retriever.lean.augmentation.augment import KINDS, augmented, load_augmented
from retriever.lean.dataset.dataset import load_dataset
from retriever.lean.training.arrays import load_arrays
from retriever.lean.training.sampling import augmented_states, draw_augmentations
from retriever.models.encoder import Encoder
from retriever.models.text import premise_texts, state_text
from retriever.training.export import export_run
from retriever.training.running.config import TrainConfig, load_config
from retriever.training.running.train import run_training
from retriever.training.tokens import joined, open_tokenizer, ragged
from tests.retriever.little_library import DebugData

pytestmark = pytest.mark.train


@pytest.fixture(scope="module")
def config(debug_data: DebugData, tmp_path_factory: pytest.TempPathFactory) -> TrainConfig:
    preset = load_config(Path("debug"))
    run = tmp_path_factory.mktemp("variants") / "run"
    return replace(preset, dataset=debug_data.dataset, tokenizer=debug_data.tokenizer, run=run)


def test_a_premise_joined_is_what_the_tokenizer_makes_of_the_whole_text(config: TrainConfig) -> None:
    arrays = load_arrays(config.dataset, config.tokenizer)
    tokenizer = open_tokenizer(config.tokenizer)
    whole = joined(arrays.contexts, arrays.goals)
    for place, premise in enumerate(load_dataset(config.dataset).corpus):
        text = " ".join(premise_texts(premise)).strip()
        assert whole[place].tolist() == tokenizer.encode(text).ids


def test_a_premise_without_context_counts_its_goal_once() -> None:
    contexts, goals = ragged([[2, 5, 8, 3], [2, 6, 9, 3]]), ragged([[2, 6, 7, 3], [2, 6, 9, 3]])
    whole = joined(contexts, goals)
    assert [whole[0].tolist(), whole[1].tolist()] == [[2, 5, 8, 6, 7, 3], [2, 6, 9, 3]]


def test_only_training_states_are_dressed_and_always_alike(config: TrainConfig) -> None:
    queries = load_dataset(config.dataset).queries
    rows = load_augmented(config.dataset, config.tokenizer)
    again = load_augmented(config.dataset, config.tokenizer)
    states = load_arrays(config.dataset, config.tokenizer).states
    tokenizer = open_tokenizer(config.tokenizer)
    assert len(rows) == len(KINDS)
    changed = 0
    for number, (kind, table) in enumerate(zip(KINDS, rows, strict=True)):
        assert np.array_equal(table.flat, again[number].flat)
        for place, query in enumerate(queries):
            assert table[place].tolist() == tokenizer.encode(state_text(augmented(kind, query))).ids
            if query.split != "train":
                assert table[place].tolist() == states[place].tolist()
            changed += table[place].tolist() != states[place].tolist()
    assert changed > len(queries)


def test_each_state_is_augmented_as_it_was_drawn() -> None:
    plain, other = ragged([[2, 10, 3], [2, 11, 3]]), ragged([[2, 20, 20, 3], [2, 21, 3]])
    read = augmented_states([plain, other], np.array([1, 0, 1]), np.array([0, 1, 1]))
    assert [read[row].tolist() for row in range(3)] == [[2, 11, 3], [2, 20, 20, 3], [2, 21, 3]]
    drawn = draw_augmentations(4000, 3, 0.5, (0, 7))
    assert np.array_equal(drawn, draw_augmentations(4000, 3, 0.5, (0, 7)))
    assert set(drawn.tolist()) == {0, 1, 2, 3}
    assert 0.45 < float((drawn > 0).mean()) < 0.55
    assert not draw_augmentations(5, 3, 0.0, (0, 7)).any()


def test_a_run_on_whole_premises_is_exported_and_read_as_one(config: TrainConfig) -> None:
    plain = replace(
        config,
        run=config.run.parent / "plain",
        loss=replace(config.loss, similarity="plain"),
        batch=replace(config.batch, varied=0.5),
        schedule=replace(config.schedule, steps=4, evaluate_every=4, checkpoint_every=4, log_every=2),
    )
    assert run_training(plain).steps == 4
    encoder = Encoder.load(export_run(plain.run, config.run.parent / "plain-model"))
    premise = load_dataset(config.dataset).corpus[0]
    context, goal = premise_texts(premise)
    assert context
    expected = encoder.encode([f"{context} {goal}"])
    assert np.allclose(encoder.encode_premises([premise]), expected, atol=1e-6)
    assert abs(float(np.linalg.norm(expected)) - 1) < 1e-5
