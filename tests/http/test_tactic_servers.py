"""The generators' interfaces, asked as LeanCopilot (curl) and llmstep (a POST of JSON) ask."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.http.conftest import ADD_COMM, Served, curl, serving
from tests.prover.generator.conftest import FIXTURE

SWAP = "p q : Prop\nh : p ∧ q\n⊢ q ∧ p"
LEARNED = "exact ⟨h.2, h.1⟩"
"""What the fixture generator writes for it; no template does."""


def generate(server: Served, state: str, prefix: str = "") -> list[dict[str, Any]]:
    """As LeanCopilot's `send` runs curl."""
    body = json.dumps({"name": "premise-suggest", "input": state, "prefix": prefix}, ensure_ascii=False)
    headers = ("-H", "accept: application/json", "-H", "Content-Type: application/json")
    answer = curl("-X", "POST", f"{server.url}/generate", *headers, "-d", body)
    outputs: list[dict[str, Any]] = answer["outputs"]
    return outputs


def step(server: Served, state: str, prefix: str = "", context: str = "") -> list[str]:
    answer = server.post("/", {"tactic_state": state, "prefix": prefix, "context": context})
    assert answer.status_code == 200, answer.text
    suggestions: list[str] = answer.json()["suggestions"]
    return suggestions


def test_copilot_gets_tactics_of_the_premises_with_falling_scores(server: Served) -> None:
    outputs = generate(server, ADD_COMM)
    assert 8 <= len(outputs) <= 16
    scores = [one["score"] for one in outputs]
    assert all(0 < after < before <= 1 for before, after in pairwise(scores))
    assert any("Nat.add_comm" in one["output"] for one in outputs)


@pytest.mark.parametrize("prefix", ["rw [", "exact Nat.add_c", "simp", "apply ", "  rw [← ", "have := Nat."])
def test_the_prefix_begins_every_tactic(server: Served, prefix: str) -> None:
    tactics = [one["output"] for one in generate(server, ADD_COMM, prefix)]
    assert tactics
    assert all(tactic.startswith(prefix.lstrip()) for tactic in tactics)
    assert all(tactic.count("[") == tactic.count("]") for tactic in tactics)
    assert step(server, ADD_COMM, prefix) == tactics[:10]


def test_a_prefix_that_nothing_has_gets_nothing(server: Served) -> None:
    assert generate(server, ADD_COMM, "no_such_tactic") == []


def test_llmstep_gets_tactics(server: Served) -> None:
    suggestions = step(server, ADD_COMM)
    assert 5 <= len(suggestions) <= 10
    assert len(set(suggestions)) == len(suggestions)
    assert not any("sorry" in tactic for tactic in suggestions)


def test_llmstep_uses_what_the_file_declares_and_imports(server: Served) -> None:
    lemma = "theorem swapped (m n : Nat) : m + n = n + m := Nat.add_comm m n\n\n"
    context = f"import Example.Nat.Basic\n\n{lemma}example (m n : Nat) : m + n = n + m := by\n  "
    assert any("swapped" in tactic for tactic in step(server, ADD_COMM, "exact ", context))
    far = "import Example.Logic.Basic\n\nexample (m n : Nat) : m + n = n + m := by\n  "
    assert any("Nat.add_comm" in tactic for tactic in step(server, ADD_COMM, "exact ", context))
    assert not any("Nat.add_comm" in tactic for tactic in step(server, ADD_COMM, "exact Nat.", far))


def test_a_finished_proof_needs_no_tactic(server: Served) -> None:
    assert generate(server, "no goals") == []
    assert step(server, "no goals") == []


def test_the_bundled_names_are_used_without_their_statements(bundled_tactics: list[str]) -> None:
    assert any("Nat.add_comm" in tactic or "add_comm" in tactic for tactic in bundled_tactics)
    assert any(tactic.startswith("rw [") for tactic in bundled_tactics)


@pytest.fixture(scope="module")
def bundled_tactics(environment: dict[str, str]) -> list[str]:
    with serving(environment) as server:
        return [one["output"] for one in generate(server, ADD_COMM)]


@pytest.fixture(scope="module")
def generating(environment: dict[str, str], library: Path) -> Iterator[Served]:
    """A server with a generator."""
    with serving(environment, "--project", library, "--generator", FIXTURE) as served:
        yield served


def test_the_generator_s_tactics_stand_among_the_others_by_their_chances(generating: Served) -> None:
    outputs = generate(generating, SWAP)
    scores = [one["score"] for one in outputs]
    assert all(0 < after < before <= 1 for before, after in pairwise(scores))
    tactics = [one["output"] for one in outputs]
    assert LEARNED in tactics
    assert {"constructor", "exact And.symm h"} & set(tactics)
    assert len(set(tactics)) == len(tactics) > 8
    assert step(generating, SWAP) == tactics[:10]


def test_a_prefix_holds_for_the_generator_too(generating: Served) -> None:
    tactics = [one["output"] for one in generate(generating, SWAP, "exact ⟨")]
    assert tactics[0] == LEARNED
    assert all(tactic.startswith("exact ⟨") for tactic in tactics)


@pytest.mark.parametrize(("source", "status"), [("both", 200), ("generator", 500)])
def test_a_broken_generator(
    environment: dict[str, str], library: Path, tmp_path: Path, source: str, status: int
) -> None:
    broken = Path(shutil.copytree(FIXTURE, tmp_path / "broken"))
    (broken / "generator.json").write_text("{}", encoding="utf-8")
    options = ("--generator", broken, "--tactics-from", source)
    with serving(environment, "--project", library, *options) as server:
        answer = server.post("/", {"tactic_state": SWAP})
        assert answer.status_code == status
        if status == 200:
            assert answer.json()["suggestions"]
        else:
            assert "does not fit" in answer.json()["error"]
