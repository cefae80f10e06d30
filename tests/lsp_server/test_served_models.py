"""A model at a server as a generator: its tactics are tried by the real Lean, and nobody is asked unasked."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from lean_extract.common.errors import ModelError
from lean_extract.records import Position
from lsp_server.engine.engine import Engine
from lsp_server.engine.requests import ProveRequest, SuggestRequest
from lsp_server.engine.schema import Suggestion
from lsp_server.engine.served_models import allowed_address
from lsp_server.engine.settings import ModelSettings, Settings, parse
from prover.verify import GoalPosition
from tests.fakes.model_server import Call, Served, serving
from tests.lsp_server.conftest import Cli, place_of, succeed

pytestmark = pytest.mark.lean

PROOF = "exact And.intro (And.right h) (And.left h)"
"""A tactic that no other source writes."""
DANGEROUS = (
    "sorry", "exact sorry", "admit", "native_decide", f"{PROOF}\n#eval 1", "exact (by sorry)", "axiom x : q ∧ p",
    "exact (sorryAx _ true)", "decide +native", "run_tac pure ()", "stop", "exact wrong", "exact ⟨h.1, h.2⟩",
    "exact (",
    "exact h)\n#eval (1", "/- ", "\x00\x1b[2J", "theorem x : False := by\n  sorry", "import Evil",
)  # fmt: skip


@asynccontextmanager
async def opened(project: Path, served: Served, **tactics: Any) -> AsyncIterator[Engine]:
    """An engine on the project with a model at a server, alone unless another source is given."""
    values = {"source": "generator", "seconds": 60, **tactics, "generator": f"{served.url}#scripted"}
    settings, complaints = parse({"tactics": values}, Settings())
    assert complaints == []
    engine = Engine(project, settings)
    try:
        yield engine
    finally:
        await engine.close()


@pytest.fixture(autouse=True)
def lean(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)


def at(project: Path, note: str = "") -> GoalPosition:
    """The first `sorry` of Work.lean."""
    text = (project / "Work.lean").read_text(encoding="utf-8")
    place = place_of(text, "sorry")
    return GoalPosition(project / "Work.lean", f"{text}{note}", Position(place.line, place.character))


async def suggested(
    project: Path, answers: Callable[[Call], object], **tactics: Any
) -> tuple[Suggestion, Served]:
    with serving(answers) as served:
        async with opened(project, served, **tactics) as engine:
            return await engine.suggest(SuggestRequest(at(project), tactics=True)), served


async def test_what_a_model_writes_is_shown_once_lean_has_accepted_it(project: Path) -> None:
    accepted, began = asyncio.Event(), asyncio.get_running_loop()
    parts: list[Suggestion] = []

    def answers(call: Call) -> None:
        call.begin()
        call.piece("```lean\nconstructor\nomega\n")
        asyncio.run_coroutine_threadsafe(accepted.wait(), began).result(60)  # it writes on only then
        call.piece(f"{PROOF}\n```")
        call.write("data: [DONE]\n\n")

    def hear(part: Suggestion) -> None:
        parts.append(part)
        if part.tactics:
            accepted.set()

    with serving(answers) as served:
        async with opened(project, served) as engine:
            answer = await engine.suggest(SuggestRequest(at(project), tactics=True), hear)
    assert [one.tactic for one in parts[1].tactics] == ["constructor"]
    # Which of the two closes it first is a race: what is written next, or the first step as Lean completes it.
    closing = {one.tactic for one in answer.tactics if one.status == "closes"}
    assert closing and closing <= {PROOF, "constructor <;> simp_all"}
    assert (answer.warnings, answer.tactics_status) == ([], "tried")
    assert len(served.asked) == 1 and "⊢ q ∧ p" in served.prompts[0]


async def test_what_proves_nothing_is_never_accepted(project: Path) -> None:
    """Each in a block of its own and as the proof of a theorem; after all of them, one that is right."""

    def answers(call: Call) -> None:
        call.begin()
        for tactic in DANGEROUS:
            body = tactic.replace("\n", "\n  ")
            call.piece(
                f"```lean\n{tactic}\n```\n```lean\ntheorem x : q ∧ p := by\n  {body}\n```\n`{tactic}`\n"
            )
        call.piece(f"```lean\n{PROOF}\n```")
        call.write("data: [DONE]\n\n")

    with serving(answers) as served:
        async with opened(project, served, generated=64) as engine:
            answer = await engine.suggest(SuggestRequest(at(project), tactics=True, keep_failures=True))
    accepted = [one.tactic for one in answer.tactics if one.status not in ("fails", "timeout")]
    assert accepted == [PROOF]
    tried = [one.tactic for one in answer.tactics]
    assert "exact wrong" in tried
    assert not any(
        word in one for one in tried for word in ("sorry", "#eval", "native", "axiom", "run_tac", "\x1b")
    )


async def test_a_model_that_only_repeats_what_it_is_asked_proves_nothing(project: Path) -> None:
    answer, served = await suggested(project, lambda call: call.text(call.prompt))
    assert "q ∧ p" in served.prompts[0]
    assert [one.tactic for one in answer.tactics if one.status == "closes"] == []
    assert answer.warnings == []


async def test_a_server_that_fails_is_a_warning(project: Path) -> None:
    answer, _ = await suggested(project, lambda call: call.whole(200, b"<html>no"), source="both")
    assert any(one.status == "closes" for one in answer.tactics)
    answer, _ = await suggested(project, lambda call: call.whole(401, {}))
    assert answer.tactics_status == "no_generator"
    assert "PREMISE_SUGGEST_API_KEY" in answer.warnings[0]


async def test_who_leaves_ends_the_request(project: Path) -> None:
    def answers(call: Call) -> None:
        call.begin()
        call.wait_until_left()

    with serving(answers) as served:
        async with opened(project, served) as engine:
            asked = asyncio.create_task(engine.suggest(SuggestRequest(at(project), tactics=True)))
            assert await asyncio.to_thread(served.began.wait, 120)
            asked.cancel()
            assert await asyncio.to_thread(served.left.wait, 60)
        assert len(served.asked) == 1


async def test_nobody_waits_for_a_model_once_the_goal_is_closed(project: Path) -> None:
    def answers(call: Call) -> None:
        call.begin()
        call.wait_until_left()

    with serving(answers) as served:
        async with opened(project, served, source="both") as engine:
            answer = await engine.suggest(SuggestRequest(at(project), tactics=True))
        assert any(one.status == "closes" for one in answer.tactics) and answer.warnings == []
        assert served.left.wait(60)


async def test_the_proof_is_found_where_the_premise_is_in_the_prompt(project: Path) -> None:
    """A model that knows a proof only if the lemma that it needs is offered to it."""
    known = "exact (Lib.plus_swap a b : a + b = b + a)"

    def answers(call: Call) -> None:
        call.text(f"```lean\n{known}\n```" if "plus_swap" in call.prompt else "I do not know.")

    text = (project / "Work.lean").read_text(encoding="utf-8")
    place = place_of(text, "sorry", 1)
    where = GoalPosition(project / "Work.lean", text, Position(place.line, place.character))
    for premises in (16, 0):
        with serving(answers) as served:
            async with opened(project, served, premises=premises, neighbours=False) as engine:
                answer = await engine.suggest(SuggestRequest(where, tactics=True))
        was_offered = "plus_swap" in served.prompts[0]
        assert was_offered == (premises > 0)
        shown = {one.tactic: one.status for one in answer.tactics}
        assert shown.get(known) == ("closes" if was_offered else None)


async def test_a_proof_is_written_and_repaired_with_leans_error(project: Path) -> None:
    def answers(call: Call) -> None:
        is_told = "Lean says" in call.prompt and "ismatch" in call.prompt
        body = (
            f"have turned := {PROOF.removeprefix('exact ')}\n  exact turned"
            if is_told
            else "exact ⟨h.1, h.2⟩"
        )
        call.text(f"Here it is.\n```lean4\ntheorem this_goal : q ∧ p := by\n  {body}\n```")

    with serving(answers) as served:
        async with opened(project, served) as engine:
            answer = await engine.prove(ProveRequest(at(project), seconds=60))
            again = await engine.prove(ProveRequest(at(project), seconds=60))
    assert answer.status == "proved" and answer.checked, answer
    assert "And.intro (And.right h) (And.left h)" in answer.script
    assert (again.status, again.script) == ("proved", answer.script)
    assert 4 < len(served.asked) <= 6  # what is asked again is known


async def test_a_model_that_fails_does_not_keep_a_search_from_a_proof(project: Path) -> None:
    with serving(lambda call: call.whole(500, {"error": "no"})) as served:
        async with opened(project, served, source="both") as engine:
            answer = await engine.prove(ProveRequest(at(project), seconds=30))
    assert answer.status == "proved"


async def test_another_machine_is_not_asked_without_consent(project: Path) -> None:
    settings, _ = parse(
        {"tactics": {"source": "generator", "generator": "http://models.example/v1#m"}}, Settings()
    )
    engine = Engine(project, settings)
    try:
        answer = await engine.suggest(SuggestRequest(at(project), tactics=True))
    finally:
        await engine.close()
    assert "models.allowHosts" in answer.warnings[0] and "models.example" in answer.warnings[0]


def test_an_allowed_host_is_compared_whole() -> None:
    allowed = ModelSettings(allow_hosts=("Models.example",))
    assert allowed_address("https://models.EXAMPLE:8443/v1#m", allowed).host == "models.example"
    for host in ("evil.models.example", "models.example.evil", "models.exampl"):
        with pytest.raises(ModelError, match="another machine"):
            allowed_address(f"https://{host}/v1#m", allowed)


def test_a_tactic_of_a_server_on_the_command_line(project: Path, cli: Cli) -> None:
    with serving(lambda call: call.text(f"```lean\n{PROOF}\n```")) as served:
        done = succeed(
            cli, "suggest", f"{project / 'Work.lean'}:6", "--generator", f"{served.url}#scripted",
            "--tactics-from", "generator", "--json",
        )  # fmt: skip
        tactics = json.loads(done.stdout)["tactics"]
    assert [(one["tactic"], one["status"]) for one in tactics] == [(PROOF, "closes")]


def test_without_a_server_nothing_of_it_is_imported(project: Path, environment: dict[str, str]) -> None:
    program = """
