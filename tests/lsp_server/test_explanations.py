"""Why a premise stands where it does, as each face tells it: terminal, JSON, hover, request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from lsp_server.engine.items import explanation_line
from lsp_server.engine.schema_items import ContributionItem, FeatureGroup
from retriever.lean.explanation import GROUPS, OTHER, RERANKER
from tests.answers import conforming
from tests.lsp_server.conftest import QUIET, STATE, Cli, Editor, answered, place_of, start_editor, stop_editor
from tests.lsp_server.test_editor_requests import plain


def of(**amounts: float) -> list[ContributionItem]:
    return [ContributionItem(FeatureGroup(group), amount) for group, amount in amounts.items()]


def test_every_group_is_documented_and_has_words() -> None:
    assert {one.value for one in FeatureGroup} == {*GROUPS, RERANKER, OTHER}
    for group in FeatureGroup:
        for amount in (1.0, -1.0):
            assert f"({amount:+.1f})" in explanation_line(of(**{group.value: amount}))


@pytest.mark.parametrize(
    ("explanation", "told"),
    [
        (of(), ""),
        (of(meaning=1.23), "near in meaning (+1.2)"),
        (
            of(meaning=2, proofs=0.9, shape=0.4, use=0.3, name=-0.1, words=-0.5),
            "near in meaning (+2.0), used in proofs of similar theorems (+0.9), fits the goal's shape (+0.4); "
            "less for its words (-0.5)",
        ),
        (of(meaning=0.04, place=0.0, name=-0.04), "nothing sets it apart"),
        (of(meaning=0.0, name=-1.0), "less for its name (-1.0)"),
    ],
)
def test_the_largest_contributions_are_told_and_the_most_negative(
    explanation: list[ContributionItem], told: str
) -> None:
    assert explanation_line(explanation) == told


def groups(answer: Any) -> list[set[str]]:
    return [{one["group"] for one in premise["explanation"]} for premise in answer["premises"]]


@pytest.mark.lean
def test_the_terminal_says_why(cli: Cli, project: Path) -> None:
    place = ("--file", project / "Work.lean", "--line", "6", "--k", "4")
    lines = cli("suggest", *place, "--explain").stdout.splitlines()
    assert sum(line.startswith("     why: ") for line in lines) == 4
    assert all(len(line) <= 100 for line in lines)
    first = next(at for at, line in enumerate(lines) if line.startswith("  1. exact Lib.and_swap h "))
    assert "(+" in next(line for line in lines[first:] if "why: " in line)
    plain_state = cli("suggest", "--state", "-", stdin=STATE, cwd=project)
    assert plain_state.returncode == 0 and "why: " not in plain_state.stdout
    answer = conforming(
        answered(cli, "suggest", "--state", "-", "--explain", stdin=STATE, cwd=project), "Suggestion"
    )
    assert all({"meaning", "shape", "scope"} <= told for told in groups(answer))
    amounts = [one["amount"] for one in answer["premises"][0]["explanation"]]
    assert amounts == sorted(amounts, reverse=True)


@pytest.mark.lean
def test_another_backend_explains_nothing(cli: Cli) -> None:
    done = cli("suggest", "--backend", "naturalproofs", "--text", "groups", "--explain")
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        2,
        "error: Only the backend lean explains its scores.",
    )


@pytest.mark.lean
@pytest.mark.asyncio(loop_scope="module")
async def test_the_request_explains_where_it_is_asked_to(editor: Editor) -> None:
    editor.open("Work.lean")
    place = place_of(editor.text("Work.lean"), "sorry")
    asked = ("Work.lean", place.line, place.character)
    explained = conforming(plain(await editor.suggest(*asked, explain=True)), "Suggestion")
    assert all({"meaning", "shape", "scope"} <= told for told in groups(explained))
    unexplained = plain(await editor.suggest(*asked))
    assert not any(groups(unexplained))
    for premise in explained["premises"]:
        assert premise["why"].count("(") <= len(premise["explanation"]) and "(" in premise["why"]
        premise.update(explanation=[], why="")
    assert explained["premises"] == unexplained["premises"]


async def hovered(editor: Editor) -> str:
    uri = editor.open("Work.lean")
    params = types.HoverParams(types.TextDocumentIdentifier(uri), place_of(editor.text("Work.lean"), "sorry"))
    found = await editor.client.text_document_hover_async(params)
    assert found and isinstance(found.contents, types.MarkupContent)
    return found.contents.value.partition("**Premises")[2]


@pytest.mark.lean
@pytest.mark.asyncio(loop_scope="module")
async def test_a_hover_says_why_in_a_line_below_each_premise_where_the_settings_ask_for_it(
    editor: Editor, project: Path, environment: dict[str, str]
) -> None:
    plain_text = await hovered(editor)
    explaining = await start_editor(project, environment, options={**QUIET, "hover": {"explain": True}})
    told = await hovered(explaining)
    why = [line for line in told.splitlines() if line.startswith("  *") and line.endswith(")*")]
    assert len(why) == told.count("\n- `") == 5
    for line in why:
        told = told.replace(f"\n\n{line}", "", 1)
    assert told == plain_text
    await stop_editor(explaining)
