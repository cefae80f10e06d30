"""The command that shows what a match rests on."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip("lime", reason="the match extra is not installed")

from retriever.proof_matching.schema import StatementProof, StatementProofs, Token
from retriever.proof_matching.store import write_pairs
from tests.commands import command

main = command("retriever match-explain")


def sentence(text: str) -> tuple[Token, ...]:
    """Words, and identifiers where a dollar sign stands before them."""
    return tuple(
        Token(one[1:], "identifier") if one.startswith("$") else Token(one, "word") for one in text.split()
    )


SUBJECTS = ("meadow", "orchard", "pond", "hedge", "glade")


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five pairs whose proofs share one telling word with their statements."""
    path = tmp_path_factory.mktemp("pairs") / "pairs.jsonl"
    made = tuple(
        StatementProof(
            key=subject,
            statement=sentence(f"every {subject} of size $x is green"),
            proof=sentence(f"take the {subject} and its border $x then all of it is green by induction"),
            kind="lemma",
            category="gardens",
            source="gardens",
            location=f"gardens: {subject}",
        )
        for subject in SUBJECTS
    )
    write_pairs(path, StatementProofs(made, {pair.key: "test" for pair in made}))
    return path


def test_the_telling_word_comes_first_and_a_page_shows_it(
    pairs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    assert main([str(pairs), "pond", "--samples", "300", "--html", str(page)]) == 0
    told = capsys.readouterr().out
    first = next(line.split() for line in told.splitlines() if line.lstrip().startswith(("+", "-")))
    assert first[1:] == ["pond", "word"] and first[0].startswith("+")
    text = "".join(ElementTree.fromstring(page.read_text(encoding="utf-8")).itertext())
    assert "pond" in text


def test_another_proof_can_be_held_against_a_statement(
    pairs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chances = []
    for arguments in ([], ["--proof-of", "hedge"]):
        assert main([str(pairs), "pond", *arguments, "--side", "statement", "--samples", "100"]) == 0
        chances.append(float(capsys.readouterr().out.split("probability ")[1].split()[0]))
    assert chances[0] > 0.9 > 0.5 > chances[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["tundra"], "There is no pair tundra"),
        (["pond", "--proof-of", "tundra"], "There is no pair tundra"),
        (["pond", "--pool", "0"], "there are none"),
        (["pond", "--samples", "1"], "more than 1 samples"),
        (["pond", "--run", "nowhere"], "nowhere"),
    ],
)
def test_what_cannot_be_is_told(
    pairs: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(pairs), *arguments]) in (1, 2)
    assert said in capsys.readouterr().err
