from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.commands import command
from tests.retriever.little_library import DebugData

pytest.importorskip("torch")
pytestmark = pytest.mark.train

from retriever.lean.dataset.dataset import load_dataset  # noqa: E402
from retriever.lean.evaluation.int8 import TOLERANCE, recall, sampled  # noqa: E402
from retriever.lean.evaluation.pool import questions_of  # noqa: E402
from retriever.metrics.ranking import recall_at  # noqa: E402
from retriever.training.running.stopping import RunLimits  # noqa: E402
from retriever.training.running.train import run_training  # noqa: E402


@pytest.fixture(scope="module")
def run_folder(debug_data: DebugData, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """(run, dataset) of a few steps of the debug preset."""
    folder = tmp_path_factory.mktemp("int8") / "run"
    run_training(debug_data.config(folder), limits=RunLimits(until=10))
    return folder, debug_data.dataset


def test_the_three_rows_are_printed(
    run_folder: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main = command("retriever int8")

    run, data = map(str, run_folder)
    code = main([run, data, "--part", "tune", "--cache", str(tmp_path)])
    lines = capsys.readouterr().out.splitlines()
    figures = {line.split()[0] + line.split()[1]: float(line.split()[-1]) for line in lines[1:]}
    assert "120 premises" in lines[0] and len(lines) == 4
    assert code == int(min(figures.values()) < -TOLERANCE)
    assert len(list(tmp_path.glob("vectors-*.npy"))) == 2
    assert main([run, data, "--part", "tune", "--pool", "30"]) in (0, 1)
    assert "120 premises" not in capsys.readouterr().out


def test_recall_is_that_of_the_whole_ranking(run_folder: tuple[Path, Path]) -> None:
    dataset = load_dataset(run_folder[1])
    questions = questions_of(dataset, "train", 40)
    generator = np.random.default_rng(0)
    vectors, states = (
        generator.normal(size=(count, 4)).astype(np.float32)
        for count in (len(dataset.corpus), len(questions))
    )
    expected = []
    for state, question in zip(states, questions, strict=True):
        order = np.argsort(-(vectors @ state)).tolist()
        order = [place for place in order if dataset.corpus[place].name != question.theorem]
        expected.append(recall_at(order, question.gold, 10))
    assert recall(dataset, vectors, states, questions) == pytest.approx(100 * np.mean(expected))
    smaller, asked = sampled(dataset, questions, 20)
    gold = {dataset.corpus[number].name for question in questions for number in question.gold}
    assert len(gold) < len(smaller.corpus) <= 20 + len(gold)
    for before, after in zip(questions, asked, strict=True):
        assert {dataset.corpus[number].name for number in before.gold} == {
            smaller.corpus[number].name for number in after.gold
        }
