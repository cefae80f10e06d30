"""What is fuzzed: each reader as a function of a text, the errors for people that it may raise, and seeds."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
from pygls.exceptions import JsonRpcInvalidParams

from lean_extract.common.errors import BadRecords, PremiseSuggestError, UserError
from lean_extract.goals import find_goals, format_goal, format_state, parse_plain_goal, parse_state
from lean_extract.pasted import is_statement, read_pasted
from lean_extract.records import Goal, Hypothesis, Position, Premise, ProofState, read_records
from lean_extract.session.document import LeanDocument
from lean_extract.session.faults import Above, is_about_compiling, open_end
from lean_extract.session.insertion import axioms_of_names, filled, unfinished_names
from lean_extract.session.places import (
    default_position,
    guessed_edit,
    is_term_position,
    sorry_near,
    tactic_word,
)
from lean_extract.session.suggested import lint_of
from lean_extract.session.tactic_sites import guesses, snap, tactic_starts
from lean_extract.source.projects.project import find_project
from lean_extract.source.proofs.propositions import (
    Proposition,
    conjuncts,
    destructured,
    introduced,
    top_level,
)
from lean_extract.source.reader import read_module
from lean_extract.syntax.axioms import axioms_in
from lean_extract.syntax.canonical import canonical, normal_form
from lean_extract.syntax.complete_tactics import complete
from lean_extract.syntax.lexer import comment_left_open, raw_tokens, tokenize, unread_at
from lean_extract.syntax.orientation import oriented
from lean_extract.syntax.premise_mentions import endings
from lean_extract.syntax.premise_mentions import pieces as mentioned_pieces
from lean_extract.syntax.symbol_terms import parse_term
from lean_extract.syntax.tactic_text import brackets, code, defect, has_sorry, proves_nothing
from lean_extract.syntax.types import premises_of, strip
from lean_extract.syntax.with_notation import restored
from lean_extract.toolchains.compile import header_imports
from lean_extract.traced.ilean import read_ilean
from lsp_server.documents.completion_context import completion_at, questions
from lsp_server.documents.declarations import declaration_span
from lsp_server.documents.insertion import import_insertion, name_insertion
from lsp_server.documents.positions import position_at
from lsp_server.engine.requests import checked_query, is_goal, main_goal, parse_goal
from lsp_server.engine.settings import parse
from lsp_server.http.new_premises import read_declaration
from lsp_server.http.prefixes import starting_with
from lsp_server.protocol.parameters import Parameters
from prover.candidates import FinishingTactics, Templates
from prover.generator.prompt import encode_prompt
from prover.search.problems import cut_text
from prover.search.theorem import Theorem
from prover.shaped.shape import abstracted
from prover.states import adds_nothing, fingerprint
from prover.verify import use_of
from retriever.lean import text_search
from retriever.lean.callers import caller_of
from retriever.lean.patterns.query import is_pattern, parse_pattern
from retriever.lean.structure.hashes import of_goal, of_premise
from retriever.lean.symbols import goal_symbols
from retriever.lean.tokens import goal_tokens, premise_tokens, shape_tokens, text_tokens
from retriever.lean.words.name_search import NameQuery, NameSearch, score
from retriever.lean.words.splitting import split
from retriever.models.text import premise_texts, readable, state_text, unrelated_share
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
from tests.hostile import shapes

_LARGE = 1 << 15
CORPUS = Path(__file__).parent / "corpus"


@dataclass(frozen=True, slots=True)
class Target:
    """A reader."""

    run: Callable[[str], Any]
    seeds: tuple[str, ...]
    """Ordinary texts, and tokens that it looks for."""
    shapes: Mapping[str, shapes.Shape]
    allowed: tuple[type[Exception], ...] = (PremiseSuggestError,)


def text_of(data: bytes) -> str:
    """Any bytes as a text; what is no UTF-8 becomes lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    """About the bytes of a text; a surrogate that no byte makes is written as JSON does."""
    return text.encode("utf-8", "surrogateescape" if _is_escaped(text) else "backslashreplace")


def _is_escaped(text: str) -> bool:
    return all("\udc80" <= letter <= "\udcff" for letter in text if "\ud800" <= letter <= "\udfff")


