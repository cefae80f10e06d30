"""The parser of every command line: errors in one sentence with a hint, and help that lists groups and examples."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, TypeAlias

from lean_extract.common.errors import UserError
from lean_extract.common.nearest import nearest, question
from lean_extract.common.terminal_text import shown

OptionGroup: TypeAlias = "argparse._ActionsContainer"
"""A parser, or a group of its options."""


class OptionParser(argparse.ArgumentParser):
    """A parser whose errors are UserErrors that name what was meant.

    It repeats no value with a password, such as an address after a misspelled option.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        options.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(*args, **options)

    def parse_known_args(  # type: ignore[override]  # argparse itself calls it, as `parse_args` does
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """Parse all arguments. Raises UserError."""
        given = list(sys.argv[1:] if args is None else args)
        self._refuse_unknown(given)
        options, rest = super().parse_known_args(given, namespace)
        if not rest:
            return options, rest
        if rest[0].startswith("-"):
            raise self._unknown_option(rest[0])
        raise UserError(f"{_repeated(rest[0])} is one argument too many.", self._see())

    def error(self, message: str) -> NoReturn:
        """Raise UserError with argparse's message."""
        if _ADDRESS.search(message):
            what, _, values = message.partition(": ")
            message = f"{what}: {_OPTION.match(values)[0]}…"  # type: ignore[index]  # it matches the empty text
        missing = message.removeprefix("the following arguments are required: ")
        if missing != message:
            message = f"{missing} {'are' if ',' in missing else 'is'} missing"
        raise UserError(f"{message.removeprefix('argument ').rstrip('.')}.", self._see())

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Raise UserError if a value is none of an option's choices."""
        if action.choices is None or value in action.choices:
            return
        choices = list(map(str, action.choices))
        near = question(nearest(str(value), choices))
        if action.nargs == argparse.PARSER or action.dest == "command":
            raise UserError(f"There is no command {_repeated(value)}.", self._see(near))
        name = "/".join(action.option_strings) or action.metavar or action.dest
        what = f"{name} cannot be {_repeated(value)}."
        raise UserError(what, f"{near} It is one of {', '.join(choices)}.".strip())

    def _refuse_unknown(self, given: Sequence[str]) -> None:
        """Raise UserError for the first long option that is none; else argparse would first miss another one."""
        for word in given:
            if word == "--" or (self._subparsers and not word.startswith("-")):
                return  # what follows a command is the command's
            name = word.partition("=")[0]
            is_option = word.startswith("--") and " " not in word
            if is_option and not any(known.startswith(name) for known in self._option_string_actions):
                raise self._unknown_option(word)

    def _unknown_option(self, word: str) -> UserError:
        name = word.partition("=")[0]
        known = (option[2:] for option in self._option_string_actions if option.startswith("--"))
        near = question([f"--{one}" for one in nearest(name.lstrip("-"), known)])
        written = _WRITTEN.match(name)
        is_whole = written is not None and written[0] == name
        return UserError(f"There is no option {name if is_whole else '…'}.", self._see(near))

    def _see(self, before: str = "") -> str:
        return f"{before} See: {self.prog} --help".strip()


_ADDRESS = re.compile(r"@|[:=]\S")
"""What a message has that repeats an address, or `--option=VALUE`."""
_OPTION = re.compile(r"(?:--[a-z-]+[= ])?")
_WRITTEN = re.compile(r"-[A-Za-z-]{1,40}")
"""An option that may be repeated: no address has this form."""


def _repeated(value: object) -> str:
    """A value for a message; `…` if it may be an address."""
    text = str(value)
    return "…" if _ADDRESS.search(text) else shown(text, longest=100)


def command_list(groups: Mapping[str, Mapping[str, str]], examples: Sequence[str] = ()) -> str:
    """The commands in their groups, and examples, for the end of `--help`; as wide as the terminal."""
    most = max(len(name) for commands in groups.values() for name in commands)
    width = shutil.get_terminal_size().columns - 2
    lines = []
    for title, commands in groups.items():
        lines += ["", f"{title}:"]
        for name, about in commands.items():
            first, margin = f"  {name:<{most}}  ", " " * (most + 4)
            lines.append(textwrap.fill(about, width, initial_indent=first, subsequent_indent=margin))
    return "\n".join([*lines[1:], "", example_list(examples)]).rstrip()


def example_list(examples: Sequence[str]) -> str:
    """Examples for the end of `--help`; empty without any."""
    if not examples:
        return ""
    return "\n".join(["examples:" if len(examples) > 1 else "example:", *(f"  {one}" for one in examples)])
