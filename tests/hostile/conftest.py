"""A project for tests that attack it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile.project_files import SECRET, write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with one file, beside a folder that is nobody's business."""
    write(tmp_path / "secret" / "S.lean", SECRET)
    write(tmp_path / "project" / "lakefile.toml", 'name = "mine"\n')
    write(tmp_path / "project" / "A.lean")
    return tmp_path / "project"