def seeds_of(name: str) -> list[bytes]:
    """What is kept of a target in the corpus, its seeds, and short texts of its shapes."""
    target = TARGETS[name]
    kept = [path.read_bytes() for path in sorted((CORPUS / name).glob("*"))]
    made = [shape(size) for shape in target.shapes.values() for size in (60, 600)]
    return kept + [bytes_of(text) for text in (*target.seeds, *made)]


def large_of(name: str) -> list[bytes]:
    """Its shapes, long enough to be slow where a reader is."""
    return [bytes_of(shape(_LARGE)) for shape in TARGETS[name].shapes.values()]


def _in_file(name: str, read: Callable[[Path], Any], wrap: str = "{}") -> Callable[[str], Any]:
    """A reader of files as one of texts."""
    folder = tempfile.TemporaryDirectory(prefix="fuzz")

    def run(text: str) -> Any:
        path = Path(folder.name) / name
        path.write_bytes(bytes_of(wrap.replace("{}", text)))
        return read(path)

    run.folder = folder  # type: ignore[attr-defined]  # it is there as long as the reader is
    return run


def _lexer(text: str) -> None:
    tokens = tokenize(text)
    for index in range(0, len(tokens.texts), 16):
        tokens.column(index)
        tokens.source(index, min(index + 32, len(tokens.texts)))
    tokens.source(0, len(tokens.texts))
    tokens.has_sorry(0, len(tokens.texts))
    comment_left_open(tokens)
    unread_at(text, len(text) - 1)


def _goals(text: str) -> None:
    find_goals(text)
    parse_plain_goal({"rendered": text, "goals": [text]})
    state = parse_state(text)
    assert parse_state(format_state(state)) is not None


def _terms(text: str) -> None:
    parse_term(text)


def _names(text: str) -> None:
    first, _, rest = text.partition("\n")
    search = NameSearch.of_names(rest.split())
    found = score([search], NameQuery.of(first), np.zeros(len(search), dtype=np.int32))
    assert np.isfinite(found).all()


def _words_of_a_corpus(text: str) -> None:
    pieces(text)
    words_and_pairs(without_links(text))


def _symbols(text: str) -> None:
    words(text)
    symbols(text[:-1] + "x", "identifier")


def _query(text: str) -> None:
    query = checked_query(text)
    split(query)
    is_goal(query)
    text_search.is_statement(query)
    text_search._tokens(NameQuery.of(query))
    text_tokens(query)
    shape_tokens(query)


def _json(read: Callable[[Any], Any]) -> Callable[[str], Any]:
    """A reader of values that came as JSON."""

    def run(text: str) -> Any:
        try:
            values = json.loads(text)
        except (ValueError, RecursionError):
            return None  # whoever reads the message has told it
        return read(values)

    return run


def _parameters(values: Any) -> None:
    given = Parameters("premiseSuggest/search", values, frozenset({"query", "k", "textDocument", "position"}))
    for read in (given.uri, given.position):
        try:
            read()
        except JsonRpcInvalidParams:
            continue
    for read_named in (given.text, given.needed):
        try:
            read_named("query", "words")
        except JsonRpcInvalidParams:
            continue
    given.number("k")


