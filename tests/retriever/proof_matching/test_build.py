from pathlib import Path

import pytest

from retriever.documents.schema import Corpus, DocumentProof, Statement
from retriever.documents.store import write_corpus
from retriever.proof_matching.store import read_pairs
from retriever.proof_matching.tokens import encode
from tests.commands import command
from tests.retriever.proof_matching.articles import GERMAN, PROOF, STATEMENT, page, proof, put, statement

main = command("retriever match-build")

NAMES = "abcdefghijklmnopqrstuvwxyz"


def lemma(number: int, category: str = "digging", text: str = STATEMENT) -> Statement:
    name = NAMES[number % 26]
    return Statement(
        number,
        "theorem",
        f"{category}-lemma-{number}",
        "",
        (text.format(m=f"${name}_{{{number}}}$"),),
        proofs=(DocumentProof((PROOF.format(m=f"${name}_{{{number}}}$"),)),),
        categories=(category,),
    )


def test_a_corpus_becomes_a_file_with_its_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    short = Statement(
        900, "theorem", "digging-lemma-900", "", ("So.",), proofs=(DocumentProof(("Omitted.",)),)
    )
    corpus = Corpus(
        (*(lemma(number) for number in range(60)), short, lemma(901, text="An open $x\nwombat. " + STATEMENT))
    )
    write_corpus(tmp_path / "corpus.json", corpus)
    out = tmp_path / "pairs.jsonl"
    assert main(["naturalproofs", str(tmp_path / "corpus.json"), str(out)]) == 0
    told = capsys.readouterr()
    pairs = read_pairs(out)
    assert len(pairs.pairs) == 61
    assert {"train", "test"} <= set(pairs.splits.values())
    assert pairs.pairs[0].key == "digging-lemma-0#0"
    assert told.err.splitlines() == [
        f"{tmp_path}/corpus.json: digging-lemma-901: $ is never closed.",
        "left out: pairs with a statement of fewer than 20 tokens: 1",
    ]
    assert "| All | 1 | 61 |" in told.out
    assert "| digging | 1 | 61 |" in told.out


def test_two_corpora_with_the_same_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("one", STATEMENT), ("two", "Another wombat digs. " + STATEMENT)):
        write_corpus(tmp_path / f"{name}.json", Corpus((lemma(1, text=text),)))
    out = tmp_path / "pairs.jsonl"
    files = [str(tmp_path / f"{name}.json") for name in ("one", "two", "one")]
    assert main(["naturalproofs", *files, str(out), "--kind", "unmixed"]) == 0
    assert [pair.key for pair in read_pairs(out).pairs] == ["digging-lemma-1#0", "digging-lemma-1#0@2"]
    assert capsys.readouterr().err.splitlines() == [
        "two.json: digging-lemma-1: digging-lemma-1#0 is there before; this one is digging-lemma-1#0@2.",
        "left out: pairs the same as an earlier one: 1",
    ]


def test_articles_become_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "articles"
    for number in range(8):
        name = NAMES[number]
        parts = (statement(name=name), proof(name=name), statement("Short.", id_="T2"), proof())
        put(folder, f"sub/{number}.xhtml", page(*parts))
    put(folder, "german.xhtml", page(statement(GERMAN), proof(GERMAN)))
    put(folder, "lone.xhtml", page(proof()))
    put(folder, "cut.xhtml", page(statement(name="y"), proof(name="y"), "<p>more")[:-20])
    topics = put(tmp_path, "topics.tsv", "0\tmath.AG|math.NT\n1\tcs.LO\n")
    out = tmp_path / "pairs.jsonl"
    arguments = ["arxmliv", str(folder), str(out), "--kind", "unmixed", "--categories", str(topics)]
    assert main([*arguments, "--seed", "3"]) == 0
    pairs = read_pairs(out)
    told = capsys.readouterr()
    assert [pair.source for pair in pairs.pairs] == ["cut", *(f"sub/{number}" for number in range(8))]
    assert [pair.category for pair in pairs.pairs][:4] == ["", "math.AG", "cs.LO", ""]
    assert encode(pairs.pairs[1].statement).startswith("let $i:a be a small wombat that digs ,")
    errors = told.err.splitlines()
    assert any(line.startswith(f"{folder}/cut.xhtml:") and "kept" in line for line in errors)
    assert f"{folder}/lone.xhtml:3: a proof with no statement right before it." in errors
    assert "left out: pairs with a statement of fewer than 20 tokens: 8" in errors
    assert "left out: pairs of articles that are not English: 1" in errors
    assert any(line.startswith("left out: annotations in content markup: ") for line in errors)
    assert "| math.AG | 1 | 1 |" in told.out
    before = out.read_bytes()
    assert main([*arguments, "--seed", "3"]) == 0
    assert out.read_bytes() == before


def test_the_first_complaints_are_shown_and_all_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path, "in/a.xhtml", page(statement(), proof(), *[proof()] * 25))
    assert main(["arxmliv", str(tmp_path / "in"), str(tmp_path / "out.jsonl")]) == 0
    errors = capsys.readouterr().err.splitlines()
    assert sum("no statement right before" in line for line in errors) == 20
    assert "... and 5 more; 25 in all." in errors


def test_nothing_left_is_told_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path, "in/a.xhtml", page(statement("Short."), proof("Short.")))
    out = tmp_path / "out.jsonl"
    assert main(["arxmliv", str(tmp_path / "in"), str(out)]) == 2
    told = "No statement-proof pair is left: pairs with a statement of fewer than 20 tokens: 1"
    assert told in capsys.readouterr().err
    assert main(["naturalproofs", str(tmp_path / "none.json"), str(out)]) == 1
    assert "cannot be read" in capsys.readouterr().err
    assert not out.exists()
