"""`premise-suggest setup`: a project from nothing to its first goal; a library by its address."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from lsp_server.commands.editor_setup import CLIENTS, installed
from tests.environments import own_indexes
from tests.lsp_server.conftest import PROJECT, Cli, answered, succeed, write

pytestmark = pytest.mark.lean
GOAL = "a b : Nat\n⊢ FarLibrary.far a b = FarLibrary.far b a\n"


@pytest.fixture
def bare_project(tmp_path: Path) -> Path:
    """The test project as cloned: with no index."""
    folder = tmp_path / f"new-{tmp_path.name}"
    shutil.copytree(PROJECT, folder)
    (folder / "lakefile.toml").write_text('name = "Lib"\n\n[[lean_lib]]\nname = "Lib"\n', encoding="utf-8")
    return folder


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main"]
    return subprocess.run(
        ["git", "-C", folder, *identity, *words], capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A bare repository with two revisions of a Lean library; the first has the tag v1."""
    work = tmp_path / "work"
    (work / "FarLibrary").mkdir(parents=True)
    (work / "lakefile.toml").write_text('name = "far"\n[[lean_lib]]\nname = "FarLibrary"\n', encoding="utf-8")
    (work / "lake-manifest.json").write_text('{"version": "1.1.0", "name": "far", "packages": []}')
    source = work / "FarLibrary" / "Basic.lean"
    source.write_text(
        "namespace FarLibrary\ndef far (a b : Nat) : Nat := a + b\n"
        "theorem far_comm (a b : Nat) : far a b = far b a := Nat.add_comm a b\nend FarLibrary\n",
        encoding="utf-8",
    )
    git(work, "init", "--quiet")
    git(work, "add", ".")
    git(work, "commit", "--quiet", "-m", "one")
    git(work, "tag", "v1")
    source.write_text(source.read_text().replace("far_comm", "far_swap"), encoding="utf-8")
    git(work, "commit", "--quiet", "-am", "two")
    bare = tmp_path / "far.git"
    git(tmp_path, "clone", "--quiet", "--bare", str(work), str(bare))
    return bare


def test_a_project_from_nothing_to_its_first_goal(cli: Cli, bare_project: Path, tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("nvim", "claude"):
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o755)
    done = succeed(cli, "setup", bare_project, "--yes", PATH=str(programs))
    plan, _, rest = done.stdout.partition("then ")
    assert str(bare_project) in plan and "4.35.0 (packaged)" in plan and "less than a minute" in plan
    assert "premises in" in rest and "⊢" in rest.partition("Lean ")[2]
    assert (
        "Neovim:" in rest
        and "claude mcp add premise-suggest --" in rest
        and ".claude/skills/premise-suggest" in rest
        and "Helix" not in rest
    )
    again = cli("setup", bare_project, "--yes").stdout
    assert "bring the index up to date" in again and "0 read" in again


def test_it_ends_with_a_command_that_shows_its_tactics_again(cli: Cli, bare_project: Path) -> None:
    """The first place that has a tactic which closes the goal; a smaller file has none, and one is not Lean."""
    unproved = "import Lib.Numbers\n\ntheorem unproved : 2 + 2 = 5 := by\n  sorry\n"
    write(bare_project, Aaa=unproved, Broken="theorem := by :=\n  sorry )\n")
    done = succeed(cli, "setup", bare_project, "--yes", PATH="/nonexistent")
    shown, _, last = done.stdout.partition("\nTry it, or put the cursor there in your editor:\n")
    tactic = next(line for line in shown.splitlines() if "  (closes the goal" in line).split("  (")[0]
    words = shlex.split(last)
    assert Path(words[0]).name == "premise-suggest" and "sorry" in sorry_line(words)
    again = succeed(cli, *words[1:])
    assert tactic.strip() in again.stdout and "closes the goal" in again.stdout


def sorry_line(words: Sequence[str]) -> str:
    """The line of its file that a command names."""
    file, _, line = words[-1].rpartition(":")
    return Path(file).read_text(encoding="utf-8").splitlines()[int(line) - 1]


def test_a_project_without_sorry_shows_the_goal_of_a_proof(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "lakefile.toml").write_text('name = "Lib"\n', encoding="utf-8")
    text = "theorem same (n : Nat) : n = n := by\n  -- no sorry here\n  rfl\n"
    write(tmp_path, Lib=text)
    assert "Lib.lean:1  ⊢ n = n" in succeed(cli, "setup", tmp_path, "--yes").stdout
    write(tmp_path, Lib="def one : Nat := 1\n")
    done = succeed(cli, "setup", tmp_path, "--yes")
    assert "no proof by tactics was found" in done.stdout and "Try it" not in done.stdout


def test_it_asks_before_it_goes_on(cli: Cli, bare_project: Path) -> None:
    done = cli("setup", bare_project)
    assert done.returncode == 2 and "--yes" in done.stderr and "to do" in done.stdout
    assert "There is no premise index" in cli("doctor", bare_project).stdout


