"""Readers of collections of proofs: LaTeX, wikis, articles, their words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import escape

from lean_extract.common.errors import BadRecords
from retriever.naturalproofs.backend import BACKEND
from retriever.naturalproofs.evaluation.generation import read_predictions
from retriever.naturalproofs.readers.drafts import Rules
from retriever.naturalproofs.readers.latex import LatexSource
from retriever.naturalproofs.readers.latex_sources import MARKS, OTHERS, STEIN_TYPES
from retriever.naturalproofs.readers.proofwiki import read_proofwiki
from retriever.naturalproofs.readers.statements import read_statements
from retriever.naturalproofs.tokens import pieces, without_links, words_and_pairs
from retriever.proof_matching.readers.arxmliv import article_pairs
from retriever.proof_matching.readers.latex_text import read_text
from retriever.proof_matching.store import read_pairs
from retriever.proof_matching.tokens import symbols, words
from tests.fuzz.targets.target import JSON_SHAPES, JSON_TEXTS, Target, in_file
from tests.hostile import shapes


def _words_of_a_corpus(text: str) -> None:
    pieces(text)
    words_and_pairs(without_links(text))


def _symbols(text: str) -> None:
    words(text)
    symbols(text[:-1] + "x", "identifier")


def _latex(text: str) -> None:
    for published in (False, True):
        source = LatexSource("a.tex", text, published)
        read_statements([("a", source)], Rules(STEIN_TYPES, MARKS, OTHERS, published=published), [])


def _article(path: Path) -> None:
    list(article_pairs(path, path.parent, {}, [], Counter()))


def _wiki(text: str) -> None:
    _WIKI_FILE(escape(text))


_LATEX = (
    "\\begin{theorem}[Name \\cite{a}]\\label{t} Let $x \\in \\mathbb{R}$ \\ref{t}. % no\n\\end{theorem}\n"
    "\\begin{proof}[of \\ref{t}] \\verb|a| \\[ \\text{if $a$} \\frac12 \\] \\end{proof} \\proof b \\bbox"
)
_PAGE = (
    "== Theorem ==\n[[Definition:A|a]] {{:b}}\n=== x ===\n<nowiki>a</nowiki>\n== Proof ==\n[[Category:A]]\n"
)
_XML_PAGE = "<page><title>T</title><revision><text>== Theorem ==\na</text></revision></page>"
_ARTICLE = (
    "<html><body><div class='ltx_theorem ltx_theorem_lemma' id='a'><p>Let <math><semantics><mi>x</mi>"
    "<annotation-xml encoding='MathML-Content'><ci>x</ci></annotation-xml></semantics></math> &nbsp; &#65;"
    "</p></div><div class='ltx_proof'><mfenced><mi mathvariant='bold'>y</mi><mo>=</mo></mfenced><br>b</div>"
)
_MATH = "<mrow><mi>x</mi><mo>=</mo><mn>1.5</mn><mtext>if all</mtext><ms>a</ms><mstyle>b</mstyle></mrow>"
_STATEMENT = (
    '{"id": 1, "type": "theorem", "label": "t", "title": "T", "contents": ["a"], "refs": ["t"],'
    ' "ref_ids": [1], "proofs": [{"contents": ["b"], "refs": ["t"], "ref_ids": [1]}]}'
)
_CORPUS_JSON = f'{{"dataset": {{"theorems": [{_STATEMENT}], "definitions": [], "others": []}}}}'
_PAIR = (
    '{"format": "match-pairs", "version": 1, "pairs": 1}\n{"key": "a", "part": "train", "kind": "lemma", '
    '"category": "", "source": "", "place": "", "statement": "let $i:x be", "proof": "$obold:= a"}\n'
)
_WIKI_FILE = in_file(
    "wiki.xml",
    lambda path: read_proofwiki(path, []),
    "<mediawiki><page><title>T</title><revision><text>{}</text></revision></page></mediawiki>",
)

TARGETS: Mapping[str, Target] = {
    "latex": Target(_latex, (_LATEX,), shapes.LATEX),
    "formulas": Target(
        lambda text: read_text(text, []), (_LATEX, "$\\ar@{->}[r] \\left@a{b}$"), shapes.LATEX
    ),
    "wiki": Target(_wiki, (_PAGE,), shapes.WIKI),
    "dump": Target(
        in_file("dump.xml", lambda path: read_proofwiki(path, []), "<mediawiki>{}</mediawiki>"),
        (_XML_PAGE, "<!ENTITY a 'b'>&a;"),
        {**shapes.DUMPS, **shapes.XML},
    ),
    "xml": Target(in_file("a.xhtml", _article), (_ARTICLE, "<!DOCTYPE a [<!ENTITY b 'c'>]>"), shapes.XML),
    "html": Target(in_file("a.html", _article), (_ARTICLE, "<![CDATA[a]]>", "<!a [b]>", "<?a?>"), shapes.XML),
    "mathml": Target(
        in_file("m.html", _article, "<div class='theorem'><math>{}</math></div><div class='proof'>a</div>"),
        (_MATH,),
        shapes.XML,
    ),
    "corpus": Target(in_file("c.json", BACKEND.read), (_CORPUS_JSON, *JSON_TEXTS), JSON_SHAPES),
    "predictions": Target(
        in_file("p.jsonl", lambda path: read_predictions(path, [(1, 0)], {1})),
        ('{"example": [1, 0], "references": [1]}\n', *JSON_TEXTS),
        JSON_SHAPES,
        (BadRecords,),
    ),
    "pairs": Target(
        in_file("pairs.jsonl", lambda path: read_pairs(path, [])), (_PAIR, *JSON_TEXTS), JSON_SHAPES
    ),
    "words": Target(_words_of_a_corpus, (_PAGE, _LATEX), shapes.LATEX),
    "symbols": Target(_symbols, ("x_1 + \\alpha",), shapes.QUERIES),
}
