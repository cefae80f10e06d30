"""The table of related words: made of what a library says of its declarations, and read by searches in words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lean_extract.records import Header, Premise, write_records
from retriever.lean.service import PremiseService
from retriever.lean.text_search import search_words
from retriever.lean.words.splitting import stem
from retriever.models.encoder import Encoder
from tests.commands import command
from tests.retriever.little_library import LAWS, library
from tests.retriever.support import Sheet, make_store, theorem

SAID = {"comm": "swapping both arguments", "assoc": "rebracketing", "unit": "a neutral argument on the right"}
SAID |= {"idem": "equal arguments collapse", "cancel": "a common argument is struck out"}


def premises() -> list[Premise]:
    """The little library's, where laws have doc strings in words that are not in their names."""
    found = [record for record in library() if isinstance(record, Premise)]
    return [
        replace(one, doc=f"For `{operation}`: {SAID[law]}. More.") if law in LAWS else one
        for one in found
        for operation, _, law in [one.name.removeprefix("Little.").partition("_")]
    ]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Of the words of descriptions, the rest of their lines; nothing is learned from laws of commutativity."""
    folder = tmp_path_factory.mktemp("related")
    write_records(folder / "records.jsonl", Header("text", "r1"), premises())
    laws = [one.name for one in premises() if one.name.endswith("_comm")]
    (folder / "without").write_text("\n".join(laws) + "\n")
    given = [folder / "records.jsonl", "--without", folder / "without", "--out", folder / "related.txt"]
    assert command("retriever related-words")(given) == 0
    about, *lines = (folder / "related.txt").read_text().splitlines()
    assert about.startswith("# records r1: ")
    return {word: rest for word, _, rest in (line.partition(" ") for line in lines)}


def test_words_of_doc_strings_are_related_to_those_of_names(table: dict[str, str]) -> None:
    assert table["rebracket"].startswith("assoc ")
    assert table["collaps"].startswith("idem ")


def test_what_is_held_out_teaches_nothing(table: dict[str, str]) -> None:
    assert stem("swapping") not in table


def test_records_without_doc_strings_are_refused(
    little_records: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("retriever related-words")([little_records, "--out", tmp_path / "related.txt"]) != 0
    assert "doc strings" in capsys.readouterr().err
    assert not (tmp_path / "related.txt").exists()


def test_a_related_word_ranks_higher(tmp_path: Path, encoder: Encoder, model_folder: Path) -> None:
    sheet = Sheet([theorem(f"card_{word}_le", "Lib", "a = b") for word in ("image", "fiber", "preimage")])
    made = PremiseService.open([make_store(tmp_path / "index", {"Lib": sheet}, encoder)], model_folder)
    assert search_words(made, "card of pigeons", 3)[0].premise.name == "card_fiber_le"
