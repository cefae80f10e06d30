"""What a file imports through others of its project, whatever their headers say."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lean_extract.session.imports import compiled_files, imported_sources
from tests.files import write_modules


def test_each_is_read_once_the_nearest_first_and_those_elsewhere_are_named(tmp_path: Path) -> None:
    write_modules(
        tmp_path, A="import Lib.B\nimport C\n", Lib__B="import C\nimport A\n", C="import Mathlib.X\n"
    )
    found = list(imported_sources("import A\n", tmp_path))
    assert [one.module for one in found] == ["Init", "A", "Lib.B", "C", "Mathlib.X"]
    assert {one.module for one in found if one.content is None} == {"Init", "Mathlib.X"}
    assert found[2].path == tmp_path / "Lib" / "B.lean"
    assert compiled_files(tmp_path, "Lib.B")[1] == tmp_path / ".lake" / "build" / "lib" / "Lib" / "B.olean"


def test_source_folders_of_the_lakefile_are_looked_in(tmp_path: Path) -> None:
    (tmp_path / "lakefile.toml").write_text('name = "x"\n[[lean_lib]]\nname = "A"\nsrcDir = "src"\n')
    write_modules(tmp_path, src__A="")
    found = {one.module: one.path for one in imported_sources("import A\nimport B\n", tmp_path)}
    assert found["A"] == tmp_path / "src" / "A.lean" and found["B"] == tmp_path / "src" / "B.lean"


@pytest.fixture
def deep(tmp_path: Path) -> Path:
    (tmp_path / "secret.lean").write_text("theorem secret : True := trivial\n")
    project = tmp_path / "project"
    project.mkdir()
    write_modules(project, A="import secret\n")
    return project


@given(st.lists(st.text(st.sampled_from("A./\\«»~\0\x85é "), min_size=1, max_size=12), max_size=4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_name_leads_out_of_the_project(deep: Path, names: list[str]) -> None:
    text = "".join(f"import {name}\n" for name in [*names, "A", "..secret", "../secret", "«..».secret"])
    for one in imported_sources(text, deep):
        assert one.path.is_relative_to(deep) and ".." not in one.path.parts
        assert one.content is None or b"True" not in one.content
        assert all(path.is_relative_to(deep) for path in compiled_files(deep, one.module))
