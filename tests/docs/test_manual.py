"""The manual: its links lead somewhere, and the modules, scripts, make targets and paths that it names exist."""

from __future__ import annotations

import importlib
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_FOLDERS = (
    "docs",
    "lean_extract",
    "lsp_server",
    "prover",
    "retriever",
    "scripts",
    "tests",
    "vscode-extension",
)
_PAGES = (
    *("*.md", "docs/**/*.md", "vscode-extension/*.md", "vscode-extension/walkthrough/*.md"),
    *("lean_extract/**/*.md", "prover/**/*.md", "retriever/**/*.md", "tests/**/*.md"),
)
PAGES = sorted(page for pattern in _PAGES for page in ROOT.glob(pattern))


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT))


_every_page = pytest.mark.parametrize("page", PAGES, ids=_name)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_MODULE = re.compile(r"\s-m ((?:lean_extract|lsp_server|prover|retriever|scripts|tests)\b[\w.]*)")
_COMMAND = re.compile(r"\s-m (lean_extract|prover|retriever|scripts\.benchmarks) ([a-z][\w-]*)")
_SCRIPT = re.compile(r"\bpython (scripts/[\w.]+)")
_PATH = re.compile(rf"`((?:{'|'.join(_FOLDERS)})/[\w./-]*)")
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


@cache
def _text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@cache
def _anchors(page: Path) -> frozenset[str]:
    """The anchors of a page's headings, as GitHub writes them."""
    headings: list[str] = re.findall(r"^#+ (.*)$", _FENCE.sub("", _text(page)), re.MULTILINE)
    return frozenset(
        re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings
    )


@cache
def _commands(package: str) -> frozenset[str]:
    """The commands of `python -m PACKAGE`."""
    return frozenset(importlib.import_module(f"{package}.__main__").VERBS)


def broken_links(page: Path) -> list[str]:
    """The relative links of a page that lead to no file, or to no heading of a page."""
    found = []
    for target in _LINK.findall(_FENCE.sub("", _text(page))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        if not linked.exists() or (anchor and anchor not in _anchors(linked)):
            found.append(target)
    return found


def is_runnable(module: str) -> bool:
    """Whether `python -m MODULE` runs something: a package with `__main__`, or a module with a main block."""
    path = ROOT.joinpath(*module.split("."))
    if path.is_dir():
        return (path / "__main__.py").is_file()
    file = path.with_suffix(".py")
    return file.is_file() and 'if __name__ == "__main__":' in file.read_text(encoding="utf-8")


@_every_page
def test_links_lead_somewhere(page: Path) -> None:
    assert broken_links(page) == []


@_every_page
def test_modules_and_scripts_exist(page: Path) -> None:
    modules = set(_MODULE.findall(_text(page)))
    assert {module for module in modules if not is_runnable(module)} == set()
    assert {script for script in _SCRIPT.findall(_text(page)) if not (ROOT / script).is_file()} == set()


@_every_page
def test_commands_of_developers_exist(page: Path) -> None:
    """Of `python -m PACKAGE COMMAND`, where PACKAGE has commands."""
    named = set(_COMMAND.findall(_text(page)))
    assert {f"{package} {name}" for package, name in named if name not in _commands(package)} == set()


@_every_page
def test_paths_of_the_repository_exist(page: Path) -> None:
    paths = {path.rstrip(".") for path in _PATH.findall(_text(page))}
    assert {path for path in paths if not (ROOT / path).exists()} == set()


@_every_page
def test_make_targets_exist(page: Path) -> None:
    targets = set(re.findall(r"(?:^|`)make ([\w-]+)", _text(page), re.MULTILINE))
    assert targets <= set(re.findall(r"^([\w-]+):", _text(ROOT / "Makefile"), re.MULTILINE))


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "json.md"], ids=_name)
def test_lines_are_short(page: Path) -> None:
    """At most 120 columns, except in tables and in a page that is written from docstrings."""
    lines = enumerate(_text(page).splitlines(), start=1)
    assert [number for number, line in lines if len(line) > 120 and not line.startswith("|")] == []


def test_what_is_missing_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One two\n[a](page.md#one-two) [b](none.md) [c](#three) [d](https://e.org/f)\n")
    assert broken_links(page) == ["none.md", "#three"]
    assert is_runnable("retriever") and "train" in _commands("retriever")
    assert not is_runnable("retriever.no_such_module")
    assert not is_runnable("lean_extract.records")
