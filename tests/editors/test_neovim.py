"""Neovim for real, without a screen, set up as docs/editors/neovim.md says, with a real server."""

from __future__ import annotations

import json
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


ACCEPTED = """
  local params = vim.lsp.util.make_position_params(0, 'utf-16')
  params.tactics = true
  assert(vim.lsp.buf_request_sync(0, 'premiseSuggest/suggest', params, 60000))
"""
"""Lua: wait until Lean has tried tactics at the cursor. A term that it has accepted is offered before the name."""


def test_completion_offers_premises_where_a_term_is_typed(plain: Neovim, text: list[str]) -> None:
    plain.reload()
    line = behind(text, SUM)
    plain.go(line, 3)
    plain.lua(ACCEPTED)
    plain.lua("vim.o.completeopt = 'menuone,noselect'")
    plain.keys("0C  exact Nat.add_l<C-x><C-o>")
    plain.wait("#vim.fn.complete_info({ 'items' }).items > 0")
    plain.keys("<C-n><C-y><Esc>")
    plain.wait("vim.fn.mode() == 'n'")
    assert plain.line(line) == "  exact Nat.add_left_comm _ _ _"


def test_a_quick_fix_takes_the_place_of_the_sorry(plain: Neovim, text: list[str]) -> None:
    plain.reload()
    line = behind(text, SUM)
    plain.go(line, 3)
    plain.lua("vim.lsp.buf.code_action()")
    plain.wait("not vim.fn.getline('.'):find('sorry')")
    assert "Nat.add_left_comm" in plain.line(line)
    assert f"Try this: {plain.line(line).strip()}" in plain.lua("return _G.offered[1]")


def test_a_code_lens_puts_in_a_tactic_that_closes_the_goal(plain: Neovim, text: list[str]) -> None:
    plain.reload()
    line = behind(text, SUM)
    plain.go(line - 1)
    if not plain.lua("return vim.fn.has('nvim-0.11') == 1"):
        pytest.skip("this Neovim does not say that it shows lenses")
    plain.lua("vim.lsp.codelens.refresh()")
    plain.wait("#vim.lsp.codelens.get(vim.api.nvim_get_current_buf()) > 0")
    plain.lua("vim.lsp.codelens.run()")
    plain.wait(f"not vim.fn.getline({line}):find('sorry')")
    assert "Nat.add_left_comm" in plain.line(line)


def test_a_proof_is_searched_for_and_inserted(plain: Neovim, text: list[str]) -> None:
    plain.reload()
    line = behind(text, SUM)
    plain.go(line, 3)
    plain.keys(":PremiseProve<CR>")
    plain.wait(f"not vim.fn.getline({line}):find('sorry')")
    proof = plain.line(line).strip()
    plain.keys("u")
    plain.wait(f"vim.fn.getline({line}):find('sorry') ~= nil")
    assert proof


def test_a_search_shows_how_far_it_is_and_the_same_command_ends_it(plain: Neovim, text: list[str]) -> None:
    plain.reload()
    line = behind(text, SUM)
    hard = "theorem hard (n : ℕ) : ∃ m, n < m ∧ ∀ k, 1 < k → k < m → m % k ≠ 0 := by"
    plain.lua(f"vim.fn.setline({line - 1}, '{hard}')")
    plain.go(line, 3)
    plain.lua("vim.lsp.handlers['window/showMessage'] = function(_, result) _G.said = result.message end")
    plain.lua("_G.echo, vim.api.nvim_echo = vim.api.nvim_echo, function(chunks) _G.echoed = chunks[1][1] end")
    plain.keys(":PremiseProve<CR>")
    plain.wait("(_G.echoed or ''):find('^Searching for a proof: %d+ s of 10 s, %d+ state')")
    plain.keys(":PremiseProve<CR>")
    plain.wait("_G.said ~= nil")
    plain.lua("vim.api.nvim_echo = _G.echo")
    assert plain.lua("return { _G.said, _G.echoed }") == ["Stopped.", ""]
    plain.reload()


def test_symbols_of_the_workspace_are_found_without_an_import(plain: Neovim) -> None:
    plain.reload()
    plain.lua("vim.lsp.buf.workspace_symbol('Set.mem_union')")
    plain.wait("#vim.fn.getqflist() > 0")
    found = plain.lua("return vim.tbl_map(function(one) return one.text end, vim.fn.getqflist())")
    assert any("Set.mem_union" in one for one in found)
    plain.keys(":cclose<CR>")


