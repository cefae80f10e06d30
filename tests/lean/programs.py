"""Reads the small programs of `programs/*.lean`: each as Lean accepts it, and as Lean rejects it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).with_name("programs")


@dataclass(frozen=True)
class Program:
    """What stands between two lines `--! name`, up to and from the line `--? wrong`."""

    name: str
    right: str
    wrong: str


def read_programs(name: str) -> list[Program]:
    """All programs of one file, in order."""
    text = (FOLDER / f"{name}.lean").read_text(encoding="utf-8")
    found = []
    for block in text.split("--! ")[1:]:
        title, body = block.split("\n", 1)
        right, wrong = body.split("--? wrong\n")
        found.append(Program(title, right, wrong))
    return found
