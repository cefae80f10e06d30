"""Word vectors: pairs made of a library's doc strings, trained on, exported, and asked in words that names lack."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from lean_extract.common.errors import ModelError
from lean_extract.records import Header, Premise, write_records
from retriever.lean.dataset.word_pairs import read_pairs
from retriever.lean.words.vocabulary import word_tokens
from retriever.lean.words.word_fields import field_words
from retriever.models.word_vectors import FOLDER, VECTORS, WordVectors
from retriever.search.splits import split_of
from tests.commands import command
from tests.retriever.little_library import LAWS, library

pytest.importorskip("torch")
pytestmark = pytest.mark.train

SAID = {"comm": "swapping both arguments", "assoc": "rebracketing", "unit": "a neutral argument on the right"}
SAID |= {"idem": "equal arguments collapse", "cancel": "a common argument is struck out"}


def premises() -> list[Premise]:
    """The little library's, where laws have doc strings in words that are not in their names."""
    found = [record for record in library() if isinstance(record, Premise)]
    return [
        replace(
            one,
            doc=f"For `{operation}`: {SAID[law]}. More.",
            module_doc=f"* `{law}`: **{operation}** law of {law}",
        )
        if law in LAWS
        else one
        for one in found
        for operation, _, law in [one.name.removeprefix("Little.").partition("_")]
    ]


def planted(folder: Path) -> dict[str, Any]:
    """A preset's values without run and schedule, whose records and pairs are written into a folder."""
    records, pairs, without = (folder / name for name in ("records.jsonl", "pairs.jsonl", "without"))
    write_records(records, Header("text", "r1"), premises())
    without.write_text("Little.join_comm\n")
    assert command("retriever word-pairs")([records, pairs, "--without", without]) == 0
    sizes = {"dimension": 16, "queries": 32, "negatives": 16, "rarest": 1, "dropped_docs": 0.3}
    return {"kind": "words", "dataset": str(records), "pairs": str(pairs), **sizes}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with records, pairs, a run that was stopped and went on, and the model."""
    folder = tmp_path_factory.mktemp("words")
    schedule = {"steps": 60, "learning_rate": 1e-2, "evaluate_every": 20, "checkpoint_every": 10}
    preset = {**planted(folder), "run": str(folder / "run"), "schedule": schedule}
    (folder / "words.yaml").write_text(yaml.safe_dump(preset))
    assert command("retriever train")([folder / "words.yaml", "--until", "25"]) == 0
    assert command("retriever train")([folder / "words.yaml", "--resume"]) == 0
    assert command("retriever export")([folder / "run", folder / "model" / FOLDER]) == 0
    return folder


def test_pairs_are_first_sentences_and_what_modules_say(trained: Path) -> None:
    pairs = read_pairs(trained / "pairs.jsonl")
    own = {(pair.query, pair.origin) for pair in pairs if pair.name == "Little.meet_comm"}
    assert own == {("For meet: swapping both arguments", "doc"), ("meet law of comm", "module")}
    assert all(pair.split == split_of(pair.name) for pair in pairs)
    assert not [pair for pair in pairs if pair.name in ("Little.join_comm", "Little.meet_twice")]


def test_a_query_finds_what_its_words_describe(trained: Path) -> None:
    vectors = WordVectors.of_model(trained / "model")
    assert vectors is not None
    laws = [replace(one, doc=None, module_doc=None) for one in premises() if one.doc]
    table = vectors.encode_premises(field_words(laws))
    assert np.allclose(np.linalg.norm(table, axis=1), 1, atol=1e-5)
    hits = 0
    for number, one in enumerate(laws):
        operation, _, law = one.name.removeprefix("Little.").partition("_")
        scores = table @ vectors.encode_query(word_tokens(f"{SAID[law]}, for {operation}"))
        hits += int((scores > scores[number]).sum()) < 3
    assert hits >= 0.8 * len(laws)


def test_unknown_words_and_no_words_have_no_direction(trained: Path) -> None:
    vectors = WordVectors.load(trained / "model" / FOLDER)
    assert not vectors.encode_query(["xyzzy"]).any()
    assert not vectors.encode_query([]).any()
    assert not vectors.encode_premises([((), (), ())]).any()
    assert vectors.encode_premises([]).shape == (0, 16)


def test_a_model_without_them_has_none(tmp_path: Path) -> None:
    assert WordVectors.of_model(tmp_path) is None


def test_damage_is_an_error_that_names_the_folder(trained: Path) -> None:
    folder = trained / "model" / FOLDER
    whole = (folder / VECTORS).read_bytes()
    (folder / VECTORS).write_bytes(whole[:100])
    with pytest.raises(ModelError, match=r"word vectors in .* damaged"):
        WordVectors.load(folder)
    (folder / VECTORS).write_bytes(whole)
    values = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**values, "dimension": 8}))
    with pytest.raises(ModelError, match="damaged"):
        WordVectors.load(folder)
    (folder / "config.json").write_text(json.dumps(values))


def test_pairs_of_other_records_are_refused(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = yaml.safe_load((trained / "words.yaml").read_text())
    other = [replace(one, name=f"Other.{one.name}") for one in premises()]
    write_records(tmp_path / "records.jsonl", Header("text", "r1"), other)
    values |= {"dataset": str(tmp_path / "records.jsonl"), "run": str(tmp_path / "run")}
    (tmp_path / "words.yaml").write_text(yaml.safe_dump(values))
    assert command("retriever train")([tmp_path / "words.yaml"]) != 0
    assert "from the same records" in capsys.readouterr().err