def test_what_is_no_project_is_told(cli: Cli, tmp_path: Path) -> None:
    done = cli("setup", tmp_path, "--yes")
    assert done.returncode == 2 and "is not a Lean project" in done.stderr


def test_a_lean_that_does_not_start_leaves_the_index(cli: Cli, bare_project: Path) -> None:
    done = cli("setup", bare_project, "--yes", "--lean", "/nonexistent/lean --server")
    assert done.returncode == 1 and "ask Lean" not in done.stdout
    assert " ".join(done.stdout.split()).count("there is no such program") == 1
    assert "suggest --state -" in done.stdout.splitlines()[-1]
    assert "up to date" in cli("doctor", bare_project).stdout


def test_a_library_by_its_address_answers_where_there_is_no_project(
    cli: Cli, library: Path, tmp_path: Path
) -> None:
    index = {"PREMISE_SUGGEST_INDEX": str(own_indexes(tmp_path / "index"))}
    done = cli("setup", "--git", f"file://{library}@v1", "--yes", **index)
    assert done.returncode == 0 and "1 file" in done.stdout, done.stdout + done.stderr
    asked = ["suggest", "--state", "-", "--k", "3", "--json"]
    answer = json.loads(cli(*asked, stdin=GOAL, cwd=tmp_path, **index).stdout)
    first = answer["premises"][0]
    assert first["name"] == "FarLibrary.far_comm" and "far b a" in first["statement"]
    packages = {source["package"]: source for source in answer["index"]["sources"]}
    assert packages["far"]["revision"] == git(library, "rev-parse", "v1")
    assert any(source["bundled"] for source in packages.values())
    # Another revision takes its place.
    assert cli("setup", "--git", f"file://{library}", "--yes", **index).returncode == 0
    answer = json.loads(cli(*asked, stdin=GOAL, cwd=tmp_path, **index).stdout)
    assert answer["premises"][0]["name"] == "FarLibrary.far_swap"


def other_model(manifest: Path) -> None:
    values = json.loads(manifest.read_text(encoding="utf-8"))
    values = {**values, "fingerprint": "0123456789abcdef"}
    manifest.write_text(json.dumps({key: values[key] for key in values if key != "sum"}), encoding="utf-8")


@pytest.mark.parametrize(
    ("spoilt", "spoil", "is_near_searched"),
    [
        ("packages/far-*/manifest.json", lambda path: path.write_text("{"), True),
        ("packages/far-*/manifest.json", other_model, True),
        ("packages/far-*/manifest.json", lambda path: path.unlink(), True),
        ("packages/far-*/segments/*/names.txt", lambda path: path.unlink(), True),
        ("libraries-*/manifest.json", lambda path: path.write_text("[]"), False),
    ],
    ids=["no JSON", "another model", "no manifest", "a column gone", "that of all"],
)
def test_a_fetched_library_that_is_damaged_is_left_out_with_a_note(
    cli: Cli,
    library: Path,
    tmp_path: Path,
    spoilt: str,
    spoil: Callable[[Path], object],
    is_near_searched: bool,
) -> None:
    near = tmp_path / "near"
    git(tmp_path, "clone", "--quiet", str(library), str(near))
    (near / "lake-manifest.json").write_text('{"version": "1.1.0", "name": "near", "packages": []}')
    git(near, "commit", "--quiet", "-am", "near")
    index = own_indexes(tmp_path / "index")
    variables = {"PREMISE_SUGGEST_INDEX": str(index)}
    for address in (library, near):
        assert cli("setup", "--git", address, "--yes", "--quiet", **variables).returncode == 0
    folder = index / "libraries" / ".lake" / "packages"
    [path] = index.glob(spoilt)
    spoil(path)
    answer = answered(cli, "suggest", "--state", "-", stdin=GOAL, cwd=tmp_path, **variables)
    assert "setup --git ADDRESS" in " ".join(answer["warnings"])
    assert answer["premises"] and folder.is_dir()
    found = {source["package"] for source in answer["index"]["sources"]}
    assert ("near" in found) is is_near_searched and "far" not in found


