"""The check of regular expressions: it finds the slow ones, however they are written, and no others."""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scripts import check_regexes
from tests.hostile.regexes.attacks import worst_attack
from tests.hostile.regexes.collecting import (
    Expression,
    UnreadExpression,
    python_expressions,
    typescript_expressions,
)
from tests.hostile.regexes.matching import Matcher
from tests.hostile.regexes.tree import Mode, read

EXPONENTIAL = [
    r"(?:(?:private|local|@\[[^\n]*?\]|open[^\n]*? in)\s+)*(?:theorem|def)",  # what ended the server
    r"(?:\s|--[^\n]*|/-(?:[^-]|-(?!/))*-/)*\|",
    r"(a*)*b",
    r"(?:a|a)*b",
    r"(?:ab|aba|b)*c",
    r"(?:\s*|x)*y",
    r"(?:a{0,9}){0,9}b",
    r"(?=(?:a|aa)+$)x",
    r"(?:.|\n)*?(?:.|\n)*?(?:.|\n)*?(?:.|\n)*?(?:.|\n)*?!",
]
SLOW: list[tuple[str, Mode]] = [
    *((pattern, "match") for pattern in EXPONENTIAL),
    (r"\s*$", "search"),
    (r"\s*+$", "search"),
    (r"^\s*(?:require)", "search"),
    (r"«[^»]*»", "all"),
    (r"(?<![\w.'])(?:fun|λ)(?![\w'])[^;]*$", "search"),
    (r"^\s*(?:←)?\s*$", "match"),
    (r"a.*b.*c", "match"),
    (r"a(?=.*b)", "all"),
    (r"[a-z0-9]+[0-9]+", "fullmatch"),
    (r"(?s:a.*)b", "search"),
    (r"(?i:A+)B", "search"),
]
FAST: list[tuple[str, Mode]] = [
    (r"(?>(?:(?:private|local|@\[[^\n]*?\](?=\s+[@pld]))\s+)*)(?:theorem|def)", "match"),
    (r"(?>(?:\s|--[^\n]*+|/-(?>(?:[^-]|-(?!/))*)-/)*)\|", "match"),
    (r"(?<!\s)\s*+$", "search"),
    (r"«[^«»]*»", "all"),
    (r"\w+", "all"),
    (r"a*b", "match"),
    (r"a{0,99}b", "search"),
    (r"(?>a|ab)*c", "match"),
    (r'"(?:[^"\\]|\\.)*"|.', "match"),
]


@pytest.mark.parametrize(("pattern", "mode"), SLOW)
def test_slow_expressions_are_found(pattern: str, mode: Mode) -> None:
    found = worst_attack(pattern, re.MULTILINE * (mode == "search"), mode)
    assert found is not None
    assert (pattern in EXPONENTIAL) == math.isinf(found.exponent)


@pytest.mark.parametrize(("pattern", "mode"), FAST)
def test_others_are_not(pattern: str, mode: Mode) -> None:
    assert worst_attack(pattern, 0, mode) is None


ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def ours() -> list[Expression]:
    """Those of this repository, but for what is only used with bytes."""
    found = python_expressions(ROOT, ("lean_extract", "lsp_server", "prover"))
    return [one for one in found if isinstance(one.pattern, str)]


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_the_matcher_matches_what_python_does(ours: list[Expression], data: st.DataObject) -> None:
    one = data.draw(st.sampled_from(ours))
    tree = read(one.pattern, one.flags)
    letters = data.draw(st.lists(st.integers(0, len(tree.letters) - 1), max_size=12))
    place = data.draw(st.integers(0, len(letters)))
    found = re.compile(one.pattern, one.flags).match(tree.text(tuple(letters)), place)
    assert Matcher(tree, "match", 1_000_000).match(letters, place) == (found.end() if found else None)


MODULE = r"""
import re

_PART = r"[^»]"
_NAME = re.compile(rf"«{_PART}*»")
PUBLIC = re.compile("a+b", re.IGNORECASE)
_TABLE = [("x", re.compile(r"\d"))]


def made(word):
    return re.compile(rf"{re.escape(word)}\s*=").search("")


def used(text, word):
    _NAME.match(text)
    return re.sub(r"\s+", " ", text), re.search(rf"\b{word}\b", text, re.MULTILINE)


def compiled(inner):
    return re.compile(f"({inner})+")


_GIVEN = compiled("a|b")
"""


def test_every_expression_of_a_module_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "first.py").write_text(MODULE)
    (tmp_path / "shop" / "second.py").write_text("import shop.first\nshop.first.PUBLIC.findall('')\n")
    (tmp_path / "shop" / "none.py").write_text("raise RuntimeError\n")
    monkeypatch.syspath_prepend(tmp_path)
    found = {(one.pattern, one.flags, *one.modes) for one in python_expressions(tmp_path, ("shop",))}
    sys.modules.pop("shop.first", None)
    assert found >= {
        ("«[^»]*»", 0, "match"),
        ("a+b", re.IGNORECASE, "all"),
        (r"\d", 0, "all"),
        (r"x\s*=", 0, "search"),
        (r"\s+", 0, "all"),
        (r"\bx\b", re.MULTILINE, "search"),
        ("(a|b)+", 0, "all"),
    }


def test_an_expression_that_cannot_be_read_is_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hidden.py").write_text(
        "import re\n\n\ndef find(text, pattern):\n    re.search(pattern, text)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UnreadExpression, match="hidden:5: pattern"):
        list(python_expressions(tmp_path, (".",)))


def test_literals_of_typescript_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.ts").write_text(
        "// a / b / c\nconst x = (a / b) / c;\nif (/^\\p{L}+[/]$/iu.test(said)) return /x\\/*/u;\n"
        "const path = './x/y/z';\n"
    )
    found = [(one.place, one.pattern, one.flags) for one in typescript_expressions(tmp_path, ".")]
    assert found == [("a.ts:3", r"^\w+[/]$", re.IGNORECASE), ("a.ts:3", r"x\/*", 0)]


def test_the_command_fails_on_a_slow_expression(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["check_regexes.py", r"\s+x"])
    assert check_regexes.main() == 1
    assert r"'\\s+x'" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["check_regexes.py", "x"])
    assert check_regexes.main() == 0
