"""The revision of a checkout, in each form in which Git keeps it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.toolchains.lake_packages import head_revision


def git(folder: Path, *words: str) -> str:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    done = subprocess.run(
        ["git", "-C", str(folder), *identity, *words], check=True, capture_output=True, text=True, timeout=60
    )
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    folder.mkdir()
    git(folder, "init")
    git(folder, "commit", "--allow-empty", "-m", "first")
    git(folder, "commit", "--allow-empty", "-m", "second")
    return folder


def test_a_branch(checkout: Path) -> None:
    assert head_revision(checkout) == git(checkout, "rev-parse", "HEAD")


def test_a_packed_branch(checkout: Path) -> None:
    git(checkout, "branch", "other", "HEAD~1")
    git(checkout, "pack-refs", "--all")
    assert not (checkout / ".git" / "refs" / "heads" / "main").exists()
    assert head_revision(checkout) == git(checkout, "rev-parse", "HEAD")


def test_a_revision_without_a_branch(checkout: Path) -> None:
    git(checkout, "checkout", "--detach", "HEAD~1")
    assert head_revision(checkout) == git(checkout, "rev-parse", "main~1")


def test_a_worktree(checkout: Path, tmp_path: Path) -> None:
    git(checkout, "worktree", "add", "-b", "other", str(tmp_path / "tree"), "HEAD~1")
    assert head_revision(tmp_path / "tree") == git(checkout, "rev-parse", "other")


def test_a_submodule(checkout: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", str(checkout), "inner")
    assert head_revision(outer / "inner") == git(checkout, "rev-parse", "HEAD")


def test_what_is_no_checkout(checkout: Path, tmp_path: Path) -> None:
    (checkout / "below").mkdir()
    empty = tmp_path / "empty"
    empty.mkdir()
    git(empty, "init")
    for folder in (checkout / "below", tmp_path / "missing", empty, Path("a\0b")):
        assert head_revision(folder) is None


@given(st.binary(max_size=60), st.binary(max_size=60), st.binary(max_size=60))
def test_damaged_files(
    tmp_path_factory: pytest.TempPathFactory, head: bytes, packed: bytes, common: bytes
) -> None:
    place = tmp_path_factory.mktemp("damaged") / ".git"
    place.mkdir()
    for name, text in (("HEAD", b"ref: refs/heads/" + head), ("packed-refs", packed), ("commondir", common)):
        (place / name).write_bytes(text)
    assert head_revision(place.parent) is None


def test_a_branch_that_names_itself(checkout: Path) -> None:
    (checkout / ".git" / "refs" / "heads" / "main").write_text("ref: refs/heads/main\n")
    assert head_revision(checkout) is None


def test_branches_that_only_git_reads(checkout: Path) -> None:
    (checkout / ".git" / "reftable").mkdir()
    (checkout / ".git" / "HEAD").write_text("ref: refs/heads/side\n")
    git(checkout, "update-ref", "refs/heads/side", "main~1")
    assert head_revision(checkout) == git(checkout, "rev-parse", "main~1")
