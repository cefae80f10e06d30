"""What a project folder can make us read: itself, the packages that its manifest lists, and nothing else."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lean_extract.errors import BadSource
from lean_extract.files.reading import MAX_SETTINGS
from lean_extract.source.projects import packages, walking
from lean_extract.source.projects.project import FoundSources, find_project, find_sources, source_in
from lean_extract.telling import shown
from tests.hostile.growth import assert_linear
from tests.hostile.opened_files import opened, outside, watched, watched_command
from tests.hostile.shapes import Shape, nested, repeated
from tests.lsp_server.conftest import FIXTURE_MODEL, start_editor, stop_editor

SECRET = "theorem secret : True := trivial\n"


def write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def link(path: Path, target: Path | str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with one file, beside a folder that is nobody's business."""
    write(tmp_path / "secret" / "S.lean", SECRET)
    write(tmp_path / "project" / "lakefile.toml", 'name = "mine"\n')
    write(tmp_path / "project" / "A.lean")
    return tmp_path / "project"


def manifest(root: Path, *entries: Any, **more: Any) -> None:
    write(root / "lake-manifest.json", json.dumps({"packages": entries, **more}))


def git(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": "git", "rev": "abc", **more}


def at_path(name: str, directory: str) -> dict[str, Any]:
    return {"name": name, "type": "path", "dir": directory}


def modules(found: FoundSources) -> dict[str, str | None]:
    return {source.module: source.package for source in found.sources}


def told(found: FoundSources, *words: str) -> bool:
    return any(all(word in notice for word in words) for notice in found.notices)


# What stays outside.


def test_a_package_that_the_manifest_does_not_list_is_no_way_out(root: Path) -> None:
    link(root / ".lake/packages/x", root.parent / "secret")
    write(root / ".lake/packages/real/R.lean")
    found = find_sources(root)
    assert modules(found) == {"R": "real", "A": None}
    assert told(found, ".lake/packages/x is left out", "link")


@pytest.mark.parametrize("target", ["secret", ".", "/"])
def test_a_listed_package_that_is_none_of_lakes_is_no_way_out(root: Path, target: str) -> None:
    manifest(root, git("x"), at_path("y", f"../{target}" if target == "secret" else "/"))
    link(root / ".lake/packages/x", root.parent / target)
    found = find_sources(root)
    assert modules(found) == {"A": None}
    assert told(found, "the package x", "no Lake package", "not read")
    assert told(found, "the package y", "no Lake package", "not read")


def test_a_package_that_is_the_project_is_none(root: Path) -> None:
    manifest(root, git("x"), at_path("y", "."))
    link(root / ".lake/packages/x", root)
    found = find_sources(root)
    assert modules(found) == {"A": None}
    assert told(found, "the package x is the project itself")


@pytest.mark.parametrize("folder", ["../../..", "../secret", "/", "x/../../secret", "..\\secret"])
def test_packages_are_not_looked_for_outside(root: Path, folder: str) -> None:
    manifest(root, git("secret"), packagesDir=folder)
    write(root.parent / "secret" / "lakefile.toml")
    found = find_sources(root)
    assert modules(found) == {"A": None}
    assert told(found, "`packagesDir`", "out of the project", "not followed")


@pytest.mark.parametrize("folder", ["..", "../secret", "/", "out"])
def test_folders_in_packages_stay_in_them(root: Path, folder: str) -> None:
    stated = json.dumps(folder)
    write(root / "lakefile.toml", f"srcDir = {stated}\n")
    write(root / ".lake/packages/x/lakefile.lean", f"package x where\n  srcDir := {stated}\n")
    write(root / ".lake/packages/x/X.lean")
    write(root / ".lake/packages/y/Y.lean")
    for place in (root, root / ".lake/packages/x", root / ".lake/packages/y"):
        link(place / "out", root.parent / "secret")
    manifest(root, git("x"), git("y", subDir=folder))
    project = find_project(root)
    assert project.source_roots == (root,)
    assert {package.root: package.source_roots for package in project.packages} == {
        root / ".lake/packages" / name: (root / ".lake/packages" / name,) for name in ("x", "y")
    }
    found = find_sources(root)
    assert modules(found) == {"X": "x", "Y": "y", "A": None}
    assert told(found, f"`srcDir` in {root} is")
    assert told(found, "`subDir` of the package y is")


def test_links_lead_to_the_project_and_its_packages_alone(root: Path) -> None:
    manifest(root, at_path("lib", "../lib"))
    write(root.parent / "lib" / "lakefile.toml")
    write(root.parent / "lib" / "L.lean")
    link(root / "Folder", root.parent / "secret")
    link(root / "File.lean", root.parent / "secret" / "S.lean")
    link(root / "Gone.lean", root.parent / "nowhere" / "G.lean")
    link(root / "Mine.lean", "A.lean")
    link(root / "Theirs.lean", root.parent / "lib" / "L.lean")
    found = find_sources(root)
    assert modules(found) == {"L": "lib", "A": None, "Mine": None, "Theirs": None}
    for name in ("Folder", "File.lean", "Gone.lean"):
        assert told(found, f"{root / name} is left out", "a link out of the project")
    assert source_in([root], "File") is None
    assert source_in([root], "Folder.S") is None
    assert source_in([root], "Mine") == root / "Mine.lean"


@pytest.mark.parametrize("name", ["lakefile.toml", "lakefile.lean", "lake-manifest.json", "run.json"])
def test_settings_are_the_projects_own(root: Path, name: str) -> None:
    stated = {"lakefile.toml": 'srcDir = "src"', "lakefile.lean": 'srcDir := "src"'}
    text = stated.get(name, '{"packagesDir": "src", "format": "premise-suggest-evaluation"}')
    (root / name).unlink(missing_ok=True)
    link(root / name, write(root.parent / "secret" / "x", text))
    write(root / "lean-toolchain", "stable\n")
    write(root / "src" / "B.lean")
    found = find_sources(root)
    assert modules(found) == {"A": None, "src.B": None}
    assert name == "run.json" or told(found, name, "a link that leads elsewhere")


# What is read as ever.


def names_of(found: FoundSources) -> set[tuple[str, str | None, str | None]]:
    return {(source.module, source.package, source.revision) for source in found.sources}


def test_mathlib_as_a_package(root: Path) -> None:
    manifest(root, git("mathlib"), git("«doc-gen4»"), git("batteries", subDir="in"))
    for name, file in (("mathlib", "Mathlib/A.lean"), ("doc-gen4", "D.lean"), ("batteries", "in/B.lean")):
        write(root / ".lake/packages" / name / "lakefile.lean")
        write(root / ".lake/packages" / name / file)
    found = find_sources(root)
    assert names_of(found) == {
        ("Mathlib.A", "mathlib", "abc"),
        ("D", "«doc-gen4»", "abc"),
        ("B", "batteries", "abc"),
        ("A", None, None),
    }
    assert found.notices == ()


def test_mathlib_itself(tmp_path: Path) -> None:
    write(tmp_path / "lakefile.lean", "package mathlib where\n")
    manifest(tmp_path, git("aesop"), name="mathlib", packagesDir=".lake/packages")
    for file in ("Mathlib.lean", "Mathlib/A.lean", "Archive/B.lean", "MathlibTest/c.lean", "Cache/D.lean"):
        write(tmp_path / file)
    write(tmp_path / ".lake/packages/aesop/Aesop.lean")
    write(tmp_path / "DownstreamTest/lakefile.toml")
    write(tmp_path / "DownstreamTest/X.lean")
    found = find_sources(tmp_path)
    assert [source.module for source in found.sources] == [
        *("Aesop", "Mathlib", "Archive.B", "Cache.D", "Mathlib.A", "MathlibTest.c"),
    ]
    assert found.notices == ()


@pytest.mark.parametrize("linked", [".lake", ".lake/packages", ".lake/packages/mathlib"])
def test_a_mathlib_that_projects_share_by_a_link(root: Path, linked: str) -> None:
    shared = root.parent / "shared"
    mathlib = shared / Path(".lake/packages/mathlib").relative_to(linked)
    write(mathlib / "lakefile.lean")
    write(mathlib / "Mathlib/A.lean")
    write(mathlib.parent / "other" / "lakefile.lean")
    write(mathlib.parent / "other" / "Other.lean")
    manifest(root, git("mathlib"))
    link(root / linked, shared)
    found = find_sources(root)
    assert names_of(found) == {("Mathlib.A", "mathlib", "abc"), ("A", None, None)}
    assert found.notices == (
        f"The index of {root} also reads the package mathlib in {mathlib}, outside of the project.",
    )


def test_a_repository_of_several_projects(tmp_path: Path) -> None:
    lib, docs = tmp_path / "lib", tmp_path / "app" / "docs"
    for folder, file in ((lib, "L.lean"), (tmp_path / "app", "App.lean"), (docs, "Docs.lean")):
        write(folder / "lakefile.toml")
        write(folder / file)
    manifest(tmp_path / "app", at_path("lib", "../lib"))
    manifest(docs, at_path("app", ".."), at_path("lib", str(lib)))
    found = find_sources(tmp_path / "app")
    assert modules(found) == {"L": "lib", "App": None}
    assert told(found, "also reads the package lib", str(lib))
    assert modules(find_sources(docs)) == {"App": "app", "L": "lib", "Docs": None}


# Bounds.


def test_so_much_of_a_package_is_looked_at(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        write(root / "many" / f"N{number}.lean")
        write(root / ".lake/packages/p" / f"P{number}.lean")
    monkeypatch.setattr(walking, "MAX_ENTRIES", 20)
    found = find_sources(root)
    assert [source.package for source in found.sources].count("p") == 20
    assert told(found, f"{root} has more than 20 files and folders", "not read")


def test_so_deep_a_folder_is_looked_at(root: Path) -> None:
    deep = root
    for _ in range(walking.MAX_DEPTH + 1):
        deep = deep / "d"
    write(deep / "Deep.lean")
    write(deep.parent / "Less.lean")
    found = find_sources(root)
    assert [source.path.name for source in found.sources] == ["A.lean", "Less.lean"]
    assert told(found, "nested too deeply")


def test_a_walk_stops_when_it_is_asked_to(root: Path) -> None:
    for number in range(5):
        write(root / f"F{number}" / "X.lean")
    asked: list[int] = []

    def should_stop() -> bool:
        asked.append(1)
        return len(asked) > 3

    found = find_sources(root, should_stop=should_stop)
    assert found.stopped
    assert modules(found) == {"A": None, "F0.X": None, "F1.X": None}


def test_what_is_told_ends(root: Path) -> None:
    for number in range(200):
        link(root / f"L{number}.lean", root.parent / "secret" / "S.lean")
    notices = find_sources(root).notices
    assert len(notices) < 100
    assert "150 further notes" in notices[-1]


def test_lakefiles_are_bounded_in_all(root: Path) -> None:
    for number in range(4):
        package = root / ".lake/packages" / f"p{number}"
        write(package / "lakefile.lean", 'srcDir := "src"\n' + "-- a\n" * (MAX_SETTINGS // 6))
        write(package / "src" / "P.lean")
    found = find_sources(root)
    assert sorted(module for module in modules(found)) == ["A", "P", "src.P"]
    assert told(found, "p3/lakefile.lean is not read")


@pytest.mark.parametrize(
    "shape",
    [repeated('srcDir := "'), repeated("srcDir := "), repeated('srcDir := "a" ')],
    ids=["open strings", "no strings", "strings"],
)
def test_source_folders_are_found_in_linear_time(root: Path, shape: Shape) -> None:
    def work(text: str) -> None:
        (root / "lakefile.lean").write_text(text, encoding="utf-8")
        find_project(root)

    assert_linear(work, shape, MAX_SETTINGS // 2)


# Files that are broken.

BROKEN_TOML = {
    "brackets": nested("[", "]", "a = ")(10_000),
    "tables": nested("{a = ", "}", "a = ", "1")(60_000),
    "a long key": repeated("a.", after="a = 1")(MAX_SETTINGS // 2),
    "a long table": repeated("a.", "[", "a]\n" + "k = 1\n" * 9)(MAX_SETTINGS // 2),
    "too much": "#" * (MAX_SETTINGS + 1),
    "a long number": "a = " + "1" * 10_000,
    "no text": "\udcff",
    "a long key behind a quoted one": '"=".' + "a." * 40_000 + "b = 1",
    "a long key in a table of a line": "k = {" + "a." * 40_000 + "b = 1}",
}
BROKEN_JSON = {
    "brackets": nested("[", "]")(200_000),
    "objects": nested('{"a":', "}", inside="1")(200_000),
    "too much": " " * (MAX_SETTINGS + 1),
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
    assert name == "run.json" or told(found, name, "not a regular file")


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


def test_very_many_packages(root: Path) -> None:
    text = '{"packages": [' + '{"name":"x"},' * 70_000 + '{"name":"dep"}]}'
    write(root / "lake-manifest.json", text)
    write(root / ".lake/packages/dep/D.lean")
    found = find_sources(root)
    assert modules(found) == {"D": "dep", "A": None}
    assert told(found, f"lists 70,001 packages, so the first {packages.MAX_PACKAGES:,}")


# Names.


def make(folder: bytes, name: bytes) -> None:
    path = Path(os.fsdecode(folder), os.fsdecode(name))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"theorem odd : True := trivial\n")


def make_odd_names(root: Path) -> None:
    own = os.fsencode(root)
    for name in (b"caf\xe9.lean", b"line\nbreak.lean", b"\x1b[31mred.lean", b"close\xc2\xbb.lean"):
        make(own, name)
    make(own + b"/fold\xe9r", b"F.lean")
    make(own + b"/.lake/packages/p\xe9", b"P.lean")


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
        assert told(found, f"{name} is left out")
    assert all(notice.isprintable() for notice in found.notices)


def test_a_project_whose_own_name_is_no_text_is_refused(tmp_path: Path) -> None:
    root = os.fsencode(tmp_path) + b"/caf\xe9"
    make(root, b"A.lean")
    with pytest.raises(BadSource, match=r"caf\\xe9 is not UTF-8"):
        find_sources(Path(os.fsdecode(root)))


@given(st.text(st.characters(), max_size=400))
def test_what_is_shown_fits_on_a_line(text: str) -> None:
    said = shown(text)
    assert not set(said) & {"\n", "\r", "\x1b", "\x07", "\u2028", "\u202e"}
    said.encode("utf-8")
    assert len(shown("\x1b" * 10_000)) < 3000


# The real command and the real server.


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ELAN", "LEAN"))}
    return {
        **kept,
        "PATH": "/usr/bin:/bin",
        "ELAN_HOME": str(tmp_path / "no-elan"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "PREMISE_SUGGEST_INDEX": str(tmp_path / "cache" / "index"),
        "PREMISE_SUGGEST_MODEL": str(FIXTURE_MODEL),
    }


@pytest.fixture
def hostile(root: Path) -> Path:
    """A project that tries all of it at once, and one package outside that it may read."""
    secret = root.parent / "secret"
    lib = root.parent / "lib"
    write(lib / "lakefile.toml", 'name = "lib"\n')
    write(lib / "L.lean", "theorem of_lib : True := trivial\n")
    link(lib / "Out.lean", secret / "S.lean")
    write(root / "A.lean", "import S\n\ntheorem mine : True := trivial\n")
    link(root / "S.lean", secret / "S.lean")
    link(root / "Folder", secret)
    link(root / "run.json", secret / "S.lean")
    link(root / "lakefile.lean", secret / "S.lean")
    link(root / "lean-toolchain", secret / "S.lean")
    link(root / ".lake/packages/listed", secret)
    link(root / ".lake/packages/unlisted", "/")
    manifest(root, at_path("lib", "../lib"), at_path("all", "/"), git("listed"), git("up", subDir="../../.."))
    (root / ".lake/packages/up").mkdir()
    write(root / "lakefile.toml", "a = " + "[" * 5000 + "\n")
    make_odd_names(root)
    return root


def test_index_reads_nothing_outside(hostile: Path, environment: dict[str, str], tmp_path: Path) -> None:
    run = watched(["index", hostile], tmp_path / "record", environment)
    assert run.done.returncode == 0, run.done.stderr
    assert run.done.stdout.startswith(f"{hostile}: ")
    assert f"also reads the package lib in {tmp_path / 'lib'}, outside of the project" in run.done.stderr
    for words in ("S.lean is left out", "caf\\xe9.lean is left out", "lakefile.toml cannot be read"):
        assert words in run.done.stderr
    assert "Traceback" not in run.done.stderr
    assert "\x1b" not in run.done.stderr
    assert str(hostile / "A.lean") in run.opened
    assert str(tmp_path / "lib" / "L.lean") in run.opened
    assert run.outside([hostile, tmp_path / "lib", tmp_path / "cache"]) == []


def test_what_is_opened_outside_is_seen(root: Path, environment: dict[str, str], tmp_path: Path) -> None:
    """The measure itself: the secret, given as a project, is seen."""
    run = watched(["index", tmp_path / "secret"], tmp_path / "record", environment)
    assert run.done.returncode == 0, run.done.stderr
    assert str(tmp_path / "secret" / "S.lean") in run.outside([root, tmp_path / "cache"])


async def test_the_server_reads_nothing_outside(
    hostile: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    record = tmp_path / "record"
    editor = await start_editor(hostile, environment, command=watched_command(record))
    editor.open("A.lean")
    await editor.indexed()
    answer = await editor.suggest("A.lean", 2, 0, goal="⊢ True", tactics=False, k=1000)
    names = {premise["name"] for premise in answer["premises"]}
    assert "of_lib" in names
    assert "secret" not in names
    location = await editor.request("premiseSuggest/declaration", {"name": "secret", "module": "S"})
    assert location["location"] is None
    said = [message.message for message in editor.client.log_messages]
    assert [one for one in said if "also reads the package lib" in one], said
    await stop_editor(editor)
    assert outside(opened(record), [hostile, tmp_path / "lib", tmp_path / "cache"]) == []
