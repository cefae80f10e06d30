"""What reads a proof state on its way through a request, on states and terms that make readers slow."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from lean_extract.common.errors import BadState
from lean_extract.limits import MAX_STATE_CHARACTERS
from lean_extract.records import Goal, Hypothesis
from lsp_server.engine.requests import main_goal, parse_goal
from retriever.lean.structure.hashes import of_goal
from retriever.lean.tokens import goal_tokens
from retriever.models.encoder import Encoder
from retriever.models.text import state_text
from tests.fuzz.targets import TARGETS
from tests.hostile.growth import assert_linear
from tests.hostile.shapes import GOALS, LEXICAL, NESTED, TERMS
from tests.retriever.conftest import encoder, model_folder  # noqa: F401


@pytest.mark.parametrize("name", ["hypotheses of one name", "names of one hypothesis", "lone surrogates"])
def test_what_the_encoder_reads_of_many_hypotheses(encoder: Encoder, name: str) -> None:  # noqa: F811
    def read(text: str) -> Any:
        return encoder.encode_state(main_goal(parse_goal(f"h : {text}\n⊢ p" if name in LEXICAL else text)))

    assert_linear(read, GOALS[name], MAX_STATE_CHARACTERS // 2)


def test_a_thread_with_little_stack_reads_every_nesting() -> None:
    """The server's threads have the interpreter's own limit of nested calls, some of them used already."""
    failed: list[str] = []

    def read(depth: int) -> None:
        if depth:
            return read(depth - 1)
        for name, shape in {**TERMS, **NESTED}.items():
            try:
                for target in ("term", "premise", "proposition"):
                    TARGETS[target].run(shape(5000))
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
    goal = main_goal(parse_goal(f"⊢ {text[: MAX_STATE_CHARACTERS - 2]}"))
    assert goal.target == text[: MAX_STATE_CHARACTERS - 2]
    TARGETS["state"].run(f"⊢ {goal.target}")


def test_half_characters_are_read_as_any_other() -> None:
    goal = main_goal(parse_goal("h\ud800 : \udc00 = p\n⊢ \ud800 = \udc00 ∧ p"))
    assert goal == main_goal(parse_goal("h? : ? = p\n⊢ ? = ? ∧ p"))
    raw = Goal((Hypothesis(("h\ud800",), "\udc00 = p"),), "\ud800 = \udc00 ∧ p")
    assert state_text(raw) == state_text(goal)
    assert goal_tokens(raw) == goal_tokens(goal)
    assert of_goal(raw) == of_goal(goal)


def test_a_state_of_more_than_the_limit_is_refused_at_the_door() -> None:
    assert parse_goal("⊢ " + "a" * (MAX_STATE_CHARACTERS - 2)).goals
    with pytest.raises(BadState, match="The state has 200,001 characters; at most 200,000 are read"):
        parse_goal("⊢ " + "a" * (MAX_STATE_CHARACTERS - 1))
