"""Readers of what clients send: queries, settings, documents, states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from pygls.exceptions import JsonRpcInvalidParams

from lean_extract.common.errors import PremiseSuggestError, UserError
from lean_extract.goals import find_goals, format_goal
from lean_extract.records import Goal, Hypothesis, Position, Premise, ProofState
from lean_extract.session.places import (
    default_position,
    is_term_position,
    sorry_near,
    tactic_word,
)
from lean_extract.syntax.canonical import normal_form
from lean_extract.syntax.with_notation import restored
from lsp_server.documents.completion_context import completion_at, questions
from lsp_server.documents.declarations import declaration_span
from lsp_server.documents.insertion import import_insertion, name_insertion
from lsp_server.documents.positions import position_at
from lsp_server.engine.requests import checked_query, main_goal, parse_goal
from lsp_server.engine.settings import parse
from lsp_server.http.new_premises import read_declaration
from lsp_server.http.prefixes import starting_with
from lsp_server.protocol.parameters import Parameters
from prover.candidates import FinishingTactics, Templates
from prover.generator.prompt import encode_prompt
from prover.states import adds_nothing, fingerprint
from retriever.lean import text_search
from retriever.lean.patterns.query import is_pattern, parse_pattern
from retriever.lean.structure.hashes import of_goal, of_premise
from retriever.lean.symbols import goal_symbols
from retriever.lean.tokens import goal_tokens, premise_tokens, shape_tokens, text_tokens
from retriever.lean.words.name_search import NameQuery, NameSearch, score
from retriever.lean.words.reading import readings
from retriever.lean.words.splitting import split
from retriever.lean.words.vocabulary import word_tokens
from retriever.models.text import premise_texts, readable, state_text, unrelated_share
from tests.fuzz.targets.lean import MODULE
from tests.fuzz.targets.target import JSON_SHAPES, JSON_TEXTS, STATE, Target, json_values
from tests.hostile import shapes


def _names(text: str) -> None:
    first, _, rest = text.partition("\n")
    search = NameSearch.of_names(rest.split())
    found = score([search], NameQuery.of(first), np.zeros(len(search), dtype=np.int32))
    assert np.isfinite(found).all()


def _query(text: str) -> None:
    query = checked_query(text)
    split(query)
    readings(query)
    word_tokens(query)
    text_search._tokens(NameQuery.of(query))
    text_tokens(query)
    shape_tokens(query)


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


def _clients(text: str) -> None:
    restored(text)
    restored(f"Eq a b {text}")
    read_declaration("t", text)
    starting_with(text[:1000], [], [])
    starting_with(f"exact {text} ", [], [])
    text_tokens(text)
    shape_tokens(text)


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


TARGETS: Mapping[str, Target] = {
    "names": Target(_names, ("mul comm\nNat.mul_comm Nat.add_comm", "«a b»\nsInter"), shapes.QUERIES),
    "query": Target(_query, ("mean value theorem", "a ≤ b"), {**shapes.QUERIES, **shapes.TERMS}),
    "settings": Target(
        json_values(parse),
        ('{"premiseSuggest": {"lean": {"slots": 2}, "tactics": {"extra": ["ring"]}}}', *JSON_TEXTS),
        JSON_SHAPES,
    ),
    "parameters": Target(
        json_values(_parameters),
        (
            '{"query": "a", "k": 1, "textDocument": {"uri": "a"}, "position": {"line": 0, "character": 1}}',
            *JSON_TEXTS,
        ),
        JSON_SHAPES,
        (PremiseSuggestError, JsonRpcInvalidParams),
    ),
    "document": Target(
        _document, (MODULE, "theorem t : p := by\n  rw [a, ← b", "import A\nexact "), shapes.LEAN
    ),
    "pattern": Target(
        lambda text: is_pattern(text) and parse_pattern(text),
        ("?a + ?b = _, |- p", '"add"'),
        {**shapes.QUERIES, **shapes.TERMS},
    ),
    "clients": Target(
        _clients,
        ("theorem t (n : Nat) : Eq (HAdd.hAdd n 0) n", "exact foo."),
        {**shapes.LEXICAL, **shapes.TERMS, "doc strings": shapes.repeated(" /--", "theorem t : p -- ")},
    ),
    "state": Target(_read_state, (STATE,), shapes.GOALS),
    "term": Target(_read_term, ("∀ x ∈ s, f x = (a, b).1",), shapes.NESTED),
    "premise": Target(_read_premise, ("{x | p x} ∪ s ⊆ t",), {**shapes.LEXICAL, **shapes.NESTED}),
}
