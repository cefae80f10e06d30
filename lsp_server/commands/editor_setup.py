"""What to put where, for the editors and agents that are installed on this machine."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lsp_server.limits import EDITOR_VERSION_SECONDS


@dataclass(frozen=True, slots=True)
class Client:
    """An editor or an agent: the programs by which it is found, and how to set it up."""

    name: str
    programs: tuple[str, ...]
    steps: Callable[[str, Path], str]
    """From the command of premise-suggest and the project's root."""


def own_command() -> str:
    """The path of the `premise-suggest` that runs, which need not be on PATH."""
    script = Path(sys.executable).with_name("premise-suggest")
    return str(script) if script.is_file() else shutil.which("premise-suggest") or "premise-suggest"


def called_command() -> str:
    """What calls the `premise-suggest` that runs: its name where that is on PATH, else its path."""
    found, own = shutil.which("premise-suggest"), own_command()
    return "premise-suggest" if found and Path(found).resolve() == Path(own).resolve() else own


def _vscode(command: str, root: Path) -> str:
    return (
        "code --install-extension premise-suggest.vsix     # `make vsix` in a clone makes the file\n"
        f'settings.json: "premiseSuggest.path": {json.dumps(command)}'
    )


def _neovim(command: str, root: Path) -> str:
    version = _neovim_version()
    if version is not None and version < _LSP_CONFIG:
        return _OLDER_NEOVIM.replace("COMMAND", repr(command))
    return f"""in init.lua (Neovim 0.11 and later):
vim.lsp.config('premise_suggest', {{
  cmd = {{ {command!r}, 'serve' }},
  filetypes = {{ 'lean', 'lean4' }},
  root_markers = {{ 'lean-toolchain', 'lakefile.toml', 'lakefile.lean' }},
}})
vim.lsp.enable('premise_suggest')"""


_LSP_CONFIG = (0, 11)
"""The first Neovim with `vim.lsp.config`."""
_OLDER_NEOVIM = """in init.lua (Neovim 0.7.2 to 0.10):
vim.cmd([[autocmd BufRead,BufNewFile *.lean setfiletype lean]])
local clients = {}
vim.api.nvim_create_autocmd('FileType', {
  pattern = { 'lean', 'lean4' },
  callback = function(event)
    local folder = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(event.buf), ':p:h')
    local root = folder
    for _, mark in ipairs({ 'lean-toolchain', 'lakefile.toml', 'lakefile.lean' }) do
      local found = vim.fn.findfile(mark, vim.fn.fnameescape(folder) .. ';')
      if found ~= '' then root = vim.fn.fnamemodify(found, ':p:h') break end
    end
    clients[root] = clients[root] or vim.lsp.start_client({
      name = 'premise_suggest', cmd = { COMMAND, 'serve' }, root_dir = root })
    vim.lsp.buf_attach_client(event.buf, clients[root])
    vim.bo[event.buf].omnifunc = 'v:lua.vim.lsp.omnifunc'
    vim.opt_local.iskeyword:append('.') -- names have dots; without this, completion takes the last part only
  end,
})"""


def _neovim_version() -> tuple[int, int] | None:
    """The version of the Neovim on PATH; None where it cannot be found out."""
    program = shutil.which("nvim")
    if program is None:
        return None
    try:
        done = subprocess.run(
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=EDITOR_VERSION_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.match(r"NVIM v(\d{1,4})\.(\d{1,4})", done.stdout)
    return (int(found[1]), int(found[2])) if found else None


def _emacs(command: str, root: Path) -> str:
    return f"""in init.el, in addition to lean4-mode (lsp-mode):
(with-eval-after-load 'lsp-mode
  (lsp-register-client
   (make-lsp-client :new-connection (lsp-stdio-connection '({json.dumps(command)} "serve"))
                    :major-modes '(lean4-mode) :add-on? t :priority -1 :server-id 'premise-suggest)))"""


def _helix(command: str, root: Path) -> str:
    return f"""in languages.toml:
[language-server.premise-suggest]
command = {json.dumps(command)}
args = ["serve"]
[[language]]
name = "lean"
language-servers = ["lean", "premise-suggest"]"""


def _zed(command: str, root: Path) -> str:
    server = {"path": command, "arguments": ["serve"]}
    return (
        "settings.json, with the extension Lean 4; this replaces Lean's server:\n"
        f'"lsp": {{"lean4-lsp": {{"binary": {json.dumps(server)}}}}}'
    )


def _agent(add: str) -> Callable[[str, Path], str]:
    return lambda command, root: f"{add} {shlex.join([command, 'mcp', '--project', str(root)])}"


CLIENTS = (
    Client("VS Code", ("code", "codium", "code-insiders", "cursor"), _vscode),
    Client("Neovim", ("nvim",), _neovim),
    Client("Emacs", ("emacs",), _emacs),
    Client("Helix", ("hx", "helix"), _helix),
    Client("Zed", ("zed", "zeditor"), _zed),
    Client("Claude Code", ("claude",), _agent("claude mcp add premise-suggest --")),
    Client("Codex", ("codex",), _agent("codex mcp add premise-suggest --")),
)


def installed(path: str | None = None) -> Iterator[Client]:
    """Those that are installed. `path`: where to look, as PATH has it; None: PATH."""
    return (client for client in CLIENTS if any(shutil.which(name, path=path) for name in client.programs))
