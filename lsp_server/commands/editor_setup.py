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

Steps = Callable[[str, Path], str]
"""What to do, from the command of premise-suggest and the project's root."""
Version = tuple[int, int]
"""The first two numbers of a version."""


@dataclass(frozen=True, slots=True)
class Client:
    """An editor or an agent: the programs by which it is found, and how to set it up."""

    name: str
    programs: tuple[str, ...]
    steps: Steps
    since: Version = (0, 0)
    """The first version that `steps` fit."""
    older: Steps | None = None
    """For versions before that."""

    def program(self, path: str | None = None) -> str | None:
        """The program that is installed. `path`: where to look, as PATH has it; None: PATH."""
        return next(filter(None, (shutil.which(name, path=path) for name in self.programs)), None)

    def steps_here(self) -> Steps:
        """The steps for the version that is installed, or for the newest where that is not known."""
        program = self.program() if self.older is not None else None
        version = _version(program) if program is not None else None
        return self.older if self.older is not None and version and version < self.since else self.steps


def _version(program: str) -> Version | None:
    """The version of an editor, the first that `--version` prints; None: it does not answer, or not in time."""
    try:
        done = subprocess.run(
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=EDITOR_VERSION_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(rb"(\d{1,4})\.(\d{1,4})", done.stdout)
    return (int(found[1]), int(found[2])) if found is not None else None


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
        "code --install-extension vscode-extension/dist/premise-suggest.vsix   # in a clone, after `make vsix`\n"
        f'settings.json: "premiseSuggest.path": {json.dumps(command)}'
    )


def _neovim(command: str, root: Path) -> str:
    return f"""in init.lua (Neovim 0.11 and later):
vim.lsp.config('premise_suggest', {{
  cmd = {{ {command!r}, 'serve' }},
  filetypes = {{ 'lean', 'lean4' }},
  root_markers = {{ 'lean-toolchain', 'lakefile.toml', 'lakefile.lean' }},
}})
vim.lsp.enable('premise_suggest')"""


def _older_neovim(command: str, root: Path) -> str:
    return f"""in init.lua (Neovim 0.7.2 to 0.10):
vim.cmd([[autocmd BufRead,BufNewFile *.lean setfiletype lean]])
local clients = {{}}
vim.api.nvim_create_autocmd('FileType', {{
  pattern = {{ 'lean', 'lean4' }},
  callback = function(event)
    local folder = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(event.buf), ':p:h')
    local root = folder
    for _, mark in ipairs({{ 'lean-toolchain', 'lakefile.toml', 'lakefile.lean' }}) do
      local found = vim.fn.findfile(mark, vim.fn.fnameescape(folder) .. ';')
      if found ~= '' then root = vim.fn.fnamemodify(found, ':p:h') break end
    end
    clients[root] = clients[root] or vim.lsp.start_client({{
      name = 'premise_suggest', cmd = {{ {command!r}, 'serve' }}, root_dir = root }})
    vim.lsp.buf_attach_client(event.buf, clients[root])
    vim.bo[event.buf].omnifunc = 'v:lua.vim.lsp.omnifunc'
    vim.opt_local.iskeyword:append('.') -- names have dots; without this, completion takes the last part only
  end,
}})"""


def _emacs(command: str, root: Path) -> str:
    return f"""{_older_emacs(command, root)}
or with the eglot that comes with Emacs, which runs one server for a buffer:
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(lean4-mode . ({json.dumps(command)} "serve"))))"""


def _older_emacs(command: str, root: Path) -> str:
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


def _claude(command: str, root: Path) -> str:
    folder = shlex.quote(str(root / ".claude" / "skills" / "premise-suggest"))
    return (
        f"{_agent('claude mcp add premise-suggest --')(command, root)}\n"
        f"mkdir -p {folder} && {shlex.quote(command)} mcp --skill > {folder}/SKILL.md"
    )


CLIENTS = (
    Client("VS Code", ("code", "codium", "code-insiders", "cursor"), _vscode),
    Client("Neovim", ("nvim",), _neovim, (0, 11), _older_neovim),
    Client("Emacs", ("emacs",), _emacs, (29, 0), _older_emacs),
    Client("Helix", ("hx", "helix"), _helix),
    Client("Zed", ("zed", "zeditor"), _zed),
    Client("Claude Code", ("claude",), _claude),
    Client("Codex", ("codex",), _agent("codex mcp add premise-suggest --")),
)


def installed(path: str | None = None) -> Iterator[Client]:
    """Those that are installed. `path`: where to look, as PATH has it; None: PATH."""
    return (client for client in CLIENTS if client.program(path) is not None)
