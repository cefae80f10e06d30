"""How much of a project folder is looked at: it ends, however large the folder is."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_extract.limits import MAX_FOLDER_DEPTH, MAX_PACKAGES, MAX_SETTINGS_BYTES
from lean_extract.source.projects import walking
from lean_extract.source.projects.project import find_project, find_sources
from tests.hostile.growth import assert_linear
from tests.hostile.project_files import has_notice, link, modules, write
from tests.hostile.shapes import Shape, repeated


def test_so_much_of_a_package_is_looked_at(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        write(root / "many" / f"N{number}.lean")
        write(root / ".lake/packages/p" / f"P{number}.lean")
    monkeypatch.setattr(walking, "MAX_FOLDER_ENTRIES", 20)
    found = find_sources(root)
    assert [source.package for source in found.sources].count("p") == 20
    assert has_notice(found, f"{root} has more than 20 files and folders", "not read")


def test_so_deep_a_folder_is_looked_at(root: Path) -> None:
    deep = root
    for _ in range(MAX_FOLDER_DEPTH + 1):
        deep = deep / "d"
    write(deep / "Deep.lean")
    write(deep.parent / "Less.lean")
    found = find_sources(root)
    assert [source.path.name for source in found.sources] == ["A.lean", "Less.lean"]
    assert has_notice(found, "nested too deeply")


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
    assert "150 more notices" in notices[-1]


def test_lakefiles_are_bounded_in_all(root: Path) -> None:
    for number in range(4):
        package = root / ".lake/packages" / f"p{number}"
        write(package / "lakefile.lean", 'srcDir := "src"\n' + "-- a\n" * (MAX_SETTINGS_BYTES // 6))
        write(package / "src" / "P.lean")
    found = find_sources(root)
    assert sorted(module for module in modules(found)) == ["A", "P", "src.P"]
    assert has_notice(found, "p3/lakefile.lean is not read")


@pytest.mark.parametrize(
    "shape",
    [repeated('srcDir := "'), repeated("srcDir := "), repeated('srcDir := "a" ')],
    ids=["open strings", "no strings", "strings"],
)
def test_source_folders_are_found_in_linear_time(root: Path, shape: Shape) -> None:
    def work(text: str) -> None:
        (root / "lakefile.lean").write_text(text, encoding="utf-8")
        find_project(root)

    assert_linear(work, shape, MAX_SETTINGS_BYTES // 2)


def test_very_many_packages(root: Path) -> None:
    text = '{"packages": [' + '{"name":"x"},' * 70_000 + '{"name":"dep"}]}'
    write(root / "lake-manifest.json", text)
    write(root / ".lake/packages/dep/D.lean")
    found = find_sources(root)
    assert modules(found) == {"D": "dep", "A": None}
    assert has_notice(found, f"lists 70,001 packages, so only the first {MAX_PACKAGES:,}")