import asyncio, sys
from lsp_server.cli import main
main(["suggest", "Work.lean:6"])
print([name for name in sys.modules if name.partition(".")[0] == "httpx" or name.startswith("prover.served")])
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=project, env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1:] == ["[]"], done.stderr


def with_settings(folder: Path, generator: str, more: str = "") -> dict[str, str]:
    """Variables for a user whose settings name this generator."""
    path = folder / "config" / "premise-suggest" / "premise-suggest.toml"
    path.parent.mkdir(parents=True)
    path.write_text(f'[tactics]\ngenerator = "{generator}"\n{more}', encoding="utf-8")
    return {"XDG_CONFIG_HOME": str(folder / "config")}


def test_doctor_lists_the_models_and_tries_one(project: Path, cli: Cli, tmp_path: Path) -> None:
    with serving(lambda call: call.text("trivial"), models=("scripted", "other")) as served:
        for name, status in (("scripted", "ok"), ("absent", "missing")):
            variables = with_settings(tmp_path / name, f"{served.url}#{name}")
            found = {
                one["name"]: one for one in json.loads(cli("doctor", project, "--json", **variables).stdout)
            }
            assert found["model at a server"]["status"] == status
            assert "scripted, other" in found["model at a server"]["message"]
        assert len(served.asked) == 1


def test_setup_says_what_another_machine_gets_before_it_asks(project: Path, cli: Cli, tmp_path: Path) -> None:
    address = "https://models.example/v1#m"
    done = cli("setup", project, **with_settings(tmp_path / "a", address))
    assert "Add --yes" in done.stderr and "nothing is sent there without your consent" in done.stdout
    allowed = '[models]\nallowHosts = ["models.example"]\n'
    done = cli("setup", project, **with_settings(tmp_path / "b", address, allowed))
    text = " ".join(done.stdout.split())
    assert "on ANOTHER machine, gets goals, statements and the text of your files" in text
