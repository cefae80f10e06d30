"""The autoregressive model: what it is trained to tell, how it looks for sequences, and a run that writes."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
pytest.importorskip("accelerate")
pytestmark = pytest.mark.train

from lean_extract.common.errors import BadSettings  # noqa: E402
from retriever.models.bag import Terms  # noqa: E402
from retriever.naturalproofs.backend import BACKEND  # noqa: E402
from retriever.naturalproofs.evaluation import refgen  # noqa: E402
from retriever.training.references.autoregressive import load_autoregressive, parse, ranking_scores, with_end  # noqa: E402
from retriever.training.references.autoregressive_model import (  # noqa: E402  # noqa: E402
    Beam,
    SequenceModel,
    beam_search,
    build_decoder,
    greedy,
    sequences,
)
from retriever.training.references.joint_model import ReferenceTable  # noqa: E402
from retriever.training.references.pairwise_model import Bag  # noqa: E402
from retriever.training.running.curve import read_curve  # noqa: E402
from retriever.training.tokens import ragged  # noqa: E402
from tests.commands import command  # noqa: E402
from tests.retriever.training.gardening import Garden  # noqa: E402

generate = command("retriever generate-references")
SMALL = {"layers": 1, "heads": 2, "intermediate": 32, "dropout": 0.0, "longest": 6}


def small_model(seed: int, documents: int = 4, longest: int = 3) -> SequenceModel:
    """A model with random weights throughout."""
    torch.manual_seed(seed)
    decoder = build_decoder(8, 1, 2, 16, 0.0)
    table = ReferenceTable(documents, 8)
    bag = Bag(Terms(10, 3), 8)
    model = SequenceModel(bag, table, decoder, longest, normalised=True, temperature=0.5)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.7)
    return model.eval()


@given(st.integers(0, 2**31), st.integers(0, 1))
@settings(max_examples=15)
def test_a_wide_beam_finds_the_best_of_all_sequences(seed: int, power: int) -> None:
    model, question, pool = small_model(seed), ragged([[2, 5, 6, 3]]), np.arange(4)
    with torch.no_grad():
        read = model.read(question)
        scored = {}
        for length in range(1, 4):
            for sequence in itertools.product(range(4), repeat=length):
                decoded = model.decode(read, torch.tensor([sequence]))
                logs = model.logits(decoded, torch.arange(4)).log_softmax(dim=2)[0]
                told = sum(float(logs[step, item]) for step, item in enumerate([*sequence, 4]))
                scored[sequence] = told / (length + 1) ** power
    best = max(scored, key=lambda one: scored[one])
    beam = Beam(width=200, length_penalty=power, longest=3)
    found = tuple(beam_search(model, question, pool, beam))
    assert scored[found] == pytest.approx(scored[best], abs=1e-5)
    without = beam_search(model, question, pool, beam, own=best[0])
    assert best[0] not in without and without


@given(st.integers(0, 2**31))
@settings(max_examples=15)
def test_greedy_writing_takes_the_likeliest_not_yet_written(seed: int) -> None:
    model, questions = small_model(seed), ragged([[2, 5, 6, 3], [2, 7, 3], [2, 8, 8, 5, 3]])
    pool = np.array([3, 0, 2])
    first, written = greedy(model, questions, pool, np.array([-1, 1, -1]))
    for row in range(3):
        with torch.no_grad():
            read = model.read(questions.take(np.array([row])))
            sequence: list[int] = []
            while len(sequence) < 3:
                before = torch.from_numpy(pool[sequence])[None, :]
                logits = model.logits(model.decode(read, before)[:, -1], torch.from_numpy(pool))[0]
                if not sequence:
                    assert np.allclose(first[row], logits[:3].numpy(), atol=1e-4)
                logits[sequence] = -np.inf
                if row == 1:
                    logits[1] = -np.inf
                best = int(logits.argmax())
                if best == 3:
                    break
                sequence.append(best)
        assert written[row] == sequence
    scores = ranking_scores(model, questions, pool)
    _, open_written = greedy(model, questions, pool)
    for row in range(3):
        order = np.argsort(-scores[row], kind="stable").tolist()
        assert order[: len(open_written[row])] == open_written[row]
        rest = [column for column in np.argsort(-first[row]).tolist() if column not in open_written[row]]
        assert order[len(open_written[row]) :] == rest


@given(
    st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=7), min_size=1, max_size=5), st.integers(1, 5)
)
def test_every_step_tells_the_next_reference_and_the_last_the_end(
    rows: list[list[int]], longest: int
) -> None:
    written, counts = sequences(ragged(rows), np.arange(len(rows)), longest)
    targets = with_end(written, counts, np.array([len(row) for row in rows]), 9)
    for row, target in zip(rows, targets.tolist(), strict=True):
        told = [item for item in target if item >= 0]
        assert told == ([*row, 9] if len(row) <= longest else row[:longest])


def test_a_later_reference_does_not_change_what_is_told_before() -> None:
    model = small_model(0, documents=6, longest=4)
    with torch.no_grad():
        read = model.read(ragged([[2, 5, 6, 3]] * 2))
        found = model.decode(read, torch.tensor([[1, 2, 3], [1, 2, 5]]))
    assert torch.allclose(found[0, :3], found[1, :3], atol=1e-5)
    assert not torch.allclose(found[0, 3], found[1, 3], atol=1e-3)


def test_it_begins_as_the_pairwise_model_learns_writes_and_ranks(
    garden: Garden, pairwise: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begun = garden.train(
        "autoregressive",
        "sequence",
        pairs=64,
        decoder=SMALL,
        start={"pairwise": str(pairwise)},
        schedule={"steps": 80, "evaluate_every": 40, "learning_rate": 5e-3},
        batch={"questions": 16, "word_dropout": 0.1},
    )
    losses = [point["loss"] for point in read_curve(begun) if "loss" in point]
    assert losses[-1] < losses[0] / 2
    out, top = garden.work / "written.jsonl", garden.work / "top.jsonl"
    assert generate([begun, garden.corpus, "--out", out, "--beam", "4"]) == 0
    assert generate([pairwise, garden.corpus, "--out", top, "--top", "2"]) == 0
    whole = BACKEND.read(garden.corpus)
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert ["/".join(map(str, line["example"])) for line in lines] == [one.key for one in whole.of("valid")]
    assert all(line["references"] for line in lines)
    assert all(len(json.loads(line)["references"]) == 2 for line in top.read_text().splitlines())
    capsys.readouterr()
    measured = [garden.corpus, "--predictions", out, top, "--plain"]
    assert command("retriever naturalproofs-generation")(measured) == 0
    told = capsys.readouterr().out
    assert "written.jsonl" in told and "top.jsonl" in told
    assert command("retriever evaluate-collection")([garden.corpus, begun]) == 0
    assert "| sequence |" in capsys.readouterr().out
    assert load_autoregressive(begun)[0].decoder.longest == 6


def test_towers_with_layers_are_read_state_by_state(garden: Garden) -> None:
    shape = {"layers": 1}
    few = {"steps": 2, "evaluate_every": 2, "precision": "bf16"}
    pair = garden.train("pairwise", "deep", model=shape, schedule=few, batch={"questions": 4})
    start = {"pairwise": str(pair), "frozen": True}
    joint = garden.train("joint", "deep-joint", model=shape, schedule=few, start=start)
    run = garden.train("autoregressive", "deep-seq", model=shape, schedule=few, start=start, decoder=SMALL)
    assert command("retriever evaluate-collection")([garden.corpus, pair, joint, run]) == 0
    config, model = load_autoregressive(run)
    assert config.start.frozen and float(model.table.learned.detach().abs().max()) == 0
    with torch.no_grad():
        short, long = (
            model.read(ragged(rows)) for rows in ([[2, 30, 3]], [[2, 30, 3], [2, 31, 32, 33, 34, 3]])
        )
        first, second = (model.decode(read, torch.tensor([[1]] * len(read.pooled))) for read in (short, long))
    assert torch.allclose(first[0], second[0], atol=1e-4)


def test_writing_that_was_stopped_goes_on_where_it_was(garden: Garden, pairwise: Path) -> None:
    out = garden.work / "stopped.jsonl"
    asked = [str(pairwise), str(garden.corpus), "--out", str(out), "--top", "3"]
    assert generate(asked) == 0
    first = out.read_text()
    collection = BACKEND.read(garden.corpus)
    written: list[int] = []

    def once(question: int, pool: np.ndarray) -> list[int]:
        if written:
            raise KeyboardInterrupt
        written.append(question)
        return [int(pool[0])]

    with pytest.raises(KeyboardInterrupt):
        refgen.predict(collection, once, ["valid"], out, "a try")
    assert out.read_text() == first
    left = out.with_name(f"{out.name}.part")
    left.write_text(left.read_text() + '["cut o')
    again: list[int] = []

    def rest(question: int, pool: np.ndarray) -> list[int]:
        again.append(question)
        return [int(pool[1])]

    assert refgen.predict(collection, rest, ["valid"], out, "a try") == len(collection.of("valid"))
    assert written[0] not in again and len(again) == len(collection.of("valid")) - 1
    assert not left.exists()
    kept = json.loads(out.read_text().splitlines()[0])["references"]
    assert kept == [int(collection.documents[collection.pools["valid"][0]].key)]
    left.write_text('"another try"\n["0/0", [1]]\n')
    assert generate(asked) == 0
    assert out.read_text() == first


def test_settings_and_runs_that_do_not_fit_are_told(
    garden: Garden, pairwise: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = garden.values("autoregressive", "no", start={"pairwise": "run"})
    for wrong in ({"decoder": {"heads": 3}}, {"decoder": {"longest": 0}}, {"kind": "joint"}):
        with pytest.raises(BadSettings):
            parse({**values, **wrong})
    asked = [str(tmp_path / "none"), str(garden.corpus), "--out", str(tmp_path / "out.jsonl")]
    assert generate(asked) != 0
    assert generate([pairwise, *asked[1:3], garden.corpus / "out.jsonl"]) == 1
    told = capsys.readouterr().err
    assert "There is no run" in told and "cannot be read or written" in told
