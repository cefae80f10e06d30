"""The window that follows the cursor in Neovim, and proofs of the example library typed beside it key by key.

With the environment variable ALL_PROOFS set, ten more are typed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from itertools import pairwise, takewhile
from pathlib import Path

import pytest

from lean_extract.toolchains.compile import lean_messages
from lean_extract.toolchains.packaged import PackagedLean
from lsp_server.commands.demo import EXAMPLE
from tests.editors.conftest import FILE, Open
from tests.editors.neovim import Neovim, attached
from tests.editors.pages import behind, block

pytestmark = [pytest.mark.lean, pytest.mark.slow]

IN_THE_SUITE = [("Nat/Order", "le_trans"), ("Nat/Dvd", "zero_dvd")]
OTHERS = [
    *(("Nat/Order", name) for name in ("le_of_eq", "not_succ_le_zero", "ne_of_lt", "le_add_left", "not_lt")),
    *(("Nat/Dvd", name) for name in ("dvd_trans", "le_of_dvd", "mul_dvd_mul")),
    *(("List/Perm", "mem_iff"), ("Logic/Basic", "and_left_comm")),
]
OPEN = re.compile(r"unsolved goals|Alternative `\S+` has not been provided")
"""What Lean says of a proof of which the rest has not been typed."""


@pytest.fixture(scope="module")
def nvim_with_view(open_in: Open) -> Iterator[Neovim]:
    """Neovim, set up as the page says, with the window that follows the cursor."""
    with open_in(block("neovim.md", "Picking and inserting")) as started:
        started.wait(attached("premise_suggest"))
        started.keys(":PremiseView<CR>")
        yield started


@pytest.fixture
def errors(packaged_lean: PackagedLean, example_oleans: Path) -> Callable[[str], list[str]]:
    """The errors of a new Lean about a text, but for those about what has not been typed yet."""
    environment = packaged_lean.environment_for(example_oleans, EXAMPLE)

    def found(text: str) -> list[str]:
        messages = lean_messages(packaged_lean.lean_command, environment, text)
        said = [message["data"] for message in messages if message["severity"] == "error"]
        return [one for one in said if not OPEN.match(one)]

    return found


def shown(nvim: Neovim) -> list[str]:
    """The lines of the view."""
    lines: list[str] = nvim.lua("""
      for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
        if vim.bo[buffer].filetype == 'premise_suggest' then return vim.api.nvim_buf_get_lines(buffer, 0, -1, true) end
      end
    """)
    return lines


def rows(lines: list[str], heading: str) -> list[str]:
    """The rows below a heading of the view; those for tactics are six, some of them empty."""
    below = lines[lines.index(heading) + 1 :] if heading in lines else []
    return below[:6] if heading == "Tactics" else list(takewhile(bool, below))


def answered(nvim: Neovim) -> list[str]:
    """The lines of the view as soon as they are for the text and the cursor as they are."""
    nvim.wait("require('premise_suggest_view').is_up_to_date()")
    return shown(nvim)


def proof(module: str, theorem: str) -> tuple[str, str]:
    """A file of the library up to the proof of a theorem, and that proof."""
    text = (EXAMPLE / "Example" / f"{module}.lean").read_text(encoding="utf-8")
    found = re.search(rf"theorem {theorem}\b.*?:= by\n(.*?)\n\n", text, re.DOTALL)
    assert found is not None
    return text[: found.start(1)], found[1]


def check_first_row(nvim: Neovim, heading: str, errors: Callable[[str], list[str]]) -> None:
    """Insert the first row under a heading: it compiles, or leaves the goals that it says. Then undo that."""
    row = next((row for row in rows(answered(nvim), heading) if row and "(import " not in row), None)
    if row is None:
        return
    before = nvim.lua("_G.told = {} return vim.api.nvim_buf_get_changedtick(0)")
    column = nvim.lua("return vim.fn.col('.')")
    nvim.keys(f"<Esc><C-w>l{shown(nvim).index(row) + 1}G<CR>")
    nvim.wait(f"vim.bo.filetype ~= 'premise_suggest' and vim.api.nvim_buf_get_changedtick(0) > {before}")
    text = "\n".join(nvim.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, true)")) + "\n"
    leaves = re.search(r"\((\d+) left: ", row)
    if not any("Lean rejects" in one for one in nvim.lua("return _G.told")):
        assert errors(text) == [], (row, text[-300:])
        assert "not tried" in row or text.count("sorry") == (int(leaves[1]) if leaves else 0), text[-300:]
    nvim.keys("u")
    nvim.wait(f"vim.fn.col('$') == {column}")
    nvim.keys("GA")


def open_file(nvim: Neovim, file: Path) -> None:
    """Open a file as it is on disk, in the window of files."""
    nvim.keys(f"<Esc>:edit! {file}<CR>:edit!<CR>")  # the first leaves a hidden buffer as it is
    nvim.wait(f"vim.api.nvim_buf_get_name(0) == '{file}' and not vim.bo.modified")
    nvim.wait(attached("premise_suggest"))


RECORD = """
_G.drawn = {}
vim.api.nvim_create_autocmd('User', { pattern = 'PremiseView', callback = function()
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.bo[buffer].filetype == 'premise_suggest' then
      table.insert(_G.drawn, vim.api.nvim_buf_get_lines(buffer, 0, -1, true))
    end
  end
end })
"""


def test_rows_keep_their_places_while_lean_tries_tactics(
    nvim_with_view: Neovim, library: Path, text: list[str]
) -> None:
    nvim = nvim_with_view
    open_file(nvim, library / FILE)
    nvim.lua(RECORD)
    nvim.go(behind(text, "theorem sum_swapped"), 3)
    last = answered(nvim)
    drawn = [one for one in nvim.lua("return _G.drawn") if "⊢ a + (b + c) = b + (a + c)" in one]
    assert len(drawn) > 2 and drawn[-1] == last
    assert not any(rows(drawn[0], "Tactics")) and any(rows(last, "Tactics"))
    for earlier, later in pairwise(drawn):
        assert [row.split(":")[0] for row in rows(earlier, "Premises")] == [
            row.split(":")[0] for row in rows(later, "Premises")
        ]
        for old, new in zip(rows(earlier, "Tactics"), rows(later, "Tactics"), strict=True):
            # A row may add where its tactic is from. Only what closes the goal takes the place of another, where all
            # places are taken.
            is_same = new.startswith(old.removesuffix(")"))
            assert is_same or ("closes the goal" in new and all(rows(earlier, "Tactics")))


def test_the_last_list_stays_dimmed_while_one_types_and_where_the_text_cannot_be_read(
    nvim_with_view: Neovim, library: Path, text: list[str]
) -> None:
    nvim = nvim_with_view
    open_file(nvim, library / FILE)
    line = behind(text, "theorem sum_swapped")
    nvim.go(line, 3)
    before = answered(nvim)
    dimmed = "vim.wo[vim.fn.win_getid(vim.fn.winnr('$'))].winhighlight:find('Comment') ~= nil"
    assert not nvim.lua(f"return {dimmed}")
    nvim.keys("0Cx")
    nvim.wait(dimmed)
    assert shown(nvim)[1:] == before[1:]
    answered(nvim)
    nvim.wait(f"not ({dimmed})")
    nvim.keys("<Esc>")
    nvim.lua(f"vim.fn.setline({line - 1}, 'theorem t (p : Prop)) : p := by')")
    view = answered(nvim)
    assert any(f"line {line - 1} has an error" in one for one in rows(view, "Notes"))
    assert nvim.lua(f"return {dimmed}") and rows(view, "Premises")


def test_a_long_goal_leaves_room_in_a_small_window(
    nvim_with_view: Neovim, library: Path, text: list[str]
) -> None:
    nvim = nvim_with_view
    open_file(nvim, library / FILE)
    line = behind(text, "theorem sum_swapped")
    nvim.lua("vim.o.columns, vim.o.lines = 64, 20")
    long = " ∧ ".join(["a + (b + c) = b + (a + c)"] * 120)
    nvim.lua(f"vim.fn.setline({line - 1}, 'theorem t (a b c : ℕ) (h : {long}) : {long} := by')")
    nvim.go(line, 3)
    view = answered(nvim)
    assert view.index("Tactics") < 24 and rows(view, "Premises")
    assert max(map(len, view[: view.index("Tactics")])) < 64
    nvim.lua("vim.o.columns, vim.o.lines = 120, 40")


@pytest.mark.parametrize(
    ("module", "theorem"),
    [*IN_THE_SUITE, *(OTHERS if os.environ.get("ALL_PROOFS") else [])],
)
def test_at_every_pause_there_is_a_goal_with_premises_and_what_is_inserted_compiles(
    nvim_with_view: Neovim, library: Path, errors: Callable[[str], list[str]], module: str, theorem: str
) -> None:
    nvim = nvim_with_view
    before, typed = proof(module, theorem)
    open_file(nvim, library / "Example" / f"{module}.lean")
    lines = len(before.splitlines())
    nvim.lua(f"vim.cmd('{lines + 1},$delete _'); vim.bo.autoindent = false; vim.fn.cursor({lines}, 999)")
    nvim.keys("o")
    words = re.findall(r"\s*\S+", typed)
    for number, word in enumerate(words):
        for key in word:
            nvim.keys({"\n": "<CR>", "<": "<lt>", " ": "<Space>"}.get(key, key))
        view = answered(nvim)
        if view[0].startswith("The goal is closed."):
            continue
        assert any("⊢" in line for line in view), (word, view)
        assert rows(view, "Premises"), (word, view)
        if number == len(words) // 2:
            for heading in ("Tactics", "Premises"):
                check_first_row(nvim, heading, errors)
    assert view[0].startswith("The goal is closed."), view
    assert (
        nvim.lua("return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\\n')") == before + typed
    )
