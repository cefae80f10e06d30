"""Files of others that ask for too much: that is told, nothing else is read for them, the rest goes on."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from lean_extract.common.errors import BadQuery, BadRecords, BadSource, ModelError
from lean_extract.common.files.json_text import parse_json, shown
from lean_extract.limits import MAX_STATE_CHARACTERS
from lean_extract.records import read_records
from lsp_server.engine.requests import checked_query
from lsp_server.engine.settings import Settings, parse
from prover.search.problems import InvalidProblem, read_minif2f
from retriever.documents.store import read_corpus
from retriever.lean.features import load_fusion
from retriever.limits import MAX_XML_DEPTH
from retriever.naturalproofs.evaluation.generation import read_predictions
from retriever.naturalproofs.readers import dump as dumps
from retriever.naturalproofs.readers.dump import read_pages
from retriever.naturalproofs.readers.latex_sources import read_stein
from retriever.naturalproofs.readers.proofwiki import read_proofwiki
from retriever.proof_matching.readers.arxmliv import article_pairs, read_categories
from retriever.proof_matching.schema import StatementProof
from retriever.proof_matching.store import read_pairs
from retriever.search.fusion import FILE

LAUGHS = "".join(f'<!ENTITY l{number} "{f"&l{number - 1};" * 10}">' for number in range(1, 10))
BOMB = f'<!DOCTYPE a [<!ENTITY l0 "lol">{LAUGHS}]>'
BLOWN = f'<!DOCTYPE a [<!ENTITY b "{"b" * 50_000}">]>'
PAGE = "<page><title>{}</title><revision><text>== Theorem ==\nx</text></revision></page>\n"
DEEP = "[" * 100_000
DIGITS = "9" * 5000


def _short(value: object) -> str:
    return shown(value, 20)


def article(folder: Path, text: str, name: str = "a.xhtml") -> tuple[list[StatementProof], list[str]]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    complaints: list[str] = []
    return list(article_pairs(path, folder, {}, complaints, Counter())), complaints


def theorem(text: str) -> str:
    return f"<div class='ltx_theorem'>{text}</div><div class='ltx_proof'>so it is</div>\n"


@pytest.mark.parametrize(("head", "entity"), [(BOMB, "&l9;"), (BLOWN, "&b;" * 1000)], ids=_short)
def test_entities_that_grow_are_refused(head: str, entity: str, tmp_path: Path) -> None:
    pairs, complaints = article(tmp_path, f"{head}<html>{theorem(entity)}</html>")
    assert pairs == []
    assert len(complaints) == 1
    assert "stands for more than a few characters" in complaints[0]
    path = tmp_path / "dump.xml"
    path.write_text(f"{head}<mediawiki>{PAGE.format(entity)}</mediawiki>", encoding="utf-8")
    with pytest.raises(BadSource, match="stands for more than a few characters"):
        list(read_pages(path, []))


def test_an_entity_of_a_few_characters_is_read(tmp_path: Path) -> None:
    head = '<!DOCTYPE html [<!ENTITY nbsp "&#160;"><!ENTITY two "a b">]>'
    pairs, complaints = article(tmp_path, f"{head}<html>{theorem('c &two;&nbsp;d')}</html>")
    assert [token.text for token in pairs[0].statement] == ["c", "a", "b", "d"]
    assert complaints == []


@pytest.mark.parametrize("kind", ["SYSTEM", 'PUBLIC "x"'])
def test_no_other_file_is_read_for_an_entity(kind: str, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("hidden", encoding="utf-8")
    place = (tmp_path / "secret.txt").as_uri()
    for declared, used in (
        (f'<!ENTITY s {kind} "{place}">', "&s;"),
        (f'<!ENTITY % s {kind} "{place}">%s;', ""),
    ):
        pairs, _ = article(tmp_path, f"<!DOCTYPE html [{declared}]><html>{theorem(f'a {used} b')}</html>")
        assert all("hidden" not in [token.text for token in pair.statement] for pair in pairs)
    pairs, _ = article(tmp_path, f'<!DOCTYPE html {kind} "{place}"><html>{theorem("a")}</html>')
    assert [token.text for token in pairs[0].statement] == ["a"]


@pytest.mark.parametrize("name", ["a.xhtml", "a.html"])
def test_elements_too_deep_end_an_article(name: str, tmp_path: Path) -> None:
    for inside in (theorem("a"), ""):
        text = f"<html>{inside}{'<b>' * (MAX_XML_DEPTH + 1)}"
        pairs, complaints = article(tmp_path, text, name)
        assert len(pairs) == bool(inside)
        assert "nested more than 2,000 deep" in complaints[0]


@pytest.mark.parametrize(
    "odd", ["<![ x", "<![foo[", f"&#{'1' * 5000};", "<!a [<", "<a " * 5000, "<!-- " * 5000], ids=_short
)
def test_html_that_the_parser_does_not_know_ends_an_article(odd: str, tmp_path: Path) -> None:
    pairs, _ = article(tmp_path, f"<html>{theorem('a')}{odd}", "a.html")
    assert [token.text for token in pairs[0].statement] == ["a"]


def test_a_page_or_a_dump_without_end_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "dump.xml"
    path.write_text(
        f"<mediawiki>{PAGE.format('A')}{PAGE.format('B').replace('>== ', '>' + 'x' * 5_000_000)}", "utf-8"
    )
    complaints: list[str] = []
    assert [page.title for page in read_pages(path, complaints)] == ["A"]
    assert "a page has more than 4,194,304 characters; the 1 pages before" in complaints[0]
    monkeypatch.setattr(dumps, "MAX_CORPUS_BYTES", 1 << 21)
    path.write_text(f"<mediawiki>{PAGE.format('A')}{' ' * 5_000_000}", "utf-8")
    complaints.clear()
    assert [page.title for page in read_pages(path, complaints)] == ["A"]
    assert "the dump is larger than 2 MiB" in complaints[0]


def test_a_title_that_no_wiki_has_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "dump.xml"
    path.write_text(f"<mediawiki>{PAGE.format('A')}{PAGE.format('B' * 2000)}</mediawiki>", "utf-8")
    complaints: list[str] = []
    assert [one.title for one in read_proofwiki(path, complaints).theorems] == ["A"]
    assert "the title is longer than 1,000 characters" in complaints[0]


def test_statements_too_deep_in_each_other_are_told(tmp_path: Path) -> None:
    path = tmp_path / "body.tex"
    path.write_text("\\begin{theorem}\nx\n" * 40 + "\\end{theorem}\n" * 40, encoding="utf-8")
    complaints: list[str] = []
    assert len(read_stein(path, complaints).theorems) == 16
    assert len([one for one in complaints if "nested too deeply" in one]) == 24


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFOs")
def test_a_fifo_is_no_corpus(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for read in (
        lambda: read_corpus(fifo),
        lambda: read_pairs(fifo),
        lambda: read_predictions(fifo, [], {1}),
        lambda: list(read_records(fifo)),
    ):
        with pytest.raises(BadRecords, match="not a regular file"):
            read()
    for read_source in (
        lambda: list(read_pages(fifo, [])),
        lambda: read_categories(fifo, []),
        lambda: read_minif2f(fifo, tmp_path),
    ):
        with pytest.raises(BadSource, match="not a regular file"):
            read_source()
    complaints: list[str] = []
    assert list(article_pairs(fifo, tmp_path, {}, complaints, Counter())) == []
    assert "not a regular file" in complaints[0]


@pytest.mark.parametrize(
    "text", [DEEP, '{"a":' * 100_000, "NaN", "[1e400]", "-Infinity", DIGITS, "\ud800", ""], ids=_short
)
def test_json_that_is_none_is_one_kind_of_error(text: str) -> None:
    with pytest.raises(ValueError):
        parse_json(text)
    with pytest.raises(ValueError):
        parse_json(text.encode(errors="surrogatepass"))


def test_what_cannot_be_shown_is_told() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert shown(deep) == "list too large to show"
    assert shown(10**5000) == "int too large to show"
    assert shown("x" * 100) == repr("x" * 100)[:37] + "..."


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), -float("inf"), 1e300, 10**5000, "9", [[]], {}], ids=_short
)
def test_no_value_of_a_setting_escapes(value: object) -> None:
    for group, name in (
        ("lean", "slots"),
        ("lean", "startSeconds"),
        ("tactics", "extra"),
        ("premises", "count"),
    ):
        settings, complaints = parse({group: {name: value}})
        assert settings == Settings()
        assert len(complaints) == 1
    assert len(parse({f"{'x' * 10_000}{number}": value for number in range(10_000)})[1]) == 21
    assert max(map(len, parse({f"{'x' * 10_000}{number}": value for number in range(30)})[1])) < 400


@pytest.mark.parametrize(
    "text", [DEEP, '{"weights": 1e400}', '{"version": NaN}', '{"version": ' + DIGITS + "}"], ids=_short
)
def test_weights_that_are_none_are_told(text: str, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match="damaged"):
        load_fusion(tmp_path)


def test_problems_that_are_none_are_told(tmp_path: Path) -> None:
    path = tmp_path / "problems.jsonl"
    good = {"name": "a", "header": "", "statement": "theorem a : 1 = 1 := by"}
    lines = [DEEP, '{"name": NaN}', DIGITS, json.dumps(good)]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert [isinstance(one, InvalidProblem) for one in read_minif2f(path, tmp_path)] == [True] * 3 + [False]


def test_a_query_longer_than_is_read_is_refused_at_every_door() -> None:
    assert checked_query("a" * MAX_STATE_CHARACTERS)
    with pytest.raises(BadQuery, match="200,001 characters; at most 200,000"):
        checked_query("a" * (MAX_STATE_CHARACTERS + 1))
