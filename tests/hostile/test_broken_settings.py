"""Settings files and names of a project that cannot be read: each is reported, and the rest is read."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lean_extract.common.errors import BadSource
from lean_extract.common.terminal_text import shown
from lean_extract.limits import MAX_SETTINGS_BYTES
from lean_extract.source.projects.project import find_sources
from tests.hostile.project_files import git, has_notice, make_odd_names, manifest, modules, write, write_named
from tests.hostile.shapes import nested, repeated

BROKEN_TOML = {
    "brackets": nested("[", "]", "a = ")(10_000),
    "tables": nested("{a = ", "}", "a = ", "1")(60_000),
    "a long key": repeated("a.", after="a = 1")(MAX_SETTINGS_BYTES // 2),
    "a long table": repeated("a.", "[", "a]\n" + "k = 1\n" * 9)(MAX_SETTINGS_BYTES // 2),
    "too much": "#" * (MAX_SETTINGS_BYTES + 1),
    "a long number": "a = " + "1" * 10_000,
    "no text": "\udcff",
    "a long key behind a quoted one": '"=".' + "a." * 40_000 + "b = 1",
    "a long key in a table of a line": "k = {" + "a." * 40_000 + "b = 1}",
}


BROKEN_JSON = {
    "brackets": nested("[", "]")(200_000),
    "objects": nested('{"a":', "}", inside="1")(200_000),
    "too much": " " * (MAX_SETTINGS_BYTES + 1),
    "a long number": '{"packages": ' + "1" * 10_000 + "}",
    "a list": "[]",
    "no text": "\udcff",
    "nothing": "",
}


@pytest.mark.parametrize("kind", BROKEN_TOML)
def test_a_lakefile_that_cannot_be_read_is_told(root: Path, kind: str) -> None:
    (root / "lakefile.toml").write_bytes(BROKEN_TOML[kind].encode("utf-8", "surrogateescape"))
    found = find_sources(root)
    assert modules(found) == {"A": None}
    assert [notice for notice in found.notices if "lakefile.toml cannot be read: it " in notice]


@pytest.mark.parametrize("kind", BROKEN_JSON)
def test_a_manifest_that_cannot_be_read_is_told(root: Path, kind: str) -> None:
    (root / "lake-manifest.json").write_bytes(BROKEN_JSON[kind].encode("utf-8", "surrogateescape"))
    found = find_sources(root)
    assert modules(found) == {"A": None}
    assert [notice for notice in found.notices if "lake-manifest.json cannot be read: it " in notice]


@pytest.mark.parametrize("name", ["lakefile.toml", "lakefile.lean", "lake-manifest.json", "run.json"])
def test_a_pipe_for_settings_is_not_waited_for(root: Path, name: str) -> None:
    (root / name).unlink(missing_ok=True)
    os.mkfifo(root / name)
    found = find_sources(root)
    assert modules(found) == {"A": None}
    assert name == "run.json" or has_notice(found, name, "not a regular file")


ODD = [
    *([7], 7, "x", None, {"name": 3}, {"name": "../../x", "type": "git"}, {"name": "a/b", "type": "git"}),
    *({"name": "..", "type": "git"}, {"name": "«..»", "type": "git"}, {"name": "", "type": "git"}),
    *({"name": "a\0b", "type": "git"}, {"name": "a\x1b[31mb", "type": "git"}, {"name": "\ud800"}),
    *({"name": "n" * 100_000, "type": "git"}, {"name": "é" * 199, "type": "git"}),
    *({"name": "x", "type": "path", "dir": [1]}, {"name": "x", "type": "path", "dir": "d" * 100_000}),
    *({"name": "x", "type": "path", "dir": "a\0"}, {"name": "x", "type": "path"}, {"git": {"name": []}}),
    *(git("secret", subDir=4), git("dep", rev=["r"])),
]


@pytest.mark.parametrize("entry", ODD)
def test_entries_of_any_kind(root: Path, entry: Any) -> None:
    write(root / ".lake/packages/dep/D.lean")
    manifest(root, entry, git("dep"))
    found = find_sources(root)
    assert {source.module: source.package for source in found.sources} == {"D": "dep", "A": None}


FIELDS = ("packages", "packagesDir", "name", "type", "dir", "rev", "subDir", "git", "path")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=9),
    max_leaves=20,
)


@settings(max_examples=50)
@given(value=VALUES)
def test_a_manifest_of_any_kind(tmp_path_factory: pytest.TempPathFactory, value: Any) -> None:
    root = tmp_path_factory.mktemp("any")
    write(root / "A.lean")
    manifest(root)
    (root / "lake-manifest.json").write_text(json.dumps({"packages": value, "packagesDir": value}))
    assert modules(find_sources(root)) == {"A": None}
    (root / "lake-manifest.json").write_text(json.dumps({"packages": [value]}))
    assert modules(find_sources(root)) == {"A": None}


def test_names_that_no_module_has_are_told_and_left_out(root: Path) -> None:
    make_odd_names(root)
    found = find_sources(root)
    assert modules(found) == {"A": None}
    for name in (
        "caf\\xe9.lean",
        "line\\x0abreak.lean",
        "\\x1b[31mred.lean",
        "close».lean",
        "fold\\xe9r",
        "p\\xe9",
    ):
        assert has_notice(found, f"{name} is left out")
    assert all(notice.isprintable() for notice in found.notices)


def test_a_project_whose_own_name_is_no_text_is_refused(tmp_path: Path) -> None:
    root = os.fsencode(tmp_path) + b"/caf\xe9"
    write_named(root, b"A.lean")
    with pytest.raises(BadSource, match=r"caf\\xe9 is not UTF-8"):
        find_sources(Path(os.fsdecode(root)))


@given(st.text(st.characters(), max_size=400))
def test_what_is_shown_fits_on_a_line(text: str) -> None:
    said = shown(text)
    assert not set(said) & {"\n", "\r", "\x1b", "\x07", "\u2028", "\u202e"}
    said.encode("utf-8")
    assert len(shown("\x1b" * 10_000)) < 3000
