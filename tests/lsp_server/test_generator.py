"""Tactics of a generator beside those of the templates: streamed, a warning where it fails, asked once per goal."""

from __future__ import annotations

import asyncio
import json
import shutil
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from lean_extract.common.devices import Device
from lean_extract.common.errors import ModelError
from lean_extract.records import Goal, Position, Premise
from lean_extract.session.processes import identify, kill
from lsp_server.engine.engine import Engine
from lsp_server.engine.generators import OpenGenerator
from lsp_server.engine.requests import SuggestRequest
from lsp_server.engine.schema import Suggestion
from lsp_server.engine.settings import Settings, parse
from prover.generator.source import Generated, TacticGenerator
from prover.verify import GoalPosition
from tests.lsp_server.conftest import QUIET, Cli, place_of, start_editor, stop_editor, succeed
from tests.prover.generator.conftest import FIXTURE

pytestmark = pytest.mark.lean

SWAP = "p q : Prop\nh : p ∧ q\n⊢ q ∧ p"
LEARNED = "exact ⟨h.2, h.1⟩"
"""What the fixture generator writes for it; no template does."""
ALONE = "example (p q : Prop) (h : p ∧ q) : q ∧ p := by\n  sorry\n"
"""That goal in a file without imports, so that no premise is in scope."""


class Fixed:
    """A generator that gives these tactics, and counts how often it is asked."""

    def __init__(self, *tactics: str, fingerprint: str = "fixed", before: Callable[[], object] = int) -> None:
        self.fingerprint = fingerprint
        self.asked: list[tuple[tuple[Goal, ...], int]] = []
        self._tactics = tactics
        self._before = before

    def generate(
        self, goals: Sequence[Goal], premises: Sequence[Premise], *, count: int = 8, max_bytes: int = 64
    ) -> list[Generated]:
        self.asked.append((tuple(goals), count))
        self._before()
        return [Generated(tactic, -1.0 - rank) for rank, tactic in enumerate(self._tactics)]


Open = Callable[..., Any]


