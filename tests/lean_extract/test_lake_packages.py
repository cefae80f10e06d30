"""Any manifest is judged by a sentence, and read without Lean."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import ProjectBroken
from lean_extract.toolchains.lake_packages import refuse_fetching

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["git", "path", "a", "..", "mathlib", "\0", "1.1.0"])
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=5,
)
KEYS = ["name", "type", "dir", "url", "rev", "subDir", "git", "path"]
ENTRIES = st.lists(st.dictionaries(st.sampled_from(KEYS), VALUES) | VALUES, max_size=4)
MANIFESTS = st.fixed_dictionaries(
    {"version": st.sampled_from([7, "1.1.0"]) | VALUES, "packages": ENTRIES | VALUES},
    optional={"name": VALUES, "packagesDir": VALUES, "schemaVersion": VALUES},
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    (folder / "lakefile.toml").write_text('name = "p"\n')
    (folder / ".lake").mkdir()
    return folder


@given(MANIFESTS, MANIFESTS)
def test_any_manifest(project: Path, manifest: Any, overrides: Any) -> None:
    (project / "lake-manifest.json").write_text(json.dumps(manifest))
    (project / ".lake" / "package-overrides.json").write_text(json.dumps(overrides))
    with suppress(ProjectBroken):
        refuse_fetching(project)


def test_a_long_list_of_problems_is_cut(project: Path) -> None:
    packages = [{"name": f"p{number}", "type": "git", "url": "x", "rev": "1" * 40} for number in range(9)]
    (project / "lake-manifest.json").write_text(json.dumps({"version": "1.1.0", "packages": packages}))
    (project / ".lake" / "package-overrides.json").unlink(missing_ok=True)
    with pytest.raises(ProjectBroken, match=r"p0 is missing .*, and 6 more\.") as raised:
        refuse_fetching(project)
    assert "p3" not in raised.value.message


def test_a_folder_without_a_lakefile_is_not_lakes(tmp_path: Path) -> None:
    refuse_fetching(tmp_path)