def _document(text: str) -> None:
    lines = text.split("\n")
    last = Position(len(lines) - 1, len(lines[-1]))
    middle = Position(len(lines) // 2, len(lines[len(lines) // 2]) // 2)
    for position in (last, middle):
        for beginning in ("", " exact ", "\n  rw [a, ", " := "):
            typed = text + beginning
            at = position if position is middle else position_at(typed, len(typed))
            context = completion_at(typed, at)
            if context is not None:
                list(questions(typed, context))
        line = lines[position.line]
        tactic_word(line, position.column)
        default_position(lines, position.line)
        name_insertion(lines, position, "a.b")
    sorry_near(lines, Position(0, 0), last)
    is_term_position(text, len(text))
    import_insertion(lines, "import A")
    declaration_span(lines, "a.b", 1)


def _session(text: str) -> None:
    """What is made of a document before Lean is asked: at a theorem below the text, and in it."""
    document = LeanDocument(f"{text}\ntheorem t : p := by\n  sorry")
    header_imports(document.header)
    last = document.position(len(document.text))
    middle = document.position(len(document.text) // 2)
    for position in (last, middle, Position(0, 0)):
        unread_at(document.text, document.offset(position))
        tactic_starts(document, snap(document, position))
        guessed_edit(document, position, "first | a | b")
        for site in guesses(document, position, is_term=None)[:2]:
            site.patched("simp")
            site.names_itself("simp")
            Above(site.above, document.header)
            filled(site, None)
            axioms_of_names(site, "simp")
        open_end(document, *document.declaration(document.offset(position)))


def _messages(text: str) -> None:
    """What Lean says."""
    axioms_in(f"'a' depends on axioms: [{text}")
    unfinished_names([{"message": text}, {"message": f"'{text}"}])
    list(lint_of(f"{text}\nset_option linter.a false", Position(0, 0), Position(0, 9)))
    is_about_compiling(text)


def _steps(text: str) -> None:
    """What is made of a proof's steps."""
    complete(text)
    caller_of(text)
    use_of(text)
    abstracted(text, ("A.b",), {"h": True})
    cut_text(f"theorem t : p := by\n{text}", "A", "A.lean")
    Theorem.stated(Path("A.lean"), "import A", f"theorem t : p {text}")


def _tactic(text: str) -> None:
    for read in (defect, proves_nothing, has_sorry, brackets, code):
        read(text)


def _clients(text: str) -> None:
    restored(text)
    restored(f"Eq a b {text}")
    read_declaration("t", text)
    starting_with(text[:1000], [], [])
    starting_with(f"exact {text} ", [], [])
    text_tokens(text)
    shape_tokens(text)


def _latex(text: str) -> None:
    for published in (False, True):
        source = LatexSource("a.tex", text, published)
        read_statements([("a", source)], Rules(STEIN_TYPES, MARKS, OTHERS, published=published), [])


def _article(path: Path) -> None:
    list(article_pairs(path, path.parent, {}, [], Counter()))


def _wiki(text: str) -> None:
    _WIKI_FILE(escape(text))


_PREMISES = (
    Premise("Nat.add_comm", "theorem", "A", ("(n m : ℕ)",), "n + m = m + n"),
    Premise("le_trans", "theorem", "A", ("{a b c : α}",), "a ≤ b → b ≤ c → a ≤ c"),
    Premise("and_comm", "theorem", "A", (), "a ∧ b ↔ b ∧ a"),
    Premise("f", "def", "A", (), "ℕ → ℕ"),
)


def _goal_of(term: str) -> Goal:
    return Goal((Hypothesis(("h", "x"), term), Hypothesis(("y",), "ℕ", term)), term)


def _premise_of(term: str) -> Premise:
    return Premise("a", "theorem", "A", (f"(h : {term})",), term)


def _read_as_model(goal: Goal) -> None:
    """All that the retriever reads of a goal, but for the encoder."""
    normal_form(goal.target)
    goal = readable(goal)
    state_text(goal)
    unrelated_share(goal)
    goal_tokens(goal)
    goal_symbols(goal)
    of_goal(goal)


def _read_as_prover(goal: Goal) -> None:
    """All that the prover reads of a goal."""
    Templates().candidates(goal, _PREMISES, 50)
    FinishingTactics().candidates(goal, _PREMISES, 50)
    fingerprint(ProofState((goal,)))
    adds_nothing(goal, ProofState((goal,)))
    encode_prompt("numbered", [goal], _PREMISES, 512)


def _read_state(text: str) -> None:
    """A state that a client sends, from its door on."""
    try:
        goal = main_goal(parse_goal(text)).rewritten(restored)
    except UserError:
        find_goals(text)
        return
    format_goal(goal)
    _read_as_model(goal)
    _read_as_prover(goal)


def _read_term(term: str) -> None:
    """A term as a target, a type, a value."""
    _read_as_model(_goal_of(term))
    _read_as_prover(_goal_of(term))


def _read_premise(term: str) -> None:
    """A term as the statement of a premise and in its context."""
    premise = _premise_of(term)
    premise_tokens(premise)
    premise_texts(premise)
    of_premise(premise)
    Templates().candidates(Goal((), "a = b"), [premise], 50)


def _take_apart(term: str) -> None:
    """What tactics would make of it, and what it says as a tactic itself."""
    texts = [token.rstrip() for token in raw_tokens(term)]
    strip(texts, (0, len(texts)))
    premises_of(texts, (0, len(texts)))
    proposition = Proposition(term)
    proposition.operator()
    proposition.text(proposition.shape.right)
    conjuncts(term)
    introduced(term, ["a", "⟨b, c⟩", "d | e"])
    destructured(term, "⟨a, b | c, ⟨d, e⟩⟩")
    destructured("p ∧ q", term)
    top_level(term, ",")
    use_of(f"exact {term}")
    has_sorry(term)
    proves_nothing(term)
    brackets(term)
    mentioned_pieces(term, endings(["A.b.c"]))


_JSON_SHAPES = {
    "lists": shapes.nested("[", "]"),
    "objects": shapes.nested('{"a":', "}", inside="1"),
    "digits": shapes.repeated("9"),
}
_WORDS = ("NaN", "1e400", "-1", "null", '"\\ud800"', '"a"', "{}", "[]", '{"a": 1}')
_STATE = "α : Type u\ninst✝ : Group α\na b : α\nh : a * b = 1\n⊢ b * a = 1"
_MODULE = (
    "import A.B\nopen Nat in\nvariable {α : Type*} [Group α]\n/-- doc -/\n@[simp, to_additive]\n"
    "theorem t (a b : α) (h : a = b) : b = a := by\n  rw [h]\n  · simp at *\nstructure S extends A where\n"
    "  x : ℕ := 1\ninductive T | a | b (n : ℕ)\ninstance : Inhabited T := ⟨.a⟩\nend X\n"
)
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
_HEAD = '{"format": "premise-suggest-records", "version": 1, "source": "a", "revision": "b"}\n'
_RECORD = (
    '{"type": "premise", "name": "t", "kind": "theorem", "module": "A", "context": [], "conclusion": "p"}\n'
)
_PAIR = (
    '{"format": "match-pairs", "version": 1, "pairs": 1}\n{"key": "a", "part": "train", "kind": "lemma", '
    '"category": "", "source": "", "place": "", "statement": "let $i:x be", "proof": "$obold:= a"}\n'
)
_ILEAN = (
    '{"version": 4, "module": "A", "decls": {"t": [0, 0, 0, 1, 0, 0, 0, 1]}, "references": '
    '{"{\\"c\\": {\\"m\\": \\"A\\", \\"n\\": \\"t\\"}}": {"definition": [0, 0, 0, 1], "usages": '
    '[[0, 0, 0, 1, "t"]]}}}'
)
_MANIFEST = (
    '{"packagesDir": ".lake/packages", "packages": [{"name": "a", "dir": "b", "rev": "c", "subDir": "d"}, '
    '{"git": {"name": "«x»"}}]}'
)

_WIKI_FILE = _in_file(
    "wiki.xml",
    lambda path: read_proofwiki(path, []),
    "<mediawiki><page><title>T</title><revision><text>{}</text></revision></page></mediawiki>",
)

TARGETS: Mapping[str, Target] = {
    "lexer": Target(_lexer, (_MODULE,), shapes.LEXICAL),
    "module": Target(lambda text: read_module(text, "A", "A.lean", states=True), (_MODULE,), shapes.LEAN),
    "goals": Target(_goals, (_STATE,), shapes.GOALS),
    "pasted": Target(lambda text: (is_statement(text), read_pasted(text)), (_STATE, _MODULE), shapes.GOALS),
    "terms": Target(_terms, ("∀ x ∈ s, f x = (a, b).1", "{x | p x} ∪ s ⊆ t"), shapes.TERMS),
    "canonical": Target(lambda text: (canonical(text), normal_form(text)), ("fun x ↦ a ≥ b",), shapes.TERMS),
    "orientation": Target(oriented, ("a ≥ b ∧ b > c", "∀ x > 0, x ≠ y"), shapes.TERMS),
    "names": Target(_names, ("mul comm\nNat.mul_comm Nat.add_comm", "«a b»\nsInter"), shapes.QUERIES),
    "query": Target(_query, ("mean value theorem", "a ≤ b"), {**shapes.QUERIES, **shapes.TERMS}),
    "settings": Target(
        _json(parse),
        ('{"premiseSuggest": {"lean": {"slots": 2}, "tactics": {"extra": ["ring"]}}}', *_WORDS),
        _JSON_SHAPES,
    ),
    "parameters": Target(
        _json(_parameters),
        (
            '{"query": "a", "k": 1, "textDocument": {"uri": "a"}, "position": {"line": 0, "character": 1}}',
            *_WORDS,
        ),
        _JSON_SHAPES,
        (PremiseSuggestError, JsonRpcInvalidParams),
    ),
    "document": Target(
        _document, (_MODULE, "theorem t : p := by\n  rw [a, ← b", "import A\nexact "), shapes.LEAN
    ),
    "manifest": Target(
        _in_file("lake-manifest.json", lambda path: find_project(path.parent)),
        (_MANIFEST, *_WORDS),
        _JSON_SHAPES,
    ),
    "lakefile": Target(
        _in_file("lakefile.toml", lambda path: find_project(path.parent)),
        ('name = "a"\n[[lean_lib]]\nname = "A"\nsrcDir = "s"\n',),
        _JSON_SHAPES,
    ),
    "ilean": Target(
        _in_file("A.ilean", lambda path: read_ilean(path, "theorem t\n𝔸 a")), (_ILEAN, *_WORDS), _JSON_SHAPES
    ),
    "records": Target(
        _in_file("a.jsonl", lambda path: list(read_records(path, [])), _HEAD + "{}"),
        (_RECORD, *_WORDS),
        _JSON_SHAPES,
    ),
    "latex": Target(_latex, (_LATEX,), shapes.LATEX),
    "formulas": Target(
        lambda text: read_text(text, []), (_LATEX, "$\\ar@{->}[r] \\left@a{b}$"), shapes.LATEX
    ),
    "wiki": Target(_wiki, (_PAGE,), shapes.WIKI),
    "dump": Target(
        _in_file("dump.xml", lambda path: read_proofwiki(path, []), "<mediawiki>{}</mediawiki>"),
        (_XML_PAGE, "<!ENTITY a 'b'>&a;"),
        {**shapes.DUMPS, **shapes.XML},
    ),
    "xml": Target(_in_file("a.xhtml", _article), (_ARTICLE, "<!DOCTYPE a [<!ENTITY b 'c'>]>"), shapes.XML),
    "html": Target(
        _in_file("a.html", _article), (_ARTICLE, "<![CDATA[a]]>", "<!a [b]>", "<?a?>"), shapes.XML
    ),
    "mathml": Target(
        _in_file("m.html", _article, "<div class='theorem'><math>{}</math></div><div class='proof'>a</div>"),
        (_MATH,),
        shapes.XML,
    ),
    "corpus": Target(_in_file("c.json", BACKEND.read), (_CORPUS_JSON, *_WORDS), _JSON_SHAPES),
    "predictions": Target(
        _in_file("p.jsonl", lambda path: read_predictions(path, [(1, 0)], {1})),
        ('{"example": [1, 0], "references": [1]}\n', *_WORDS),
        _JSON_SHAPES,
        (BadRecords,),
    ),
    "pairs": Target(
        _in_file("pairs.jsonl", lambda path: read_pairs(path, [])), (_PAIR, *_WORDS), _JSON_SHAPES
    ),
    "session": Target(_session, (_MODULE, "theorem t : p := by\n  sorry"), shapes.LEAN),
    "messages": Target(_messages, ("'a' depends on axioms: [sorryAx]", "error: A.lean:1:2: b"), shapes.LEAN),
    "steps": Target(_steps, ("rw [a] at h", "have h : p := by"), shapes.LEAN),
    "pattern": Target(
        lambda text: is_pattern(text) and parse_pattern(text),
        ("?a + ?b = _, |- p", '"add"'),
        {**shapes.QUERIES, **shapes.TERMS},
    ),
    "tactic": Target(
        _tactic, ("rw [a, ← b] at h ⊢ <;> simp", "exact (by simp)", "· omega -- a"), shapes.LEAN
    ),
    "clients": Target(
        _clients,
        ("theorem t (n : Nat) : Eq (HAdd.hAdd n 0) n", "exact foo."),
        {**shapes.LEXICAL, **shapes.TERMS, "doc strings": shapes.repeated(" /--", "theorem t : p -- ")},
    ),
    "words": Target(_words_of_a_corpus, (_PAGE, _LATEX), shapes.LATEX),
    "symbols": Target(_symbols, ("x_1 + \\alpha",), shapes.QUERIES),
    "state": Target(_read_state, (_STATE,), shapes.GOALS),
    "term": Target(_read_term, ("∀ x ∈ s, f x = (a, b).1",), shapes.NESTED),
    "premise": Target(_read_premise, ("{x | p x} ∪ s ⊆ t",), {**shapes.LEXICAL, **shapes.NESTED}),
    "proposition": Target(
        _take_apart, ("p ∧ (q → r) ∨ ∃ x, p",), {**shapes.LEXICAL, **shapes.TERMS, **shapes.NESTED}
    ),
}
"""By name."""