@pytest.fixture
def opened(project: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Open:
    """An engine on the test project with this generator; and a place in a copy of its Work.lean."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    @asynccontextmanager
    async def open_engine(
        generator: TacticGenerator | ModelError | None, **tactics: Any
    ) -> AsyncIterator[Engine]:
        def opens(name: str, download: bool, device: Device) -> TacticGenerator | None:
            if isinstance(generator, ModelError):
                raise generator
            return generator

        settings, complaints = parse({"tactics": tactics}, Settings())
        assert complaints == []
        engine = Engine(project, settings, generator=OpenGenerator(opens))
        try:
            yield engine
        finally:
            await engine.close()

    return open_engine


def at(project: Path, nth: int = 0, note: str = "") -> GoalPosition:
    """The nth `sorry` of Work.lean, with a note at the end, which changes nothing that stands above."""
    path = project / "Work.lean"
    text = path.read_text(encoding="utf-8")
    place = place_of(text, "sorry", nth)
    return GoalPosition(path, f"{text}{note}", Position(place.line, place.character))


async def test_templates_do_not_wait_for_the_generator_which_joins_the_trials(
    project: Path, opened: Open
) -> None:
    accepted = threading.Event()
    generator = Fixed("exact ⟨h.right, h.left⟩", before=lambda: accepted.wait(60))
    parts: list[Suggestion] = []

    def hear(part: Suggestion) -> None:
        parts.append(part)
        if part.tactics:
            accepted.set()

    async with opened(generator, count=200, seconds=60) as engine:
        answer = await engine.suggest(SuggestRequest(at(project), tactics=True), hear)
    assert accepted.is_set()
    assert "exact ⟨h.right, h.left⟩" not in [one.tactic for one in parts[1].tactics]
    shown = {one.tactic: one.status for one in answer.tactics}
    assert shown["exact ⟨h.right, h.left⟩"] == "closes"
    assert len(shown) > 2
    assert (answer.warnings, answer.tactics_status) == ([], "tried")
    assert {part.tactics_status for part in parts} == {"running"}
    statuses = [one.status for one in answer.tactics]
    assert statuses == sorted(statuses)


@pytest.mark.parametrize(("source", "asked"), [("both", 1), ("templates", 0), ("generator", 1)])
async def test_the_sources_that_are_set_are_asked(
    project: Path, opened: Open, source: str, asked: int
) -> None:
    generator = Fixed("exact ⟨h.right, h.left⟩", "exact h")
    # So many that the generator is never too late: templates may have filled 24 trials before it is asked.
    async with opened(generator, source=source, generated=3, count=200, seconds=60) as engine:
        answer = await engine.suggest(SuggestRequest(at(project), tactics=True, keep_failures=True))
    tried = [one.tactic for one in answer.tactics]
    assert len(generator.asked) == asked
    assert all(count == 3 for _, count in generator.asked)
    assert ("exact h" in tried) == (asked == 1)
    assert (len(tried) == 2) == (source == "generator")


async def test_candidates_are_kept_per_goal(project: Path, opened: Open) -> None:
    generator = Fixed(LEARNED)
    async with opened(generator) as engine:
        first = await engine.suggest(SuggestRequest(at(project), tactics=True))
        again, elsewhere = await asyncio.gather(
            engine.suggest(SuggestRequest(at(project, note="-- below\n"), tactics=True)),
            engine.suggest(SuggestRequest(at(project, nth=1), tactics=True)),
        )
        assert first.tactics == again.tactics
        assert len(generator.asked) == 2
        assert elsewhere.goal != first.goal
        changed, _ = parse({"tactics": {"generated": 2}})
        engine.take_settings(changed)
        await engine.suggest(SuggestRequest(at(project), tactics=True))
        assert [count for _, count in generator.asked] == [8, 8, 2]


async def test_a_request_keeps_the_settings_that_it_came_with(project: Path, opened: Open) -> None:
    generator = Fixed(LEARNED)
    async with opened(generator, source="generator") as engine:

        def change(_: Suggestion) -> None:
            engine.take_settings(parse({"tactics": {"source": "templates"}})[0])

        answer = await engine.suggest(SuggestRequest(at(project), tactics=True), change)
        assert [one.tactic for one in answer.tactics] == [LEARNED]
        again = await engine.suggest(SuggestRequest(at(project), tactics=True))
    assert len(again.tactics) > 1
    assert len(generator.asked) == 1


async def test_who_does_not_wait_any_more_leaves_the_answer_to_the_next(project: Path, opened: Open) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        begun.set()
        go_on.wait(60)

    generator = Fixed(LEARNED, before=wait)
    async with opened(generator, source="generator") as engine:
        first = asyncio.ensure_future(engine.suggest(SuggestRequest(at(project), tactics=True)))
        await asyncio.to_thread(begun.wait, 60)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        go_on.set()
        answer = await engine.suggest(SuggestRequest(at(project), tactics=True))
    assert [one.tactic for one in answer.tactics] == [LEARNED]
    assert len(generator.asked) == 1


async def test_nothing_that_a_generator_writes_is_shown_unless_lean_accepts_it(
    project: Path, opened: Open
) -> None:
    bad = (
        "sorry",
        "exact (sorry : q ∧ p)",
        "exact «sorryAx» _ true",
        "skip",
        "exact h",
        "exact ⟨h.2, h.1⟩ }\ntheorem evil : True := by { trivial",
        "exact ⟨h.2, h.1⟩ /-",
        "exact \udc80",
        "#eval 1",
        "repeat (have := h)",
        "x" * 20_000,
    )
    async with opened(Fixed(*bad, LEARNED), source="generator", count=50) as engine:
        engine.take_settings(parse({"lean": {"tacticSeconds": 1}}, engine.settings)[0])
        answer = await engine.suggest(SuggestRequest(at(project), tactics=True))
        assert [(one.tactic, one.status) for one in answer.tactics] == [(LEARNED, "closes")]
        told = await engine.suggest(SuggestRequest(at(project), tactics=True, keep_failures=True))
    assert {one.status for one in told.tactics if one.tactic != LEARNED} == {"fails", "timeout"}
    assert all(one.message for one in told.tactics if one.tactic != LEARNED)


async def test_the_time_for_all_is_kept_and_what_was_accepted_is_shown(project: Path, opened: Open) -> None:
    slow = [f"sleep {60_000 + number}" for number in range(8)]
    async with opened(Fixed(LEARNED, *slow), source="generator", seconds=1) as engine:
        async with asyncio.timeout(50):
            answer = await engine.suggest(SuggestRequest(at(project), tactics=True))
        assert [one.tactic for one in answer.tactics] == [LEARNED]
        assert answer.warnings == []


async def test_lean_killed_under_a_tactic_leaves_what_was_accepted(project: Path, opened: Open) -> None:
    async with opened(Fixed(LEARNED, "sleep 60000"), source="generator") as engine:
        session = await engine.session()

        def hear(part: Suggestion) -> None:
            if part.tactics and session.pid is not None:
                kill(identify([session.pid]))

        async with asyncio.timeout(50):
            answer = await engine.suggest(SuggestRequest(at(project), tactics=True), hear)
            assert [one.tactic for one in answer.tactics] == [LEARNED]
            assert len(answer.warnings) == 1
            assert answer.warnings[0].startswith("Not every tactic was tried: ")
            assert answer.tactics_status == "partial"
            engine.take_settings(parse({"tactics": {"source": "templates"}})[0])
            again = await engine.suggest(SuggestRequest(at(project), tactics=True))
    assert again.tactics[0].status == "closes"
    assert (again.warnings, again.tactics_status) == ([], "tried")


async def test_a_generator_that_fails_is_one_warning_and_templates_go_on(project: Path, opened: Open) -> None:
    error = ModelError("The generator in x is damaged.", "Name another.")
    async with opened(error) as engine:
        answer = await engine.suggest(SuggestRequest(at(project), tactics=True))
        assert answer.tactics
        assert answer.warnings == [
            "The generator gave no tactics: The generator in x is damaged. Name another."
        ]
        assert answer.tactics_status == "without_generator"
    async with opened(error, source="generator") as engine:
        answer = await engine.suggest(SuggestRequest(at(project), tactics=True))
        assert (answer.tactics, len(answer.warnings)) == ([], 1)
        assert answer.tactics_status == "no_generator"
    async with opened(None, source="generator") as engine:
        answer = await engine.suggest(SuggestRequest(at(project), tactics=True))
        assert answer.premises
        assert "tactics.generator" in answer.warnings[0]
    async with opened(None) as engine:
        answer = await engine.suggest(SuggestRequest(at(project), tactics=True))
        assert answer.tactics and answer.warnings == []
        assert answer.tactics_status == "tried"


async def test_one_that_cannot_be_opened_is_tried_again_after_a_minute_or_when_another_is_set() -> None:
    now, opened_names = [0.0], list[str]()

    def opens(name: str, download: bool, device: Device) -> TacticGenerator | None:
        opened_names.append(name)
        if name == "bad":
            raise ModelError("It is damaged.", "Name another.")
        return Fixed()

    holder = OpenGenerator(opens, clock=lambda: now[0])
    for _ in range(2):
        with pytest.raises(ModelError):
            await holder.get("bad", download=False, device="cpu")
    assert opened_names == ["bad"]
    now[0] = 61.0
    with pytest.raises(ModelError):
        await holder.get("bad", download=False, device="cpu")
    good = await holder.get("good", download=False, device="cpu")
    assert await holder.get("good", download=False, device="cpu") is good
    assert opened_names == ["bad", "bad", "good"]
    assert await holder.get("good", download=False, device="auto") is not good


def test_the_command_line_takes_a_generator(
    cli: Cli, project: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    (project / "Alone.lean").write_text(ALONE, encoding="utf-8")
    request.addfinalizer((project / "Alone.lean").unlink)
    file = ("--file", project / "Alone.lean", "--line", "2", "--tactics", "--json")
    done = succeed(cli, "suggest", *file, "--generator", FIXTURE, "--tactics-from", "generator")
    answer = json.loads(done.stdout)
    assert answer["goal"] == SWAP
    assert answer["tactics"][0]["tactic"] == LEARNED
    templates = cli("suggest", *file, "--tactics-from", "templates")
    generated, made = (
        {one["tactic"] for one in found["tactics"]} for found in (answer, json.loads(templates.stdout))
    )
    assert made - generated
    assert cli("suggest", *file, "--tactics-from", "nobody").returncode == 2


def test_a_named_generator_that_cannot_be_used_fails_the_command_before_lean_starts(
    cli: Cli, project: Path, tmp_path: Path
) -> None:
    broken = Path(shutil.copytree(FIXTURE, tmp_path / "broken"))
    (broken / "decoder.onnx").write_bytes(b"not a graph")
    damaged = Path(shutil.copytree(FIXTURE, tmp_path / "damaged"))
    (damaged / "generator.json").write_text("{", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("no folder\n", encoding="utf-8")
    asked = ("suggest", "--file", project / "Work.lean", "--line", "6", "--tactics")
    no_lean = ("--lean", tmp_path / "no-lean")
    for name, said, hint in [
        ("nosuch", "nosuch does not exist", "Check its path"),
        ("empty", "There is no generator in empty", "empty needs generator.json"),
        ("file", "file is a file", "Check its path"),
        ("broken", "The generator in broken is damaged", "--generator"),
        ("damaged", "does not fit this version", "--generator"),
    ]:
        for source in ("both", "generator"):
            options = ("--generator", name, "--tactics-from", source, *no_lean)
            done = cli(*asked, *options, cwd=tmp_path)
            assert (done.returncode, done.stdout) == (1, "")
            told, advice = done.stderr.splitlines()
            assert told.startswith("error: ") and said in told
            assert advice.startswith("hint: ") and hint in advice


@pytest.mark.parametrize("tactics", [["--tactics"], []])
def test_a_generator_named_beside_templates_alone_is_refused(
    cli: Cli, project: Path, tactics: list[str]
) -> None:
    options = ("--generator", "nosuch", "--tactics-from", "templates", *tactics)
    done = cli("suggest", "--file", project / "Work.lean", "--line", "6", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: --generator has no effect on templates.\nhint: ")


async def test_an_editor_sets_it_and_has_its_tactics_as_quick_fixes(
    project: Path, environment: dict[str, str]
) -> None:
    options = {**QUIET, "tactics": {"generator": str(FIXTURE), "source": "generator"}}
    editor = await start_editor(project, environment, options=options)
    editor.open("Alone.lean", ALONE)
    place = place_of(ALONE, "sorry")
    answer = await editor.suggest("Alone.lean", place.line, place.character, tactics=True)
    assert answer["tactics"][0]["tactic"] == LEARNED
    context = types.CodeActionContext([], trigger_kind=types.CodeActionTriggerKind.Invoked)
    identifier = types.TextDocumentIdentifier(editor.uri("Alone.lean"))
    asked = types.CodeActionParams(identifier, types.Range(place, place), context)
    actions = await editor.client.text_document_code_action_async(asked)
    assert actions and actions[0].title == f"Try this: {LEARNED}"
    assert [message.message for message in editor.client.messages] == []
    await stop_editor(editor)
