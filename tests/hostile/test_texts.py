"""Readers of texts that are not Lean's: hostile ones take time in proportion to their length, and end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
import pytest

from lean_extract.syntax.with_notation import restored
from lsp_server.http.new_premises import read_declaration
from lsp_server.http.prefixes import starting_with
from retriever.lean.text_search import is_statement
from retriever.lean.tokens import shape_tokens, text_tokens
from retriever.lean.words.name_search import NameQuery, NameSearch, score
from retriever.lean.words.splitting import split
from retriever.naturalproofs.readers.drafts import Rules
from retriever.naturalproofs.readers.latex import LatexSource
from retriever.naturalproofs.readers.latex_sources import MARKS, OTHERS, STEIN_TYPES
from retriever.naturalproofs.readers.proofwiki import read_proofwiki
from retriever.naturalproofs.readers.statements import read_statements
from retriever.naturalproofs.tokens import pieces, without_links, words_and_pairs
from retriever.proof_matching.readers.arxmliv import article_pairs
from retriever.proof_matching.readers.latex_text import read_text
from retriever.proof_matching.tokens import symbols, words
from tests.hostile.growth import assert_linear
from tests.hostile.shapes import DUMPS, LATEX, LEXICAL, QUERIES, TERMS, WIKI, XML, Shape, repeated

_LARGEST = 1 << 15
"""`python -m scripts.hostile` goes on to 1 MB; what is superlinear is so here as well."""
_DEFINITION = "<page><title>Definition:D</title><revision><text>a</text></revision></page>"


def _statements(published: bool) -> Callable[[str], Any]:
    rules = Rules(STEIN_TYPES, MARKS, OTHERS, published=published)
    return lambda text: read_statements([("a", LatexSource("a.tex", text, published))], rules, [])


def _corpus_words(text: str) -> None:
    pieces(text)
    words_and_pairs(without_links(text))


def _query(text: str) -> None:
    NameQuery.of(text)
    is_statement(text)
    split(text)


def _names(text: str) -> None:
    for names in ([text], text.split()):
        search = NameSearch.of_names(names)
        score([search], NameQuery.of(text[:300]), np.zeros(len(search), dtype=np.int32))


def _symbols(text: str) -> None:
    words(text)
    symbols(text[:-1] + "x", "identifier")


def _client_text(text: str) -> None:
    starting_with(f"exact {text} ", [], [])
    restored(f"Eq a b {text}")
    text_tokens(text)
    shape_tokens(text)


def _some(shapes: Mapping[str, Shape], *words: str) -> dict[str, Shape]:
    """Those with one of these words in their names."""
    return {name: shape for name, shape in shapes.items() if any(word in name for word in words)}


TEXTS = {
    "LaTeX": (_statements(published=False), LATEX),
    "LaTeX, as published": (
        _statements(published=True),
        _some(LATEX, "statements", "ends of nothing", "labels"),
    ),
    "LaTeX with formulas": (
        lambda text: read_text(text, []),
        _some(LATEX, "formula", "notes", "dollars", "marks", "arrows", "options", "matrices", "wiki"),
    ),
    "words of a corpus": (_corpus_words, _some(LATEX, "links", "brackets", "back")),
    "a query": (_query, QUERIES),
    "names": (_names, QUERIES),
    "symbols": (
        _symbols,
        {
            **_some(QUERIES, "marks", "symbols", "quotes"),
            "digits": repeated("1"),
            "dots": repeated("."),
            "numbers": repeated("1."),
        },
    ),
    "what clients send": (
        _client_text,
        {
            **_some(LEXICAL, "open", "quotes", "white", "back"),
            **_some(TERMS, "for all", "parentheses", "lambdas"),
            "at signs": repeated("@"),
            "arrows": repeated("↑"),
        },
    ),
}


def _each(readers: Mapping[str, tuple[Any, Any]]) -> Iterator[Any]:
    for name, (work, shapes) in readers.items():
        for shape_name, shape in shapes.items():
            yield pytest.param(work, shape, id=f"{name}: {shape_name}")


@pytest.mark.parametrize(("work", "shape"), list(_each(TEXTS)))
def test_reading_a_text_is_linear(work: Callable[[str], Any], shape: Shape) -> None:
    assert_linear(work, shape, _LARGEST)


@pytest.mark.parametrize("shape", WIKI.values(), ids=WIKI)
def test_reading_a_page_is_linear(shape: Shape, tmp_path: Path) -> None:
    def work(text: str) -> None:
        path = tmp_path / "wiki.xml"
        page = f"<page><title>T</title><revision><text>{escape(text)}</text></revision></page>"
        path.write_text(f"<mediawiki>{page}{_DEFINITION}</mediawiki>", encoding="utf-8")
        read_proofwiki(path, [])

    assert_linear(work, shape, _LARGEST)


@pytest.mark.parametrize("shape", DUMPS.values(), ids=DUMPS)
def test_reading_a_dump_is_linear(shape: Shape, tmp_path: Path) -> None:
    def work(text: str) -> None:
        path = tmp_path / "wiki.xml"
        path.write_text(f"<mediawiki>{_DEFINITION}{text}</mediawiki>", encoding="utf-8")
        read_proofwiki(path, [])

    assert_linear(work, shape, _LARGEST)


@pytest.mark.parametrize("suffix", [".html", ".xhtml"])
@pytest.mark.parametrize("shape", XML.values(), ids=XML)
def test_reading_an_article_is_linear(shape: Shape, suffix: str, tmp_path: Path) -> None:
    def work(text: str) -> None:
        path = tmp_path / f"article{suffix}"
        path.write_text(f"<html>{text}</html>" if suffix == ".xhtml" else text, encoding="utf-8")
        list(article_pairs(path, tmp_path, {}, [], Counter()))

    assert_linear(work, shape, _LARGEST)


def test_a_declaration_with_an_endless_doc_string_is_read() -> None:
    assert_linear(lambda text: read_declaration("t", f"theorem t : p -- {text}"), repeated(" /--"), _LARGEST)