def test_the_goal_stands_first_then_tactics_then_premises(plain: Neovim, text: list[str]) -> None:
    plain.reload()
    line = behind(text, SUM)
    plain.go(line, 3)
    plain.keys(":PremiseSuggest<CR>")
    plain.wait("not vim.fn.getline('.'):find('sorry')")
    assert "Nat.add_left_comm" in plain.line(line)
    assert plain.lua("return _G.prompt") == "a b c : ℕ ⊢ a + (b + c) = b + (a + c)"
    offered = plain.lua("return _G.offered")
    assert offered[0].startswith(f"tactic: {plain.line(line).strip()} (closes the goal")
    kinds = [item.startswith("tactic: ") for item in offered]
    assert set(kinds) == {True, False} and kinds == sorted(kinds, reverse=True)
    assert "Nat.zero_add: rw [Nat.zero_add] (not tried yet) (n : ℕ) : 0 + n = n" in offered


def test_a_premise_is_inserted_as_the_accepted_tactic_that_its_row_shows(
    plain: Neovim, text: list[str]
) -> None:
    plain.reload()
    line = behind(text, SUM)
    plain.go(line, 3)
    plain.lua("_G.pick = 'Nat.add_left_comm'")
    plain.keys(":PremiseSuggest<CR>")
    plain.wait("not vim.fn.getline('.'):find('sorry')")
    tactic = plain.line(line).strip()
    [row] = [one for one in plain.lua("return _G.offered") if one.startswith("Nat.add_left_comm:")]
    assert row.startswith(f"Nat.add_left_comm: {tactic} (closes the goal")
    assert plain.lua("return vim.api.nvim_win_get_cursor(0)") == [line, len(f"  {tactic}") - 1]
    plain.lua("_G.pick = nil")


def test_a_premise_that_lean_rejects_in_every_form_is_inserted_with_a_warning(
    plain: Neovim, text: list[str]
) -> None:
    plain.reload()
    line = behind(text, SUM)
    plain.go(line, 3)
    plain.lua("_G.told = {}")
    plain.keys(":PremiseSearch List.reverse_append<CR>")
    plain.wait("#_G.told > 0")
    tactic = plain.line(line).strip()
    assert "List.reverse_append" in tactic
    assert plain.lua("return _G.told") == [f"premise-suggest: Lean rejects `{tactic}`; u undoes it."]


def test_the_cursor_goes_to_the_first_goal_that_a_tactic_leaves(plain: Neovim, text: list[str]) -> None:
    plain.reload()
    line = behind(text, SUM)
    plain.lua(f"vim.fn.setline({line - 1}, 'theorem both (p q : Prop) (h : p ∧ q) : q ∧ p ∨ False := by')")
    plain.go(line, 3)
    plain.lua("_G.pick = 'tactic: left'")
    plain.keys(":PremiseSuggest<CR>")
    plain.wait("vim.fn.search('^  left$', 'n') > 0")
    assert plain.lua("return vim.fn.expand('<cword>')") == "sorry"
    assert plain.lua("return vim.api.nvim_win_get_cursor(0)[1]") == line + 1
    plain.lua("_G.pick = nil")


def test_one_of_several_goals_is_chosen_by_its_number(plain: Neovim, text: list[str]) -> None:
    plain.reload()
    line = behind(text, SUM)
    both = ["theorem both (a b : ℕ) : a + b = b + a ∧ a * b = b * a := by", "  constructor", "  sorry"]
    plain.lua(f"vim.fn.setline({line - 1}, vim.json.decode([==[{json.dumps(both)}]==]))")
    plain.go(line + 1, 3)
    plain.lua("_G.prompt, _G.told, _G.pick = nil, {}, 99")
    for number, prompt in (("", "Goal 1 of 2: case left, a b"), ("2", "Goal 2 of 2: case right, a b")):
        plain.keys(f":PremiseSuggest {number}<CR>")
        plain.wait(f"(_G.prompt or ''):find('{prompt}', 1, true)")
    plain.keys(":PremiseSuggest 0<CR>")
    plain.wait("#_G.told > 0")
    assert plain.lua("return _G.told") == [
        "premise-suggest: :PremiseSuggest takes the number of a goal, such as 2."
    ]
    plain.keys(":PremiseSuggest 3<CR>")
    plain.wait("#_G.told > 1")
    assert "2 goals" in plain.lua("return _G.told[2]")
    plain.lua("_G.pick = nil")