def test_an_entry_that_cannot_be_read_costs_no_other_library(cli: Cli, library: Path, tmp_path: Path) -> None:
    index = own_indexes(tmp_path / "index")
    manifest = index / "libraries" / "lake-manifest.json"
    manifest.parent.mkdir()
    kept = {"type": "git", "name": "kept", "url": "a.org/kept", "rev": "abc"}
    spoilt = [
        "text",
        None,
        {"name": "x"},
        {**kept, "name": 3},
        {**kept, "name": "../up"},
        {**kept, "rev": []},
    ]
    manifest.write_text(json.dumps({"packages": [*spoilt, kept]}), encoding="utf-8")
    succeed(cli, "setup", "--git", library, "--yes", PREMISE_SUGGEST_INDEX=str(index))
    found = json.loads(manifest.read_text(encoding="utf-8"))["packages"]
    assert sorted(one["name"] for one in found) == ["far", "kept"]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("file:///nonexistent/library.git", "is not the address"),
        ("{library}@v99", "at v99"),
        ("{empty}", "is not a Lean library"),
        ("--upload-pack=evil", "is not the address"),
        ("@v1", "is not the address"),
    ],
)
def test_what_cannot_be_fetched_leaves_nothing(
    cli: Cli, library: Path, tmp_path: Path, address: str, said: str
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    git(empty, "init", "--quiet")
    git(empty, "commit", "--quiet", "--allow-empty", "-m", "nothing")
    text = address.format(library=f"file://{library}", empty=f"file://{empty}")
    done = cli("setup", f"--git={text}", "--yes", PREMISE_SUGGEST_INDEX=str(tmp_path / "index"))
    assert done.returncode == 2 and said in done.stderr and "hint:" in done.stderr, done.stderr
    left = tmp_path / "index" / "libraries"
    assert not left.exists() or not list(left.rglob("*"))


@pytest.mark.parametrize("name", ["a b", ".fetched", "x" * 65, "a\nb", "\x1b[2Jx"])
def test_a_library_whose_name_is_not_plain_and_short_is_refused(cli: Cli, tmp_path: Path, name: str) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "lakefile.toml").write_text('name = "far"\n', encoding="utf-8")
    manifest = json.dumps({"version": "1.1.0", "name": name, "packages": []})
    (work / "lake-manifest.json").write_text(manifest, encoding="utf-8")
    (work / "Far.lean").write_text("theorem far : True := trivial\n", encoding="utf-8")
    git(work, "init", "--quiet")
    git(work, "add", ".")
    git(work, "commit", "--quiet", "-m", "one")
    stem = tmp_path / ("y" * 70)  # what it is called after where its manifest does not say it
    work.rename(stem)
    done = cli("setup", "--git", stem, "--yes", PREMISE_SUGGEST_INDEX=str(tmp_path / "index"))
    assert done.returncode == 2
    assert "cannot be the name of a library.\nhint: " in done.stderr
    assert "\x1b" not in done.stderr
    assert not [*(tmp_path / "index").rglob("*.lean")]


def test_without_git_it_says_so(cli: Cli, library: Path, tmp_path: Path) -> None:
    done = cli("setup", "--git", f"file://{library}", "--yes", PATH=str(tmp_path))
    assert done.returncode == 2 and "git is not installed" in done.stderr


def pretended(folder: Path, name: str, does: str) -> str:
    """A PATH with a program of that name, which does this in a shell."""
    folder.mkdir()
    (folder / name).write_text(f"#!/bin/sh\n{does}\n", encoding="utf-8")
    (folder / name).chmod(0o755)
    return str(folder)


@pytest.mark.parametrize(
    ("name", "does", "fits"),
    [
        ("nvim", "echo 'NVIM v0.7.2'", ["Neovim 0.7.2 to 0.10", "nvim_create_autocmd"]),
        ("nvim", "echo 'NVIM v0.10.4'", ["Neovim 0.7.2 to 0.10", "nvim_create_autocmd"]),
        ("nvim", "echo 'NVIM v0.11.0-dev'", ["Neovim 0.11 and later", "vim.lsp.enable"]),
        ("nvim", "echo 'NVIM v1.0.0'", ["Neovim 0.11 and later", "vim.lsp.enable"]),
        ("nvim", "exit 1", ["Neovim 0.11 and later", "vim.lsp.enable"]),
        ("nvim", "exec /bin/sleep 600", ["Neovim 0.11 and later", "vim.lsp.enable"]),
        ("emacs", "echo 'GNU Emacs 28.2'", ["in addition to lean4-mode (lsp-mode)", "lsp-register-client"]),
        ("emacs", "echo 'GNU Emacs 30.1'", ["in addition to lean4-mode (lsp-mode)", "eglot-server-programs"]),
    ],
)
def test_what_is_printed_fits_the_version_that_is_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, does: str, fits: list[str]
) -> None:
    monkeypatch.setenv("PATH", pretended(tmp_path / "programs", name, does))
    [client] = installed()
    steps = client.steps_here()("premise-suggest", tmp_path)
    assert all(text in steps for text in fits), steps
    others = {"vim.lsp.enable", "nvim_create_autocmd", "eglot-server-programs"} - {*fits}
    assert not any(text in steps for text in others), steps


def test_what_is_printed_for_editors_is_what_the_pages_say(tmp_path: Path) -> None:
    """The pages are tested with real editors; the lines printed for one must be among its page's."""
    docs = Path(__file__).parents[2] / "docs"
    pages = {"Neovim": "editors/neovim.md", "Helix": "editors/helix.md"}
    for client in CLIENTS:
        if client.name in pages:
            known = (docs / pages[client.name]).read_text(encoding="utf-8")
            for steps in filter(None, (client.steps, client.older)):
                lines = steps("premise-suggest", tmp_path).splitlines()[1:]
                assert lines and all(line in known for line in lines), client.name
