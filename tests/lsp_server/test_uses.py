"""How lemmas and hypotheses of every form are used: what closes the goal is shown, in a real Lean."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.lsp_server.conftest import QUIET, Cli, Editor, start_editor, stop_editor, succeed

pytestmark = [pytest.mark.lean, pytest.mark.asyncio(loop_scope="module")]
USES = Path(__file__).parent / "uses"
TEMPLATES = {**QUIET, "tactics": {"source": "templates", "seconds": 30}, "lean": {"tacticSeconds": 20}}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def uses(
    tmp_path_factory: pytest.TempPathFactory, cli: Cli, environment: dict[str, str]
) -> AsyncIterator[Editor]:
    """A server on the project of lemmas, indexed, with no generator."""
    folder = tmp_path_factory.mktemp("uses")
    shutil.copytree(USES, folder, dirs_exist_ok=True)
    (folder / "lakefile.toml").write_text('name = "Uses"\n\n[[lean_lib]]\nname = "Uses"\n', encoding="utf-8")
    succeed(cli, "index", folder)
    started = await start_editor(folder, environment, options=TEMPLATES)
    yield started
    await stop_editor(started)


@pytest.mark.parametrize(
    ("goal", "tactic"),
    [
        ("false_by_ne", "exact ne_style _ h"),
        ("from_absurd", "exact (ne_style _ h).elim"),
        ("negation", "exact not_both"),
        ("negation_of_both", "exact not_both hg hr"),
        ("contraposed", "exact fun h1 => not_both (h h1) hr"),
        ("swapped", "exact fun h h1 => not_both h1 h"),
        ("first_part", "exact (both h).1"),
        ("second_part", "exact (both h).2"),
        ("iff_backward", "exact (iff_style _).mpr h"),
        ("iff_forward", "exact (iff_style _).mp"),
        ("twice", "exact add_two (add_two h)"),
        ("two_lemmas", "exact add_two ((iff_style _).mpr h)"),
        ("named", "exact hα"),
        ("exists_itself", "exact some_near _"),
        ("exists_witness", "exact ⟨_, add_two h⟩"),
        ("exists_eliminated", "exact h _ (near_up _)"),
        ("or_eliminated", "exact h.elim g f"),
        ("false_eliminated", "exact (h k).elim"),
        ("turned", "exact h.symm"),
        ("turned_ne", "exact (ne_style _).symm"),
        ("weakened", "exact h.le"),
        ("chained", "exact h.trans k"),
        ("chained_with_lemma", "exact h.trans (step_le _)"),
        ("eq_chained", "exact h.trans k.symm"),
        ("paired", "exact ⟨(both h).2, add_two h⟩"),
        ("one_side", "exact Or.inr ((iff_style _).mpr h)"),
        ("for_all", "exact fun _ h => (iff_style _).mpr h"),
    ],
)
async def test_what_closes_the_goal_is_tried(uses: Editor, goal: str, tactic: str) -> None:
    text = uses.text("Goals.lean")
    uses.open("Goals.lean")
    start = text[: text.index(f"-- {goal}\n")].count("sorry")
    answer = await uses.suggest_at("Goals.lean", text, nth=start, tactics=True)
    closing = [one["tactic"] for one in answer["tactics"] if one["status"] == "closes"]
    assert tactic in closing
