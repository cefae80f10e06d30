"""The text of `--help`, of `premise-suggest` and of the developers' commands."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from unittest import mock

from lsp_server.cli import parser
from tests.commands import command
from tests.contract.workplace import COLUMNS, Workplace

PACKAGES = ("lean_extract", "retriever", "prover")
PYTHON = (3, 11)
"""Whose argparse set the recorded text; a later one breaks lines elsewhere."""


def help_texts(_: Workplace) -> Mapping[str, list[str]]:
    """The lines of `--help` by command."""
    with (
        mock.patch.dict(os.environ, {"COLUMNS": COLUMNS}),
        mock.patch.object(sys, "argv", ["premise-suggest"]),
    ):
        return {**dict(_users(parser())), **dict(_developers())}


def _users(command: argparse.ArgumentParser) -> Iterator[tuple[str, list[str]]]:
    """A command, and those below it."""
    yield command.prog, command.format_help().splitlines()
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _users(below)


def _developers() -> Iterator[tuple[str, list[str]]]:
    for package in PACKAGES:
        yield f"python -m {package}", _printed(package, "--help")
        for verb in importlib.import_module(f"{package}.__main__").VERBS:
            yield f"python -m {package} {verb}", _printed(package, verb)


def _printed(package: str, verb: str) -> list[str]:
    printed = io.StringIO()
    with redirect_stdout(printed):
        try:
            command(f"{package} {verb}")([] if verb == "--help" else ["--help"])
        except SystemExit as end:
            assert end.code == 0, f"{package} {verb}"
    return printed.getvalue().splitlines()
