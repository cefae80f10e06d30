"""`premise-suggest repair`, as it is started in a terminal, after a library has changed under its users."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lean_extract.toolchains.packaged import PackagedLean, build_library
from tests.forked import SCRIPT
from tests.lake.projects import LakeProject
from tests.lsp_server.conftest import Cli, succeed

LAKEFILE = 'name = "lib"\n\n[[lean_lib]]\nname = "Lib"\n'
BASIC = """\
namespace Lib

theorem add_left (a b c : ℕ) (h : b = c) : a + b = a + c := by
  rw [h]

def twice (n : ℕ) : ℕ :=
  n + n

@[deprecated twice (since := "2026-01-01")]
def double (n : ℕ) : ℕ :=
  n + n

@[simp]
theorem twice_zero : twice 0 = 0 :=
  rfl

theorem of_both (a b c : ℕ) (hab : a = b) (hbc : b = c) : a = c :=
  hab.trans hbc

end Lib
"""
USES = {
    "Names": """\
import Lib.Basic

theorem names (a b c : ℕ) (h : b = c) : a + b = a + c ∧ a + c = a + b := by
  constructor
  · exact Lib.add_left a b c h
  · exact (Lib.add_left a b c h).symm
""",
    "Arguments": """\
import Lib.Basic

theorem arguments (a b c : ℕ) (h : a = b ∧ b = c) : c = a := by
  exact (Lib.of_both a b c h.1 h.2).symm
""",
    "Simplified": """\
import Lib.Basic

theorem simplified (m : ℕ) (h : m = 0) : Lib.twice 0 = m := by
  simp [h]
""",
    "Data": """\
import Lib.Basic

def four : ℕ :=
  Lib.double 2
""",
    "Imports": """\
import Lib.Helper

theorem imports (a b : ℕ) (h : a = b) : b = a := by
  exact Lib.helper a b h
""",
    "Moved": """\
import Lib.Basic

theorem moved (a b : ℕ) (h : a = b) : b = a :=
  h.symm
""",
}
HELPER = """\
theorem Lib.helper (a b : ℕ) (h : a = b) : b = a :=
  h.symm
