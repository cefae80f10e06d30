"""A real llama.cpp server over random weights: streaming, leaving, limits and grammars."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import replace

import pytest

from lean_extract.common.errors import ModelError
from lean_extract.goals import parse_goal
from lean_extract.records import Premise
from prover.served.address import read_address
from prover.served.asked import Asked
from prover.served.client import ModelServer
from prover.served.grammar import grammar_for
from prover.served.prompts import Material
from prover.served.writing import next_tactics
from prover.spending import Spending
from tests.fakes.llama_server import running_llama, write_random_model

pytest.importorskip("xllamacpp")
pytest.importorskip("gguf")

GOAL = parse_goal("p q : Prop\nh : p ∧ q\n⊢ q ∧ p")
PREMISES = [Premise(name, "theorem", "M", (), "p") for name in ("And.intro", "and_comm", "Nat.add_comm'")]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    model = tmp_path_factory.mktemp("llama") / "random.gguf"
    write_random_model(model)
    with running_llama(model) as url:
        yield url


@pytest.fixture
async def server(address: str) -> ModelServer:
    found = ModelServer(read_address(address))
    (name,) = await found.models()
    return ModelServer(replace(read_address(address), model=name))


@pytest.mark.parametrize("is_chat", [True, False])
async def test_text_comes_in_pieces_and_ends_at_the_bound(server: ModelServer, is_chat: bool) -> None:
    spending = Spending()
    asked = Asked("hello", is_chat=is_chat, tokens=64, seed=1)
    async with aclosing(server.counted_by(spending).written(asked)) as pieces:
        found = [piece async for piece in pieces]
    assert len(found) > 1
    assert len("".join(found).encode()) <= 3 * 64
    use = spending.use()
    assert len(found) <= use.answer_tokens <= 64 and use.prompt_tokens > 1 and not use.is_estimate


async def test_who_leaves_frees_the_server(server: ModelServer) -> None:
    """Two requests fit at a time: with many that were left, later ones would never be answered."""
    for _ in range(6):
        async with aclosing(server.written(Asked("hello", tokens=100_000, temperature=1.0))) as pieces:
            await anext(pieces)
    async with aclosing(server.written(Asked("hello", tokens=4))) as pieces:
        assert "".join([piece async for piece in pieces])


async def test_a_prompt_that_is_too_long_is_refused_in_the_servers_words(server: ModelServer) -> None:
    with pytest.raises(ModelError, match="context size"):
        async with aclosing(server.written(Asked("hello " * 20_000, tokens=4))) as pieces:
            await anext(pieces)


async def test_with_a_grammar_only_names_that_exist_are_written(server: ModelServer) -> None:
    known = {"And.intro", "and_comm", "Nat.add_comm'", "p", "q", "h"}
    words = {
        "exact",
        "apply",
        "refine",
        "rw",
        "simp",
        "at",
        "intro",
        "x",
        "cases",
        "constructor",
        "rfl",
        "omega",
    }
    words |= {"decide", "assumption", "contradiction", "grind", "trivial", "_", "?_", "←"}
    found: list[str] = []
    for seed in range(4):
        asked = Asked("q ∧ p?", tokens=300, temperature=1.5, seed=seed, grammar=grammar_for(GOAL, PREMISES))
        async with aclosing(server.written(asked)) as pieces:
            text = "".join([piece async for piece in pieces])
        assert text.startswith("```lean\n")
        found += text.removeprefix("```lean\n").partition("```")[0].split("\n")[:-1]
    assert found
    for line in found:
        assert set(re.findall(r"[^\s\[\](),]+", line)) <= known | words


async def test_random_weights_write_tactics_of_the_grammar(server: ModelServer) -> None:
    written = next_tactics(
        server,
        Material(GOAL, PREMISES, count=4),
        prompts="",
        prompt_tokens=400,
        answer_tokens=400,
        uses_grammar=True,
    )
    async with aclosing(written):
        found = [tactic async for tactic in written]
    assert len(found) <= 4 and all(tactic.isprintable() or "\n" in tactic for tactic in found)


def test_names_are_quoted_for_the_grammar() -> None:
    odd = [
        Premise('a"b\\c', "theorem", "M"),
        Premise("x\ny", "theorem", "M"),
        Premise("«a b».c", "theorem", "M"),
    ]
    grammar = grammar_for(parse_goal("⊢ p"), odd)
    assert 'premise ::= "a\\"b\\\\c" | "«a b».c"' in grammar
    assert 'local ::= "this"' in grammar
