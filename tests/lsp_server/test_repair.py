"""`premise-suggest repair`, as it is started in a terminal, after a library has changed under its users."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from lean_extract.toolchains.packaged import PackagedLean, build_library
from tests.forked import SCRIPT
from tests.lsp_server.conftest import Cli, succeed

LAKEFILE = 'name = "lib"\n\n[[lean_lib]]\nname = "Lib"\n'
BASIC = """\
namespace Lib

theorem add_left (a b c : ℕ) (h : b = c) : a + b = a + c := by
  rw [h]

def twice (n : ℕ) : ℕ :=
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
    "Moved": """\
import Lib.Basic

theorem moved (a b : ℕ) (h : a = b) : b = a :=
  h.symm
""",
}
CHANGES = [
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
    root = make(tmp_path / "lib", Basic=BASIC, **USES)
    succeed(cli, "index", "--quiet", root)
    for name, before, after in CHANGES:
        path = root / "Lib" / f"{name}.lean"
        text = path.read_text(encoding="utf-8")
        assert before in text
        path.write_text(text.replace(before, after), encoding="utf-8")
    statements = {name: (root / "Lib" / f"{name}.lean").read_text().partition(":=")[0] for name in USES}

    shown = succeed(cli, "repair", cwd=root).stdout
    assert "5 of 5 errors repaired" in shown
    assert "+  · exact Lib.add_congr_right a b c h" in shown
    assert "add_congr_right" not in (root / "Lib" / "Names.lean").read_text()

    summary = root / "summary.md"
    answer = json.loads(succeed(cli, "repair", "--write", "--json", "--summary", summary, cwd=root).stdout)
    assert answer["repaired"] == len(answer["errors"]) == 5
    assert (
        {one["file"] for one in answer["errors"]}
        == {*answer["written"]}
        == {f"Lib/{name}.lean" for name in USES}
    )
    kinds = {one["file"]: one["kind"] for one in answer["errors"]}
    assert kinds["Lib/Names.lean"] == "renamed"
    assert kinds["Lib/Arguments.lean"] == kinds["Lib/Simplified.lean"] == "arguments"
    assert kinds["Lib/Moved.lean"] in ("renamed", "arguments")
    assert "| Lib/Names.lean:5 | `names` | renamed |" in summary.read_text()

    build_library(root, tmp_path / "compiled", packaged_lean)  # raises Lean's first error
    for name, statement in statements.items():
        text = (root / "Lib" / f"{name}.lean").read_text()
        assert text.startswith(statement)
        assert "sorry" not in text
    assert succeed(cli, "repair", cwd=root).stdout == "No errors.\n"


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
