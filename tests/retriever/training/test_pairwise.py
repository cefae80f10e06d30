"""The pairwise model's parts against what they are defined as, and a run of it from a corpus to a table."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
pytest.importorskip("accelerate")
pytestmark = pytest.mark.train

from lean_extract.common.errors import BadRecords, BadSettings, ModelError  # noqa: E402
from retriever.models.bag import Terms  # noqa: E402
from retriever.training.collection import CollectionArrays  # noqa: E402
from retriever.training.model import BiEncoder  # noqa: E402
from retriever.training.pretrained import convert  # noqa: E402
from retriever.training.references.objective import training_of  # noqa: E402
from retriever.training.references.pairwise import draw_pairs, load_pairwise, never_negative, parse  # noqa: E402
from retriever.training.references.pairwise_model import Bag, read_terms  # noqa: E402
from retriever.training.running.curve import read_curve  # noqa: E402
from retriever.training.tokens import ragged  # noqa: E402
from retriever.training.weights import load_bert  # noqa: E402
from tests.commands import command  # noqa: E402
from tests.retriever.general_encoder import write_general_encoder  # noqa: E402
from tests.retriever.training.gardening import Garden  # noqa: E402

MARK = 3
TEXTS = st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=8), min_size=1, max_size=6)
REFERENCES = st.lists(st.lists(st.integers(0, 7), min_size=1, max_size=5), min_size=2, max_size=8)


def collection(references: list[list[int]], held_out: int = 0) -> CollectionArrays:
    """Eight documents; question i is document i; the last `held_out` are valid, the others train."""
    count = len(references)
    splits = np.array([0] * (count - held_out) + [1] * held_out, dtype=np.int64)
    everything = np.arange(8)
    return CollectionArrays(
        documents=ragged([[2, 5 + number, 3] for number in range(8)]),
        questions=ragged([[2, 5 + number, 3] for number in range(count)]),
        references=ragged(references),
        splits=splits,
        own=np.arange(count),
        held=np.zeros(count, dtype=np.bool_),
        pools={"train": everything, "valid": everything, "test": everything},
        vocabulary=20,
        digest="none",
    )


@given(TEXTS, st.integers(0, 5))
def test_terms_are_counted_apart_in_titles_and_elsewhere(rows: list[list[int]], pairs: int) -> None:
    terms = Terms(10, MARK, pairs)
    table = ragged(rows)
    found, starts, counts = terms.of(table.flat.astype(np.int64), table.offsets)
    for number, row in enumerate(rows):
        several = row.count(MARK) > 1
        title = row.index(MARK) if several else 0
        wanted = [token + 10 * (place < title) for place, token in enumerate(row)]
        own = slice(starts[number], starts[number + 1])
        numbers = found[own].tolist()
        tokens = dict(zip(numbers, counts[own].tolist(), strict=True))
        assert {term: n for term, n in tokens.items() if term < 20} == {
            term: wanted.count(term) for term in wanted
        }
        assert sum(n for term, n in tokens.items() if term >= 20) == (len(row) - 1 if pairs else 0)
        assert numbers == sorted(set(numbers))
        assert max(numbers) < terms.size


def test_equal_pairs_are_one_term_wherever_they_stand() -> None:
    table = ragged([[4, 5, 6], [7, 5, 6], [6, 5]])
    found, starts, _ = Terms(10, MARK, 1000).of(table.flat.astype(np.int64), table.offsets)
    terms = [found[starts[row] : starts[row + 1]].tolist() for row in range(3)]
    first, second, third = ({term for term in own if term >= 20} for own in terms)
    assert len(first & second) == 1
    assert not third & (first | second)


def test_a_bag_begins_with_rare_terms_counting_most_and_repeats_counting_by_their_logarithm() -> None:
    torch.manual_seed(0)
    bag = Bag(Terms(10, MARK), 16)
    bag.weigh(ragged([[4, 5, 3], [4, 6, 3], [4, 7, 3]]))
    assert bag.log_weights[4] < bag.log_weights[5]
    once, twice = bag.eval()(ragged([[5], [5, 5]]))
    assert torch.allclose(twice, once * (1 + np.log(2)))
    title, text = bag(ragged([[5, 3, 6, 3], [6, 3, 5, 3]]))
    assert not torch.allclose(title, text) or bool((bag.log_weights[5] == bag.log_weights[15]).item())


@given(REFERENCES, st.integers(0, 6), st.integers(0, 99))
@settings(max_examples=50)
def test_no_reference_of_a_question_and_not_itself_is_its_negative(
    references: list[list[int]], negatives: int, seed: int
) -> None:
    arrays = collection(references)
    try:
        training = training_of(arrays)
    except BadRecords:
        assert all(set(row) <= {number} for number, row in enumerate(references))
        return
    batch = draw_pairs(training, 5, negatives, (seed, 1))
    again = draw_pairs(training, 5, negatives, (seed, 1))
    assert np.array_equal(batch.documents, again.documents)
    barred = never_negative(training, arrays.own, batch)
    for row, question in enumerate(batch.questions.tolist()):
        gold = set(references[question]) - {question}
        positive = int(batch.documents[batch.positives[row]])
        assert positive in gold
        for column, document in enumerate(batch.documents.tolist()):
            assert barred[row, column] == (document != positive and document in gold | {question})


def test_valid_questions_are_never_drawn() -> None:
    training = training_of(collection([[7]] * 6, held_out=4))
    drawn = {int(row) for step in range(20) for row in draw_pairs(training, 3, 2, (0, step)).questions}
    assert drawn == {0, 1}


def test_a_bag_learns_and_its_best_weights_are_evaluated(
    garden: Garden, capsys: pytest.CaptureFixture[str]
) -> None:
    run = garden.train(
        "pairwise", "words", pairs=64, batch={"questions": 16, "corpus_negatives": 8, "word_dropout": 0.1}
    )
    curve = [point["mAP"] for point in read_curve(run) if "mAP" in point]
    assert len(curve) == 2
    capsys.readouterr()
    assert command("retriever evaluate-collection")([garden.corpus, run, "--json", run / "rows.json"]) == 0
    told = capsys.readouterr().out
    assert "valid" in told and "R@10" in told and "definition" in told
    rows = json.loads((run / "rows.json").read_text())["rows"]
    figures = {row["protocol"]: row["figures"]["mAP"]["mean"] for row in rows}
    assert figures["excluded"] == pytest.approx(100 * max(curve), abs=0.01)
    assert figures["among"] <= figures["excluded"] <= figures["cited"]
    untrained = garden.train("pairwise", "untrained", schedule={"steps": 1, "learning_rate": 1e-9})
    before = [point["mAP"] for point in read_curve(untrained) if "mAP" in point]
    assert max(curve) > before[0]


def test_towers_with_layers_begin_as_a_masked_language_model(garden: Garden) -> None:
    shape = {"layers": 1}
    mlm = garden.values("mlm", "mlm", model=shape, batch={"texts": 8}, schedule={"steps": 2})
    mlm["lengths"], mlm["backend"] = {"state": 48, "premise": 48}, "naturalproofs"
    garden.train_values(mlm)
    rate = {"steps": 1, "learning_rate": 1e-12}
    run = garden.train(
        "pairwise",
        "layers",
        model=shape,
        start_from=str(garden.work / "mlm"),
        schedule=rate,
        batch={"questions": 4, "corpus_negatives": 0},
        loss={"normalised": False, "temperature": 1.0},
    )
    _, towers = load_pairwise(run)
    texts = ragged([[2, 30, 31, 3], [2, 40, 3]])
    assert torch.allclose(towers.of_questions(texts), towers.of_references(texts), atol=1e-6)
    begun = torch.load(garden.work / "mlm" / "checkpoint.pt", weights_only=True)["model"]
    words = towers.question.state_dict()["bert.embeddings.word_embeddings.weight"]
    assert torch.allclose(words, begun["bert.embeddings.word_embeddings.weight"], atol=1e-6)


def test_towers_begin_as_a_local_bert(garden: Garden, tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    source = tmp_path / "bert"
    source.mkdir()
    begun = convert(write_general_encoder(source), tmp_path / "begun")
    values = garden.values(
        "pairwise",
        "local",
        model={"layers": 1},
        start_from=str(begun),
        batch={"questions": 4, "corpus_negatives": 0},
        schedule={"steps": 1, "learning_rate": 1e-12},
    )
    run = garden.train_values({**values, "tokenizer": str(begun / "tokenizer.json")})
    texts = ragged([[4, 30, 31, 5], [4, 40, 5]])
    given = load_bert(begun, read_terms(begun / "tokenizer.json", 0).vocabulary)
    wanted = torch.nn.functional.normalize(BiEncoder(given).eval()(texts), dim=1)
    assert torch.allclose(load_pairwise(run)[1].of_questions(texts), wanted, atol=1e-5)


def test_what_does_not_fit_is_told(garden: Garden, capsys: pytest.CaptureFixture[str]) -> None:
    values = garden.values("pairwise", "no")
    for wrong in (
        {"pairs": -1},
        {"start_from": "some"},
        {"kind": "joint"},
        {"pairs": 4, "model": {"layers": 1}},
    ):
        with pytest.raises(BadSettings):
            parse({**values, **wrong})
    with pytest.raises(ModelError, match="There is no run"):
        load_pairwise(garden.work / "nothing")
    other = garden.work / "other"
    other.mkdir()
    with pytest.raises(ModelError, match="no config"):
        load_pairwise(other)
    (other / "config.yaml").write_text("kind: generator\n", encoding="utf-8")
    with pytest.raises(ModelError, match="of kind generator, not pairwise"):
        load_pairwise(other)
    (other / "config.yaml").write_text("kind: pairwise\n", encoding="utf-8")
    with pytest.raises(ModelError, match="no validated weights"):
        load_pairwise(other)
    assert command("retriever evaluate-collection")([garden.corpus, garden.work / "nothing"]) != 0
    assert command("retriever evaluate-collection")([garden.work / "no.json"]) != 0
    assert "There is no file" in capsys.readouterr().err
    assert command("retriever evaluate-collection")([garden.corpus]) != 0