def test_a_failing_tactic_has_the_goal_before_it_and_is_replaced(plain: Neovim, text: list[str]) -> None:
    plain.reload()
    line = behind(text, SUM)
    plain.go(line)
    plain.keys("0C  exact Nat.add_left_co<Esc>:PremiseSuggest<CR>")
    plain.wait("vim.fn.getline('.'):find('Nat.add_left_comm', 1, true)")
    assert plain.lua("return _G.prompt") == f"Goal before line {line}: a b c : ℕ ⊢ a + (b + c) = b + (a + c)"
    assert plain.lua("return _G.offered[1]").startswith(f"tactic: {plain.line(line).strip()} (closes")


@pytest.mark.parametrize(
    ("theorem", "proof", "said"),
    [
        (f"{SUM} (a : ℕ) : a = a := by", "  rfl", "The goal is closed. Next sorry: line 21."),
        ("theorem t (p : Prop)) : p := by", "  exact h", "line 17 has an error: unexpected token ')'"),
    ],
    ids=["closed", "cannot be read"],
)
def test_where_there_is_no_goal_a_message_says_why(
    plain: Neovim, text: list[str], theorem: str, proof: str, said: str
) -> None:
    plain.reload()
    line = behind(text, SUM)
    plain.lua(f"vim.fn.setline({line - 1}, {{ '{theorem}', '{proof}' }})")
    plain.go(line, len(proof))
    plain.lua("_G.told = {}; vim.fn.cursor('.', 999)")
    plain.keys(":PremiseSuggest<CR>")
    plain.wait("#_G.told > 0")
    [told] = plain.lua("return _G.told")
    assert said in told


def test_the_cursor_goes_from_sorry_to_sorry(plain: Neovim, text: list[str]) -> None:
    plain.reload()
    lines = [number for number, line in enumerate(text, start=1) if line.strip() == "sorry"]
    plain.lua(f"vim.fn.setline({lines[1]}, '  have 𝕜 : ℕ := sorry -- no sorry')")
    plain.go(lines[0])
    for keys, line, column in (
        (":PremiseNextSorry<CR>", lines[0], 2),
        (":PremiseNextSorry<CR>", lines[1], len("  have 𝕜 : ℕ := ".encode())),
        (":PremiseNextSorry<CR>", lines[2], 2),
        (":PremisePrevSorry<CR>", lines[1], len("  have 𝕜 : ℕ := ".encode())),
        (":PremisePrevSorry<CR>", lines[0], 2),
        (":PremisePrevSorry<CR>", lines[-1], 2),
        (":PremiseNextSorry<CR>", lines[0], 2),
        ("<C-o>", lines[-1], 2),
    ):
        plain.keys(keys)
        plain.wait(f"vim.deep_equal(vim.api.nvim_win_get_cursor(0), {{{line}, {column}}})")
    plain.lua("_G.told = {}; vim.cmd('%s/sorry/rfl/g')")
    plain.keys(":PremiseNextSorry<CR>")
    plain.wait("#_G.told > 0")
    assert plain.lua("return _G.told") == ["premise-suggest: No sorry is left in this file."]


ANSWER = """
local goal = 'case left\\nn k : ℕ\\nh : n ≤\\n    k\\n⊢ 0 < k ∧\\n    n ≤ k'
local function tactic(text, status, goals, message, origin)
  local goals, message = goals or {}, message or ''
  return { tactic = text, status = status, remaining_goals = goals, message = message, origin = origin or '' }
end
local answer = {
  goal = goal, goal_number = 1, goal_count = 1, place = 'here',
  tactics = {
    tactic('rfl', 'unjudged', {}, 'cannot be judged: line 3 has an error'),
    tactic('constructor', 'progress', { 'h : p\\n⊢ 0 <\\n  k', 'h : p\\n⊢ n ≤ k' }),
    tactic('trivial', 'closes'),
    vim.tbl_extend('error', tactic('exact h', 'closes', {}, '', 'Nat.known'), { uses = { 'Nat.known' } }),
  },
  premises = {
    { name = 'a', statement = ': p', rests_on_sorry = true }, { name = 'b', statement = ': q', form = 'rw [b]' },
    { name = 'Nat.known', statement = ': r', form = 'apply Nat.known' },
  },
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
        "tactic: trivial (closes the goal)",
        "tactic: exact h (closes the goal; as in Nat.known)",
        "tactic: constructor (2 left: ⊢ 0 < k; ⊢ n ≤ k)",
        "tactic: rfl (cannot be judged: line 3 has an error)",
        "a (rests on sorry) : p",
        "b: rw [b] (not tried yet) : q",
        "Nat.known: exact h (closes the goal; as in Nat.known) : r",
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
