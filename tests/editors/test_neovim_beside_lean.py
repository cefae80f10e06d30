"""Neovim with another client that runs Lean, as lean.nvim does: the goal is handed over to our server."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.editors.conftest import FILE, Open, copy_modules
from tests.editors.neovim import Neovim, attached, processes, running, runs_lean
from tests.editors.pages import behind, block

pytestmark = pytest.mark.lean

PAGE = "neovim.md"
STAND_IN = Path(__file__).with_name("stand_in_lean.py")
SUM, LIST, DIVIDES = "theorem sum_swapped", "theorem reverse_of_append", "theorem factorial_divisible"
REVERSED = "α : Type\nk l : List α\n⊢ (k ++ l).reverse = l.reverse ++ k.reverse"


@pytest.fixture(scope="module")
def beside_lean(open_in: Open, text: list[str]) -> Iterator[Neovim]:
    """Our server beside a client that has Lean's goals, as lean.nvim has."""
    goals = {
        "plainGoal": {behind(text, SUM) - 1: REVERSED, behind(text, DIVIDES) - 1: ""},
        "plainTermGoal": {behind(text, LIST) - 1: REVERSED},
    }
    command = json.dumps([sys.executable, str(STAND_IN), json.dumps(goals)])
    client = f"""
    local id = vim.lsp.start_client({{ name = 'leanls', cmd = vim.json.decode([==[{command}]==]) }})
    vim.api.nvim_create_autocmd('FileType', {{ pattern = 'lean', callback = function(event)
      vim.lsp.buf_attach_client(event.buf, id)
    end }})
    """
    with open_in(block(PAGE, "Picking and inserting") + client) as started:
        started.wait(attached("premise_suggest"))
        started.wait(attached("leanls"))
        yield started


@pytest.mark.parametrize("theorem", [SUM, LIST], ids=["in a proof", "at a term"])
def test_a_goal_that_a_client_has_needs_no_lean_of_ours(
    beside_lean: Neovim, text: list[str], theorem: str
) -> None:
    beside_lean.reload()
    line = behind(text, theorem)
    beside_lean.go(line, 3)
    beside_lean.keys(":PremiseSuggest<CR>")
    beside_lean.wait("not vim.fn.getline('.'):find('sorry')")
    # The client's goal is about lists, whatever stands in the file.
    assert beside_lean.line(line) == "  exact List.reverse_append _ _"
    offered = beside_lean.lua("return _G.offered")
    assert offered[0].startswith("List.reverse_append: exact List.reverse_append _ _ (not tried yet)")
    assert len(offered) == 16
    assert not any("closes the goal" in item for item in offered)
    assert len(processes(beside_lean)) >= 2
    assert not runs_lean(beside_lean), processes(beside_lean)


@pytest.mark.parametrize(
    ("theorem", "said"),
    [
        (DIVIDES, "The goal is closed. Next sorry: line 15."),
        ("section OneLemma", "There is no goal here."),
    ],
)
def test_where_the_client_has_no_goal_it_is_said(
    beside_lean: Neovim, text: list[str], theorem: str, said: str
) -> None:
    beside_lean.reload()
    beside_lean.lua("_G.told = {}")
    beside_lean.go(behind(text, theorem))
    beside_lean.keys(":PremiseSuggest<CR>")
    beside_lean.wait("#_G.told > 0")
    assert beside_lean.lua("return _G.told") == [f"premise-suggest: {said}"]


def test_a_failure_comes_with_what_mends_it(beside_lean: Neovim) -> None:
    beside_lean.reload()
    beside_lean.lua("_G.told = {}")
    beside_lean.keys(":PremiseSearch ⊢<CR>")
    beside_lean.wait("#_G.told > 0")
    (told,) = beside_lean.lua("return _G.told")
    assert told.startswith("premise-suggest: ")
    assert len(told.removeprefix("premise-suggest: ").split(". ")) >= 2


def test_what_was_typed_meanwhile_is_not_overwritten(beside_lean: Neovim, text: list[str]) -> None:
    beside_lean.reload()
    line = behind(text, SUM)
    beside_lean.go(line, 3)
    beside_lean.lua("_G.told = {}; vim.cmd('PremiseSuggest'); vim.fn.setline('.', '  rfl')")
    beside_lean.wait("#_G.told > 0")
    assert beside_lean.lua("return _G.told") == [
        "premise-suggest: The text has changed in the meantime. Try again."
    ]
    assert beside_lean.line(line) == "  rfl"


def test_a_premise_brings_the_import_it_needs(beside_lean: Neovim, text: list[str]) -> None:
    beside_lean.reload()
    beside_lean.go(behind(text, SUM))
    beside_lean.keys("0C  exact <Esc>:PremiseSearch Set.mem_union<CR>")
    beside_lean.wait("vim.fn.search('exact Set', 'w') > 0")
    lines = beside_lean.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, true)")
    picked = beside_lean.lua("return _G.offered[1]")
    assert picked.startswith("Set.mem_union (import Example.Set.Basic) ")
    assert lines[:4] == [*text[:2], "import Example.Set.Basic", ""]
    assert lines[behind(text, SUM)] == "  exact Set.mem_union"


def test_without_the_server_the_commands_say_so(
    nvim: str, library: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    copy_modules(tmp_path / "lua")
    init = f"vim.opt.runtimepath:prepend('{tmp_path}')\n" + block(PAGE, "Picking and inserting")
    with running(nvim, tmp_path, init, library / FILE, environment) as alone:
        alone.keys(":PremiseSuggest<CR>")
        alone.wait("#_G.told > 0")
        assert alone.lua("return _G.told") == ["premise-suggest: The server is not attached to this buffer."]


def test_with_its_passive_features_off_our_server_runs_no_lean(open_in: Open, text: list[str]) -> None:
    with open_in(block(PAGE, "With lean.nvim")) as quiet:
        if not quiet.lua("return vim.fn.has('nvim-0.11') == 1"):
            pytest.skip("lean.nvim needs Neovim 0.11")
        quiet.wait(attached("premise_suggest"))
        quiet.go(behind(text, SUM), 3)
        asked = quiet.lua("""
          local params = vim.lsp.util.make_position_params(0, 'utf-16')
          local answers = {}
          for _, method in ipairs({ 'hover', 'completion' }) do
            local got = vim.lsp.buf_request_sync(0, 'textDocument/' .. method, params, 20000)
            for _, answer in pairs(got) do table.insert(answers, answer.result == nil) end
          end
          return answers
        """)
        assert asked == [True, True]
        assert not runs_lean(quiet), processes(quiet)
