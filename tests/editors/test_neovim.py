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
    assert "Nat.add_left_comm" in plain.line(line)
    assert f"Try this: {plain.line(line).strip()}" in plain.lua("return _G.offered[1]")


def test_the_goal_stands_first_then_tactics_and_premises_apart(plain: Neovim, text: list[str]) -> None:
    plain.reload()
    line = behind(text, SUM)
    plain.go(line, 3)
    plain.keys(":PremiseSuggest<CR>")
    plain.wait("not vim.fn.getline('.'):find('sorry')")
    assert "Nat.add_left_comm" in plain.line(line)
    assert plain.lua("return _G.prompt") == "a b c : ℕ ⊢ a + (b + c) = b + (a + c)"
    offered = plain.lua("return _G.offered")
    assert offered[0] == "── Tactics ──"
    assert offered[1].startswith(plain.line(line).strip()) and "(closes the goal" in offered[1]
    at = offered.index("── Premises ──")
    assert all(item.endswith((")", "…")) for item in offered[1:at])
    assert any(item.startswith("Nat.add_assoc (k m n : ℕ)") for item in offered[at:])


def test_what_a_heading_says_is_not_put_in(plain: Neovim, text: list[str]) -> None:
    plain.reload()
    line = behind(text, SUM)
    plain.go(line, 3)
    plain.lua("_G.told, _G.pick = {}, 1")
    plain.keys(":PremiseSuggest<CR>")
    plain.wait("#_G.told > 0")
    plain.lua("_G.pick = nil")
    assert plain.lua("return _G.told") == ["premise-suggest: That is a heading: pick a line below it."]
    assert plain.line(line) == "  sorry"


ANSWER = """
local goal = 'case left\\nn k : ℕ\\nh : n ≤\\n    k\\n⊢ 0 < k ∧\\n    n ≤ k'
local function tactic(text, status, goals, message, origin)
  local goals, message = goals or {}, message or ''
  return { tactic = text, status = status, remaining_goals = goals, message = message, origin = origin or '' }
end
local answer = {
  goal = goal,
  tactics = {
    tactic('rfl', 'unjudged', {}, 'cannot be judged: line 3 has an error'),
    tactic('constructor', 'progress', { 'h : p\\n⊢ 0 <\\n  k', 'h : p\\n⊢ n ≤ k' }),
    tactic('trivial', 'closes'),
    tactic('exact h', 'closes', {}, '', 'Nat.known'),
  },
  premises = { { name = 'a', statement = ': p', rests_on_sorry = true }, { name = 'b', statement = ': q' } },
}
local client = { name = 'premise_suggest', offset_encoding = 'utf-16' }
local function request(method, _, done) done(nil, method:find('edits') and { edits = {} } or answer) end
client.request = vim.fn.has('nvim-0.11') == 1 and function(_, ...) request(...) end or request
local names = vim.lsp.get_clients and 'get_clients' or 'buf_get_clients'
local kept = vim.lsp[names]
vim.lsp[names] = function() return { client } end
vim.cmd('PremiseSuggest')
vim.lsp[names] = kept
return { _G.prompt, _G.offered }
"""
"""Lua that answers `:PremiseSuggest` in the server's place, with one thing of each kind."""


def test_each_kind_of_tactic_and_of_premise_is_told_apart(plain: Neovim, text: list[str]) -> None:
    plain.reload()
    plain.go(behind(text, SUM), 3)
    plain.lua("vim.o.columns = 100")
    prompt, offered = plain.lua(ANSWER)
    assert prompt == "case left, n k : ℕ, h : n ≤ k ⊢ 0 < k ∧ n ≤ k"
    assert offered == [
        "── Tactics ──",
        "trivial (closes the goal)",
        "exact h (closes the goal; as in Nat.known)",
        "constructor (2 left: ⊢ 0 < k; ⊢ n ≤ k)",
        "rfl (cannot be judged: line 3 has an error)",
        "── Premises ──",
        "a (rests on sorry) : p",
        "b : q",
    ]
    plain.lua("vim.o.columns = 48")
    assert plain.lua(ANSWER)[0] == "…eft, n k : ℕ, h : n ≤ k ⊢ 0 < k ∧ n ≤ k"
    plain.lua("vim.o.columns = 100")


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
