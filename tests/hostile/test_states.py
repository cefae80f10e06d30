"""What reads a proof state on its way through a request, on states and terms that make readers slow."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from lean_extract.common.errors import BadState, UserError
from lean_extract.common.files.reading import MAX_STATE
from lean_extract.goals import find_goals, format_goal
from lean_extract.records import Goal, Hypothesis, Premise, ProofState
from lean_extract.source.proofs.propositions import (
    Proposition,
    conjuncts,
    destructured,
    introduced,
    top_level,
)
from lean_extract.syntax.canonical import normal_form
from lean_extract.syntax.lexer import raw_tokens
from lean_extract.syntax.premise_mentions import endings, pieces
from lean_extract.syntax.tactic_text import brackets, has_sorry, proves_nothing
from lean_extract.syntax.types import premises_of, strip
from lsp_server.engine.requests import main_goal, parse_goal
from lsp_server.http.notation import with_notation
from prover.candidates import FinishingTactics, Templates
from prover.generator.prompt import encode_prompt
from prover.states import adds_nothing, fingerprint
from prover.verify import use_of
from retriever.lean.structure.hashes import of_goal, of_premise
from retriever.lean.symbols import goal_symbols
from retriever.lean.tokens import goal_tokens, premise_tokens
from retriever.models.encoder import Encoder
from retriever.models.text import premise_texts, readable, state_text, unrelated_share
from tests.hostile.growth import assert_linear
from tests.hostile.shapes import GOALS, LEXICAL, TERMS, nested, repeated
from tests.retriever.conftest import encoder, model_folder  # noqa: F401

PREMISES = (
    Premise("Nat.add_comm", "theorem", "A", ("(n m : ℕ)",), "n + m = m + n"),
    Premise("le_trans", "theorem", "A", ("{a b c : α}",), "a ≤ b → b ≤ c → a ≤ c"),
    Premise("and_comm", "theorem", "A", (), "a ∧ b ↔ b ∧ a"),
    Premise("f", "def", "A", (), "ℕ → ℕ"),
)


def goal_of(term: str) -> Goal:
    return Goal((Hypothesis(("h", "x"), term), Hypothesis(("y",), "ℕ", term)), term)


def premise_of(term: str) -> Premise:
    return Premise("a", "theorem", "A", (f"(h : {term})",), term)


def tokens_of(term: str) -> list[str]:
    return [token.rstrip() for token in raw_tokens(term)]


def read_as_model(goal: Goal) -> None:
    """All that the retriever reads of a goal, but for the encoder."""
    normal_form(goal.target)
    goal = readable(goal)
    state_text(goal)
    unrelated_share(goal)
    goal_tokens(goal)
    goal_symbols(goal)
    of_goal(goal)


def read_as_prover(goal: Goal) -> None:
    """All that the prover reads of a goal."""
    Templates().candidates(goal, PREMISES, 50)
    FinishingTactics().candidates(goal, PREMISES, 50)
    fingerprint(ProofState((goal,)))
    adds_nothing(goal, ProofState((goal,)))
    encode_prompt("numbered", [goal], PREMISES, 512)


def read_state(text: str) -> None:
    """A state that a client sends, from its door on."""
    try:
        goal = with_notation(main_goal(parse_goal(text)))
    except UserError:
        find_goals(text)
        return
    format_goal(goal)
    read_as_model(goal)
    read_as_prover(goal)


def read_term(term: str) -> None:
    """A term as a target, a type, a value."""
    read_as_model(goal_of(term))
    read_as_prover(goal_of(term))


def read_premise(term: str) -> None:
    """A term as the statement of a premise and in its context."""
    premise = premise_of(term)
    premise_tokens(premise)
    premise_texts(premise)
    of_premise(premise)
    Templates().candidates(Goal((), "a = b"), [premise], 50)


def take_apart(term: str) -> None:
    """What tactics would make of it, and what it says as a tactic itself."""
    texts = tokens_of(term)
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
    pieces(term, endings(["A.b.c"]))


MORE = {
    "arrows in parentheses": nested("p → (", ")", inside="q"),
    "for all in parentheses": nested("∀ x, (", ")", inside="q"),
    "conjunctions in parentheses": nested("p ∧ (", ")", inside="q"),
    "bounds of many names": lambda size: f"∃ {'x ' * (size // 4)}> {'a + ' * (size // 8)}a, p",
    "strings that end in a back slash": repeated('"\\', "h := ", "\\"),
    "«»": repeated("«a»."),
}
TERM_SHAPES = {**LEXICAL, **TERMS, **MORE}


@pytest.mark.parametrize("shape", GOALS.values(), ids=GOALS)
def test_states_take_linear_time(shape: Callable[[int], str]) -> None:
    assert_linear(read_state, shape, MAX_STATE // 4)


@pytest.mark.parametrize("shape", MORE.values(), ids=MORE)
def test_terms_take_linear_time(shape: Callable[[int], str]) -> None:
    assert_linear(read_term, shape, MAX_STATE // 4)


@pytest.mark.parametrize("shape", [*LEXICAL.values(), *MORE.values()], ids=[*LEXICAL, *MORE])
def test_statements_take_linear_time(shape: Callable[[int], str]) -> None:
    assert_linear(read_premise, shape, MAX_STATE // 8)


@pytest.mark.parametrize("shape", TERM_SHAPES.values(), ids=TERM_SHAPES)
def test_propositions_are_taken_apart_in_linear_time(shape: Callable[[int], str]) -> None:
    assert_linear(take_apart, shape, MAX_STATE // 8)


@pytest.mark.parametrize("name", ["hypotheses of one name", "names of one hypothesis", "lone surrogates"])
def test_what_the_encoder_reads_of_many_hypotheses(encoder: Encoder, name: str) -> None:  # noqa: F811
    def read(text: str) -> Any:
        return encoder.encode_state(main_goal(parse_goal(f"h : {text}\n⊢ p" if name in LEXICAL else text)))

    assert_linear(read, GOALS[name], MAX_STATE // 2)


def test_a_thread_with_little_stack_reads_every_nesting() -> None:
    """The server's threads have the interpreter's own limit of nested calls, some of them used already."""
    failed: list[str] = []

    def read(depth: int) -> None:
        if depth:
            return read(depth - 1)
        for name, shape in {**TERMS, **MORE}.items():
            try:
                read_term(shape(5000))
                read_premise(shape(5000))
                take_apart(shape(5000))
            except RecursionError:
                failed.append(name)
        return None

    thread = threading.Thread(target=read, args=(150,))
    thread.start()
    thread.join()
    assert not failed


@pytest.mark.parametrize(
    "text", ["p → " * 50_000 + "p", "∀ x, " * 40_000 + "p", "(" * 100_000, "↑" * 100_000]
)
def test_the_worst_states_known_are_read_to_their_end(text: str) -> None:
    goal = main_goal(parse_goal(f"⊢ {text[: MAX_STATE - 2]}"))
    assert goal.target == text[: MAX_STATE - 2]
    read_as_model(goal)
    read_as_prover(goal)


def test_half_characters_are_read_as_any_other() -> None:
    goal = main_goal(parse_goal("h\ud800 : \udc00 = p\n⊢ \ud800 = \udc00 ∧ p"))
    assert goal == main_goal(parse_goal("h? : ? = p\n⊢ ? = ? ∧ p"))
    raw = Goal((Hypothesis(("h\ud800",), "\udc00 = p"),), "\ud800 = \udc00 ∧ p")
    assert state_text(raw) == state_text(goal)
    assert goal_tokens(raw) == goal_tokens(goal)
    assert of_goal(raw) == of_goal(goal)


def test_a_state_of_more_than_the_limit_is_refused_at_the_door() -> None:
    assert parse_goal("⊢ " + "a" * (MAX_STATE - 2)).goals
    with pytest.raises(BadState, match="The state has 200,001 characters; at most 200,000 are read"):
        parse_goal("⊢ " + "a" * (MAX_STATE - 1))
