"""Readers of Lean: sources, goals, projects, what Lean reports."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lean_extract.goals import find_goals, format_state, parse_plain_goal, parse_state
from lean_extract.pasted import is_statement, read_pasted
from lean_extract.records import Position, read_records
from lean_extract.session.document import LeanDocument
from lean_extract.session.faults import Above, is_about_compiling, open_end
from lean_extract.session.insertion import axioms_of_names, filled, unfinished_names
from lean_extract.session.places import (
    guessed_edit,
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
from lean_extract.toolchains.compile import header_imports
from lean_extract.traced.ilean import read_ilean
from prover.search.problems import cut_text
from prover.search.theorem import Theorem
from prover.shaped.shape import abstracted
from prover.verify import use_of
from retriever.lean.callers import caller_of
from tests.fuzz.targets.target import JSON_SHAPES, JSON_TEXTS, STATE, Target, in_file
from tests.hostile import shapes


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


def _session(text: str) -> None:
    """What is made of a document before Lean gets it: at a theorem below the text, and in it."""
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


MODULE = (
    "import A.B\nopen Nat in\nvariable {α : Type*} [Group α]\n/-- doc -/\n@[simp, to_additive]\n"
    "theorem t (a b : α) (h : a = b) : b = a := by\n  rw [h]\n  · simp at *\nstructure S extends A where\n"
    "  x : ℕ := 1\ninductive T | a | b (n : ℕ)\ninstance : Inhabited T := ⟨.a⟩\nend X\n"
)
_HEAD = '{"format": "premise-suggest-records", "version": 1, "source": "a", "revision": "b"}\n'
_RECORD = (
    '{"type": "premise", "name": "t", "kind": "theorem", "module": "A", "context": [], "conclusion": "p"}\n'
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

TARGETS: Mapping[str, Target] = {
    "lexer": Target(_lexer, (MODULE,), shapes.LEXICAL),
    "module": Target(lambda text: read_module(text, "A", "A.lean", states=True), (MODULE,), shapes.LEAN),
    "goals": Target(_goals, (STATE,), shapes.GOALS),
    "pasted": Target(lambda text: (is_statement(text), read_pasted(text)), (STATE, MODULE), shapes.GOALS),
    "terms": Target(_terms, ("∀ x ∈ s, f x = (a, b).1", "{x | p x} ∪ s ⊆ t"), shapes.TERMS),
    "canonical": Target(lambda text: (canonical(text), normal_form(text)), ("fun x ↦ a ≥ b",), shapes.TERMS),
    "orientation": Target(oriented, ("a ≥ b ∧ b > c", "∀ x > 0, x ≠ y"), shapes.TERMS),
    "manifest": Target(
        in_file("lake-manifest.json", lambda path: find_project(path.parent)),
        (_MANIFEST, *JSON_TEXTS),
        JSON_SHAPES,
    ),
    "lakefile": Target(
        in_file("lakefile.toml", lambda path: find_project(path.parent)),
        ('name = "a"\n[[lean_lib]]\nname = "A"\nsrcDir = "s"\n',),
        JSON_SHAPES,
    ),
    "ilean": Target(
        in_file("A.ilean", lambda path: read_ilean(path, "theorem t\n𝔸 a")),
        (_ILEAN, *JSON_TEXTS),
        JSON_SHAPES,
    ),
    "records": Target(
        in_file("a.jsonl", lambda path: list(read_records(path, [])), _HEAD + "{}"),
        (_RECORD, *JSON_TEXTS),
        JSON_SHAPES,
    ),
    "session": Target(_session, (MODULE, "theorem t : p := by\n  sorry"), shapes.LEAN),
    "messages": Target(_messages, ("'a' depends on axioms: [sorryAx]", "error: A.lean:1:2: b"), shapes.LEAN),
    "steps": Target(_steps, ("rw [a] at h", "have h : p := by"), shapes.LEAN),
    "tactic": Target(
        _tactic, ("rw [a, ← b] at h ⊢ <;> simp", "exact (by simp)", "· omega -- a"), shapes.LEAN
    ),
    "proposition": Target(
        _take_apart, ("p ∧ (q → r) ∨ ∃ x, p",), {**shapes.LEXICAL, **shapes.TERMS, **shapes.NESTED}
    ),
}
