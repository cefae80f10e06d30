"""`python scripts/completions.py` writes what `premise-suggest completion` prints, from the parsers of all commands.

A change of the options needs it; a test fails while a script is out of date. Making them at each call would import
every command, which takes seconds where a shell starts.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import shtab

from lean_extract.common.files.atomic import replacing
from lsp_server.cli import COMMANDS, parser
from lsp_server.commands.completion import SCRIPTS, SHELLS

_FOLDER = Path(__file__).parents[1] / "lsp_server" / SCRIPTS
_LEAN_FILES = {**shtab.glob("*.lean"), "zsh": "_files -g '*.lean'"}
"""shtab's own pattern for zsh, `(*.lean)`, is taken for glob qualifiers there."""
_BY_METAVAR = {"DIR": shtab.DIRECTORY, "PLACE": _LEAN_FILES, "F": _LEAN_FILES, "FILE|-": shtab.FILE}


def scripts() -> dict[str, str]:
    """The text of each script, by its name."""
    top = parser()
    _prepare(top)
    return {f"{top.prog}.{shell}": f"{shtab.complete(top, shell=shell).rstrip()}\n" for shell in SHELLS}


def _prepare(command: argparse.ArgumentParser) -> None:
    """Say which arguments are files, and show each command's description in its list."""
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            listed = {one.dest for one in action._choices_actions}
            for name, below in action.choices.items():
                _prepare(below)
                if name not in listed:
                    about = COMMANDS[name].about
                    action._choices_actions.append(action._ChoicesPseudoAction(name, (), about))
        elif action.choices is None:
            completed: Any = _BY_METAVAR.get(str(action.metavar), shtab.FILE if action.type is Path else None)
            if completed:
                action.complete = completed  # type: ignore[attr-defined]


def main() -> int:
    """Write the scripts that are out of date, and print their names."""
    _FOLDER.mkdir(exist_ok=True)
    for name, text in scripts().items():
        path = _FOLDER / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            with replacing(path) as stream:
                stream.write(text)
            print(path.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
