"""`premise-suggest completion SHELL`: prints what makes a shell complete the commands, their options and files.

The scripts are written by `python scripts/completions.py` from the parsers of all commands.
"""

from __future__ import annotations

import argparse
import sys
from importlib.resources import files

SHELLS = ("bash", "zsh", "fish")
SCRIPTS = "completions"
"""The folder of the scripts, in the package."""
EXAMPLES = (
    "premise-suggest completion bash > ~/.local/share/bash-completion/completions/premise-suggest",
    "premise-suggest completion zsh > ~/.zfunc/_premise-suggest   # fpath+=~/.zfunc before compinit",
    "premise-suggest completion fish > ~/.config/fish/completions/premise-suggest.fish",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help="bash, zsh or fish")


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    name = f"premise-suggest.{options.shell}"
    sys.stdout.write(files("lsp_server").joinpath(SCRIPTS, name).read_text(encoding="utf-8"))
    return 0