"""
DEPRECATED = BASIC[BASIC.index("@[deprecated") : BASIC.index("@[simp]")]
CHANGES = [
    ("Basic", DEPRECATED, ""),
    ("Basic", "theorem add_left", "theorem add_congr_right"),
    ("Basic", "(hab : a = b) (hbc : b = c)", "(hbc : b = c) (hab : a = b)"),
    ("Basic", "@[simp]\n", ""),
    ("Moved", " (h : a = b) : b = a", " : a = b → b = a"),
]


def make(root: Path, **files: str) -> Path:
    """A project with these files in its library."""
    (root / "Lib").mkdir(parents=True)
    (root / "lakefile.toml").write_text(LAKEFILE)
    for name, text in files.items():
        (root / "Lib" / f"{name}.lean").write_text(text, encoding="utf-8")
    return root


def test_a_change_of_the_library_is_repaired(cli: Cli, packaged_lean: PackagedLean, tmp_path: Path) -> None:
    root = make(tmp_path / "lib", Basic=BASIC, Helper=HELPER, **USES)
    succeed(cli, "index", "--quiet", root)
    (root / "Lib" / "Helper.lean").rename(root / "Lib" / "Shared.lean")
    for name, before, after in CHANGES:
        path = root / "Lib" / f"{name}.lean"
        text = path.read_text(encoding="utf-8")
        assert before in text
        path.write_text(text.replace(before, after), encoding="utf-8")
    statements = {name: (root / "Lib" / f"{name}.lean").read_text().partition(":=")[0] for name in USES}

    shown = succeed(cli, "repair", cwd=root).stdout
    assert "7 of 7 errors repaired" in shown
    assert "+  · exact Lib.add_congr_right a b c h" in shown
    assert "add_congr_right" not in (root / "Lib" / "Names.lean").read_text()

    summary = root / "summary.md"
    answer = json.loads(succeed(cli, "repair", "--write", "--json", "--summary", summary, cwd=root).stdout)
    assert answer["repaired"] == len(answer["errors"]) == 7
    assert (
        {one["file"] for one in answer["errors"]}
        == {*answer["written"]}
        == {f"Lib/{name}.lean" for name in USES}
    )
    kinds = {one["file"]: one["kind"] for one in answer["errors"]}
    assert kinds["Lib/Names.lean"] == kinds["Lib/Data.lean"] == "renamed"
    assert kinds["Lib/Imports.lean"] == "import"
    assert kinds["Lib/Arguments.lean"] == kinds["Lib/Simplified.lean"] == "arguments"
    assert kinds["Lib/Moved.lean"] in ("renamed", "arguments")
    written = summary.read_text(encoding="utf-8")
    assert "| `Lib.add_left` | `Lib.add_congr_right` | Lib/Names.lean:5 |" in written
    assert "| `simp [h]` | `simp [h, Lib.twice_zero]` |" in written

    build_library(root, tmp_path / "compiled", packaged_lean)  # raises Lean's first error
    for name, statement in statements.items():
        text = (root / "Lib" / f"{name}.lean").read_text()
        assert text.replace("Lib.Shared", "Lib.Helper").startswith(statement)
        assert "sorry" not in text
    assert succeed(cli, "repair", cwd=root).stdout == "No errors.\n"


def test_lemmas_and_modules_of_a_lake_project_that_have_moved_are_imported(
    cli: Cli, lake_project: Callable[..., LakeProject]
) -> None:
    lemma = "theorem Lib.add_left (a b c : Nat) (h : b = c) : a + b = a + c := by\n  rw [h]\n"
    other = "theorem Lib.itself (a : Nat) : a = a := rfl\n\ntheorem Lib.one : 1 = 1 := rfl\n"
    statement = "(a b c : Nat) (h : b = c) : a + b = a + c ∧ a = a"
    uses = f"theorem uses {statement} :=\n  ⟨Lib.add_left a b c h, Lib.itself a⟩\n"
    files = {"Basic": lemma + other, "Sub/Uses": f"import Lib.Basic\n\n{uses}"}
    roots = "import Lib.Basic\nimport Lib.Sub.Uses\n"
    project = lake_project(
        files={"Lib.lean": roots, **{f"Lib/{name}.lean": text for name, text in files.items()}}
    )

    def repair(*words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = cli("repair", *words, cwd=project.root, PATH=project.environment["PATH"])
        assert done.returncode == code, done.stdout + done.stderr
        return done

    succeed(cli, "index", "--quiet", project.root)
    (project.root / "Lib" / "Basic.lean").unlink()
    project.write({"Lib/Core.lean": other, "Lib/Moved.lean": lemma})
    assert (
        "Run `lake build Lib.Core Lib.Moved`, then try again: it may be there now." in repair(code=1).stdout
    )
    project.lake("build", succeeds=False)
    shown = repair("Lib/Sub/Uses.lean").stdout
    assert "-import Lib.Basic\n+import Lib.Core\n+import Lib.Moved\n" in shown
    repair("Lib", "--write")
    assert (project.root / "Lib" / "Sub" / "Uses.lean").read_text(encoding="utf-8").endswith(f"\n\n{uses}")
    project.lake("build", succeeds=False)
    answer = json.loads(repair("--write", "--json").stdout)
    assert [(one["file"], one["kind"], one["after"]) for one in answer["errors"]] == [
        ("Lib.lean", "import", "import Lib.Core")
    ]
    project.build()
    project.write({"lakefile.toml": "name = \n"})
    broken = repair(code=1)
    assert broken.stdout == "" and "Lake cannot load the project" in broken.stderr


def test_what_cannot_be_repaired_has_a_reason_and_stays_as_it_is(cli: Cli, tmp_path: Path) -> None:
    files = {
        "False": "theorem wrong (n : ℕ) : n = n + 1 := by\n  rfl\n",
        "Statement": "theorem unclear : Missing 3 := by\n  rfl\n",
        "Data": "def two : ℕ := twoo\n",
        "Open": "open Nowhere\n",
        "Unread": "theorem open_end : True := by\n  exact (((\n  ]]] end theorem\n",
        "Locked": "theorem locked (n : ℕ) : n = n := by\n  exact rfll\n",
        "One": "import Lib.Other\n",
        "Other": "import Lib.One\n",
        "Above": "import Lib.False\n\ntheorem above : True := trivia\n",
        "Good": "theorem good (n : ℕ) : n = n := by\r\n  exact rfll\r\n",
    }
    root = make(tmp_path / "lib", **files)
    (root / "Lib" / "Bytes.lean").write_bytes(b"\xff\xfe\x00")
    (root / "Lib" / "Locked.lean").chmod(0o444)
    before = {path: path.read_bytes() for path in (root / "Lib").iterdir()}
    done = cli("repair", "--write", "--json", "--seconds", "4", cwd=root)
    assert done.returncode == 1, done.stderr
    answer = json.loads(done.stdout)
    reasons = {one["file"]: one["reason"] for one in answer["errors"]}
    expected = {
        "False": "The statement is false: n = 0 is a counterexample.",
        "Statement": "The error is in the statement, which a repair does not change.",
        "Data": "It is in a definition, of which only names and proofs are changed.",
        "Open": "It is not in a proof.",
        "Unread": "",
        "Locked": "Leave out --write, or change its permissions.",
        "One": "Remove one of these imports.",
        "Other": "Remove one of these imports.",
        "Above": "It imports Lib/False.lean, which has errors on disk.",
        "Bytes": "Save the file as UTF-8, or leave it out.",
        "Good": "",
    }
    assert {one.removeprefix("Lib/").removesuffix(".lean") for one in reasons} == {*expected}
    for name, reason in expected.items():
        assert reasons[f"Lib/{name}.lean"].startswith(reason)
    assert answer["written"] == ["Lib/Good.lean"]
    assert (root / "Lib" / "Good.lean").read_bytes() == files["Good"].replace("rfll", "rfl").encode()
    assert {path: path.read_bytes() for path in before} | {root / "Lib" / "Good.lean": b""} == before | {
        root / "Lib" / "Good.lean": b""
    }


def test_ctrl_c_keeps_what_was_written_and_others_wait_their_turn(
    cli: Cli, environment: dict[str, str], tmp_path: Path
) -> None:
    false = "theorem wrong (a b : ℕ) : a * b + 1 = b * a + a := by\n  exact Nat.mul_com a b\n"
    good = "theorem good (n : ℕ) : n = n := by\n  exact rfll\n"
    root = make(tmp_path / "lib", A=good, B=f"import Lib.A\n\n{false}")
    options = ["--write", "--json", "--seconds", "600"]
    with subprocess.Popen(
        [str(SCRIPT), "repair", *options], stdout=subprocess.PIPE, env=environment, cwd=root, text=True
    ) as process:
        while "rfll" in (root / "Lib" / "A.lean").read_text():
            assert process.poll() is None
        for command in ("repair", "fill"):
            other = cli(command, cwd=root)
            assert (other.returncode, other.stdout) == (2, "")
            assert (
                f"`premise-suggest repair` is already at work on {root}: process {process.pid}"
                in other.stderr
            )
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        answer: dict[str, Any] = json.loads(process.stdout.read())
        assert process.wait(60) == 130
    assert answer["stopped"]
    assert answer["written"] == ["Lib/A.lean"]
    assert (root / "Lib" / "B.lean").read_text().endswith(false)


@pytest.mark.parametrize(
    ("options", "message"), [(["nowhere.lean"], "There is no file"), (["--seconds", "0"], "0")]
)
def test_wrong_use(cli: Cli, tmp_path: Path, options: list[str], message: str) -> None:
    done = cli("repair", *options, cwd=make(tmp_path / "lib", A=""))
    assert done.returncode == 2
    assert message in done.stderr
