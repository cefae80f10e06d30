"""Problem files: what is read, and the reasons given for lines that hold no problem."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import BadSource
from prover.search.problems import InvalidProblem, Problem, digest, family, read_minif2f


def line(name: str, statement: str, header: str = "import Lib", **more: object) -> str:
    return json.dumps({"name": name, "header": header, "statement": statement, **more}, ensure_ascii=False)


def written(folder: Path, *lines: str | bytes) -> Path:
    path = folder / "problems.jsonl"
    path.write_bytes(b"\n".join(one.encode() if isinstance(one, str) else one for one in lines) + b"\n")
    return path


def test_problems_are_read_in_order(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        line("imo_1960_p2", "theorem imo_1960_p2 (n : Nat) : n = n", split="valid"),
        line("two", "theorem two : True := by sorry", level=3),
    )
    first, second = read_minif2f(path, tmp_path)
    assert isinstance(first, Problem)
    assert isinstance(second, Problem)
    assert (first.name, first.level, first.full_name) == ("imo_1960_p2", "imo", "imo_1960_p2")
    assert first.theorem.text == "import Lib\n\ntheorem imo_1960_p2 (n : Nat) : n = n := by\n  sorry\n"
    assert (second.level, second.theorem.text.count("sorry")) == ("3", 1)


def test_what_is_no_problem_says_why_and_the_rest_is_read(tmp_path: Path) -> None:
    good = line("good", "theorem good : True")
    path = written(
        tmp_path,
        good,
        "",
        "{not json",
        b'{"name": "caf\xe9"}',
        "[1, 2]",
        line("good", "theorem good : False"),
        line("mute", "example : True"),
        line("empty", "   "),
        json.dumps({"name": "bare", "statement": "theorem bare : True"}),
        json.dumps({"name": 7, "header": "", "statement": "theorem n : True"}),
        line("last", "theorem last : True"),
    )
    posed = read_minif2f(path, tmp_path)
    messages = {one.name: one.message for one in posed if isinstance(one, InvalidProblem)}
    assert [one.name for one in posed if isinstance(one, Problem)] == ["good", "last"]
    assert "empty" in messages.pop("line 2")
    assert "is not JSON" in messages.pop("line 3")
    assert "is not JSON" in messages.pop("line 4")
    assert "not a JSON object" in messages.pop("line 5")
    assert messages.pop("good (line 6)") == "The name good already occurs in line 1."
    assert "has no name" in messages.pop("mute")
    assert "`statement`" in messages.pop("empty")
    assert "`header`" in messages.pop("bare")
    assert "`name`" in messages.pop("line 10")
    assert messages == {}


def test_a_file_without_problems(tmp_path: Path) -> None:
    path = tmp_path / "none.jsonl"
    path.write_bytes(b"")
    with pytest.raises(BadSource, match="no problem"):
        read_minif2f(path, tmp_path)
    with pytest.raises(BadSource, match="cannot be read"):
        read_minif2f(tmp_path / "nowhere.jsonl", tmp_path)


@given(st.lists(st.binary(max_size=60), min_size=1, max_size=6))
def test_every_line_is_answered_for(tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]) -> None:
    folder = tmp_path_factory.mktemp("any")
    plain = [one.replace(b"\n", b" ") for one in lines]
    posed = read_minif2f(written(folder, *plain, line("end", "theorem e : True")), folder)
    assert len(posed) == len(plain) + 1
    assert len({one.name for one in posed}) == len(posed)


def test_the_hash_tells_problems_apart(tmp_path: Path) -> None:
    one = read_minif2f(written(tmp_path, line("a", "theorem a : True")), tmp_path)
    other = read_minif2f(written(tmp_path, line("a", "theorem a : False")), tmp_path)
    assert digest(one) == digest(list(one))
    assert digest(one) != digest(other)
    assert family("aimeII_2001_p3") == "aime"
    assert family("mathd_algebra_10") == "mathd_algebra"
    assert family("swap") == ""


def test_half_a_character_and_long_lines_fail_alone(tmp_path: Path) -> None:
    half = "\\ud800"
    path = written(
        tmp_path,
        b"\xef\xbb\xbf" + line("first", "theorem first : True").encode(),
        json.dumps(["é" * 80], ensure_ascii=False),
        json.dumps(["a" + "é" * 80], ensure_ascii=False),
        line("a@", "theorem a : True").replace("@", half),
        line("b", "theorem b : @").replace("@", half),
        line("c", "theorem c : True", "@").replace("@", half),
        line("d", "theorem d : True", level="@").replace("@", half),
        line("last", "theorem last : True"),
    )
    posed = read_minif2f(path, tmp_path)
    assert [one.name for one in posed if isinstance(one, Problem)] == ["first", "last"]
    messages = [one.message for one in posed if isinstance(one, InvalidProblem)]
    assert ["not a JSON object" in message for message in messages] == [True] * 2 + [False] * 4
    for message, key in zip(messages[2:], ("name", "statement", "header", "level"), strict=True):
        assert f"half a character (a lone surrogate) in its `{key}`" in message
    digest(posed)
    "".join(one.name for one in posed).encode()


def test_no_problem_is_lost_to_a_made_up_name(tmp_path: Path) -> None:
    names = ["a (line 3)", "a", "a", "a", "a (line 4)", "line 7"]
    lines = [line(name, f"theorem t{number} : True") for number, name in enumerate(names)]
    posed = read_minif2f(written(tmp_path, *lines, "", line("b", "theorem b : True")), tmp_path)
    assert len({one.name for one in posed}) == len(posed) == 8
    messages = [one.message for one in posed if isinstance(one, InvalidProblem)]
    assert messages == ["The name a already occurs in line 2."] * 2 + ["Line 7 is empty."]
    assert [one.name for one in posed if isinstance(one, Problem)] == [
        "a (line 3)",
        "a",
        "a (line 4)",
        "line 7",
        "b",
    ]
