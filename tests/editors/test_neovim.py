"""Neovim for real, without a screen, set up as docs/editors/neovim.md says, with a real server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.editors.conftest import Open
from tests.editors.neovim import Neovim, attached, processes, runs_lean
from tests.editors.pages import behind, block
from tests.lsp_server.conftest import all_end, descendants, watch

pytestmark = pytest.mark.lean

PAGE = "neovim.md"
SUM = "theorem sum_swapped"
FLOATING = (
    "vim.tbl_filter(function(w) return vim.api.nvim_win_get_config(w).relative ~= '' end,"
    " vim.api.nvim_list_wins())"
)


@pytest.fixture(scope="module")
def plain(open_in: Open) -> Iterator[Neovim]:
    """Our server alone, which then runs Lean itself, and the module."""
    with open_in(block(PAGE, "Picking and inserting")) as started:
        started.wait(attached("premise_suggest"))
        yield started


def test_hover_shows_the_premises_of_the_goal(plain: Neovim, text: list[str]) -> None:
    plain.go(behind(text, SUM), 3)
    plain.lua("vim.lsp.buf.hover()")
    plain.wait(f"#{FLOATING} == 1")
    shown = plain.lua(
        f"return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf({FLOATING}[1]), 0, -1, true)"
    )
    plain.lua(f"vim.api.nvim_win_close({FLOATING}[1], true)")
    assert "`Nat.add_left_comm`" in "\n".join(shown)
    assert runs_lean(plain), processes(plain)


def test_completion_offers_premises_where_a_term_is_typed(plain: Neovim, text: list[str]) -> None:
    plain.reload()
    line = behind(text, SUM)
    plain.go(line)
    plain.lua("vim.o.completeopt = 'menuone,noselect'")
    plain.keys("0C  exact Nat.add_l<C-x><C-o>")
    plain.wait("#vim.fn.complete_info({ 'items' }).items > 0")
    plain.keys("<C-n><C-y><Esc>")
    plain.wait("vim.fn.mode() == 'n'")
    assert plain.line(line) == "  exact Nat.add_left_comm"


def test_a_quick_fix_takes_the_place_of_the_sorry(plain: Neovim, text: list[str]) -> None:
    plain.reload()
    line = behind(text, SUM)
    plain.go(line, 3)
    plain.lua("vim.lsp.buf.code_action()")
    plain.wait("not vim.fn.getline('.'):find('sorry')")
    assert plain.line(line) == "  exact Nat.add_left_comm _ _ _"
    assert "Try this: exact Nat.add_left_comm _ _ _" in plain.lua("return _G.offered[1]")


def test_picked_tactics_come_first_and_go_in(plain: Neovim, text: list[str]) -> None:
    plain.reload()
    line = behind(text, SUM)
    plain.go(line, 3)
    plain.keys(":PremiseSuggest<CR>")
    plain.wait("not vim.fn.getline('.'):find('sorry')")
    assert plain.line(line) == "  exact Nat.add_left_comm _ _ _"
    offered = plain.lua("return _G.offered")
    assert offered[0] == "exact Nat.add_left_comm _ _ _  (closes the goal)"
    assert any(item.startswith("Nat.add_assoc (k m n : ℕ)") for item in offered)


def test_a_name_is_completed_behind_wide_characters(plain: Neovim, text: list[str]) -> None:
    plain.reload()
    line = behind(text, SUM)
    plain.go(line)
    plain.keys("0C  have 𝕜 : ℕ := a; exact Nat.add_left_co<Esc>:PremiseSearch Nat.add_left_comm<CR>")
    plain.wait("vim.fn.getline('.'):find('comm')")
    assert plain.line(line) == "  have 𝕜 : ℕ := a; exact Nat.add_left_comm"


def test_nothing_is_left_running(open_in: Open) -> None:
    with open_in() as nvim:
        nvim.wait(attached("premise_suggest"))
        below = descendants(nvim.process.pid)
        assert below
        handles = list(watch(below))
        nvim.quit()
        assert all_end(handles, 60)
