"""Any manifest is judged by a sentence, without Lean; and the revision of a checkout, in each of Git's forms."""

from __future__ import annotations

import json
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import ProjectBroken
from lean_extract.toolchains.lake_packages import head_revision, refuse_fetching

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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"version": 4}', "its version is 4"),
        ('{"version": "0.4.0"}', "0.4.0"),
        ('{"version": "2.0.0"}', "newer Lake"),
        ('{"version": null}', "None"),
        ("", "cannot be read"),
        ("{", "cannot be read"),
        ("[]", "cannot be read"),
        *((f'{{"version": {version}}}', "") for version in ("5", "7", '"1.0.0"', '"1.2.0-beta"')),
    ],
)
def test_manifests_of_other_times(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "lakefile.toml").write_text('name = "p"\n')
    (tmp_path / "lake-manifest.json").write_text(text)
    if said:
        with pytest.raises(ProjectBroken, match=said):
            refuse_fetching(tmp_path)
    else:
        refuse_fetching(tmp_path)


def test_a_folder_without_a_lakefile_is_not_lakes(tmp_path: Path) -> None:
    refuse_fetching(tmp_path)


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


@pytest.mark.parametrize(
    ("commands", "revision"),
    [
        ((), "main"),
        (("branch other HEAD~1", "pack-refs --all"), "main"),
        (("checkout --detach HEAD~1",), "main~1"),
    ],
    ids=["a branch", "a packed branch", "no branch"],
)
def test_what_is_checked_out(checkout: Path, commands: tuple[str, ...], revision: str) -> None:
    for command in commands:
        git(checkout, *command.split())
    assert (checkout / ".git" / "refs" / "heads" / "main").exists() == (len(commands) < 2)
    assert head_revision(checkout) == git(checkout, "rev-parse", revision)


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
