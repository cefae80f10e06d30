"""`suggest FILE:LINE`, `FILE:THEOREM`, `FILE` and `FILE --all`, by the real program with a real Lean."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.answers import conforming
from tests.forked import SCRIPT
from tests.lsp_server.conftest import STATE, Cli, answered, make_project, succeed, write
from tests.lsp_server.terminals import terminal_pair

pytestmark = pytest.mark.lean
NAMED = """import Lib.Numbers

namespace Mine

theorem first (p q : Prop) (h : p ∧ q) (k : (by exact 1 : Nat) = 1) : q ∧ p := by
  constructor
  · exact h.2
  · sorry

theorem done (a : Nat) : a + 0 = a := by rfl

theorem «odd name» (a b : Nat) : a + b = b + a := by
  sorry

namespace Inner
theorem first : True := by
  trivial
end Inner

end Mine

theorem other.twin (a b : Nat) : a + b = b + a := sorry
theorem another.twin : 1 = 1 := by
  have : 2 = 2 := by sorry
  exact rfl
"""
MANY = "".join(f"theorem t{i} (a b : Nat) : a + b + {i} = b + a + {i} := by\n  sorry\n\n" for i in range(400))
BROKEN = """theorem good (p q : Prop) (h : p ∧ q) : q ∧ p := by
  sorry

theorem bad : ( := by
  sorry

theorem also_good : True := by
  sorry
"""


@pytest.fixture(scope="module")
def here(cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with files of named theorems."""
    root = make_project(tmp_path_factory.mktemp("places"), cli)
    write(root, Named=NAMED, One="example : True := by\n  sorry\n", Broken=BROKEN)
    (root / "a:b.lean").write_text("theorem x : True := by\n  sorry\n", encoding="utf-8")
    (root / "Deep.lean:1").mkdir()
    (root / "Deep.lean:1" / "Own.lean").write_text("theorem x : True := by\n  sorry\n", encoding="utf-8")
    (root / "Folder.lean").mkdir()
    return root


def goal(cli: Cli, here: Path, *place: str) -> str:
    """The target at a place."""
    answer = answered(cli, "suggest", *place, "--no-tactics", "--k", "1", cwd=here)
    return str(answer["goal"].rpartition("⊢ ")[2])


PLACES = [
    ("Work.lean:6", "q ∧ p"),
    ("Work.lean:6:3", "q ∧ p"),
    ("Work.lean:6:3:", "q ∧ p"),  # as Lean prints a place
    ("Work.lean:9:", "a + b = b + a"),
    ("./Work.lean:000009", "a + b = b + a"),
    ("One.lean", "True"),
    ("Named.lean:Mine.first", "p"),
    ("Named.lean:odd name", "a + b = b + a"),
    ("Named.lean:Mine.«odd name»", "a + b = b + a"),
    ("Named.lean:done", "a + 0 = a"),
    ("Named.lean:Inner.first", "True"),
    ("Named.lean:other.twin", "a + b = b + a"),
    ("Named.lean:another.twin", "2 = 2"),
    ("a:b.lean:2", "True"),
    ("a:b.lean:x", "True"),
    ("a:b.lean", "True"),
    ("Deep.lean:1/Own.lean:2", "True"),
]


@pytest.mark.parametrize(("place", "target"), PLACES, ids=[place for place, _ in PLACES])
def test_a_place_has_its_goal(cli: Cli, here: Path, place: str, target: str) -> None:
    assert goal(cli, here, place) == target


def test_the_long_options_say_the_same(cli: Cli, here: Path) -> None:
    assert goal(cli, here, "--file", "Work.lean", "--line", "9", "--column", "4") == "a + b = b + a"
    assert goal(cli, here, "Work.lean", "--line", "6") == "q ∧ p"
    assert goal(cli, here, "--file", "One.lean") == "True"
    assert goal(cli, here, "--file", "a:b.lean", "--line", "2") == "True"


MISTAKES = [
    ("Wrok.lean:6", "There is no file Wrok.lean", "Did you mean Work.lean?"),
    ("Numbers.lean:6", "There is no file Numbers.lean", "Did you mean Lib/Numbers.lean?"),
    ("Libb/Numbers.lean:6", "There is no file Libb/Numbers.lean", "Did you mean Lib/Numbers.lean?"),
    ("Work:6", "Work:6 is not a Lean file", "Did you mean Work.lean:6?"),
    ("Lib", "Lib is not a Lean file", "It is a folder; give a file"),
    ("Folder.lean:1", "Folder.lean", ""),
    ("C:\\x.lean:3", "There is no file C:\\x.lean", "Check the path"),
    ("C:\\Lib\\x.lean:3:1", "There is no file C:\\Lib\\x.lean", "Check the path"),
    ("nowhere/at/all.lean", "There is no file nowhere/at/all.lean", "Check the path"),
    ("x" * 300 + ".lean:1", "File name too long", ""),
    ("a ⊢ b", "a ⊢ b is not a Lean file", "--text"),
    ("", " is not a Lean file", "whose name ends in .lean"),
    (":", ": is not a Lean file", "whose name ends in .lean"),
    ("Work.lean:", "After Work.lean: a line or a name is missing", "FILE:LINE:COLUMN"),
    ("Work.lean:0", "There is no line 0: the file has 19 lines", "Lines count from 1"),
    ("Work.lean:99", "There is no line 99: the file has 19 lines", "the last one is 19"),
    ("Work.lean:6:0", "There is no column 0 in line 6", "Columns count from 1"),
    ("Work.lean:6:50", "There is no column 50 in line 6", "the last one is 8"),
    (f"Work.lean:{'9' * 5000}", "No file has a line or column 9999999999 … 9999999999", "FILE:LINE"),
    ("Work.lean:-3", "Work.lean declares no -3", "It declares number"),
    ("Work.lean:6:x", "Work.lean declares no 6:x", "It declares number"),
    ("Work.lean:٦", "Work.lean declares no ٦", "It declares number"),
    (
        "Named.lean:frist",
        "declares no frist",
        "Did you mean Named.lean:Mine.first or Named.lean:Mine.Inner.first?",
    ),
    (
        "Named.lean:twin",
        "has 2 declarations twin",
        "Did you mean Named.lean:other.twin or Named.lean:another.twin?",
    ),
    ("Named.lean:«", "declares no «", "It declares Mine.first, Mine.done"),
    ("Named.lean", "has 4 sorrys", "Named.lean:8 (first), Named.lean:13 («odd name»)"),
    ("Lib/Numbers.lean", "No sorry in Lib/Numbers.lean", "FILE:THEOREM"),
]


@pytest.mark.parametrize(("place", "said", "hint"), MISTAKES, ids=[place[:40] for place, _, _ in MISTAKES])
def test_a_mistake_gets_an_error_and_a_hint(cli: Cli, here: Path, place: str, said: str, hint: str) -> None:
    done = cli("suggest", place, cwd=here)
    assert (done.returncode, done.stdout) == (2, "")
    first, second = done.stderr.splitlines()
    assert first.startswith("error: ")
    assert said in first
    assert second.startswith("hint: ")
    assert hint in second
    assert len(first) < 500


def test_options_that_contradict_a_place_are_refused(cli: Cli, here: Path) -> None:
    for more, said in (
        (["--line", "3"], "already says where"),
        (["--all"], "--all is for all goals of a file"),
        (["--state", "-"], "not allowed with argument"),
        (["--after", "simp"], "--after is only used with --dojo"),
    ):
        done = cli("suggest", "Work.lean:6", *more, cwd=here)
        assert (done.returncode, done.stdout) == (2, "")
        assert said in done.stderr.splitlines()[0]
    assert "--column needs the line" in cli("suggest", "Work.lean", "--column", "3", cwd=here).stderr
    assert "No goal is named" in cli("suggest", cwd=here).stderr


def test_a_name_that_is_not_utf_8_is_read_and_shown(cli: Cli, here: Path) -> None:
    name = os.fsdecode(b"caf\xe9.lean")
    (here / name).write_text("example : True := by\n  sorry\n", encoding="utf-8")
    assert goal(cli, here, f"{name}:2") == "True"
    done = succeed(cli, "suggest", name, "--all", "--no-tactics", cwd=here)
    assert done.stdout.startswith("caf\\xe9.lean:2:3\n")
    (here / name).unlink()


def test_tactics_are_tried_in_files_unless_switched_off(cli: Cli, here: Path) -> None:
    answer = answered(cli, "suggest", "Work.lean:6", "--k", "1", cwd=here)
    assert (answer["tactics_status"], answer["tactics"][0]["status"]) == ("tried", "closes")
    off = answered(cli, "suggest", "Work.lean:6", "--no-tactics", cwd=here)
    assert (off["tactics_status"], off["tactics"]) == ("not_asked", [])
    assert "Tactics that" in succeed(cli, "suggest", "Work.lean:6", cwd=here).stdout
    assert "Tactics" not in succeed(cli, "suggest", "Work.lean:6", "--no-tactics", cwd=here).stdout


def test_where_tactics_cannot_be_tried_only_a_request_for_them_fails(cli: Cli, here: Path) -> None:
    write(here, Two="example (p q : Prop) (h : p) (k : q) : p ∧ q := by\n  constructor\n  all_goals sorry\n")
    second = answered(cli, "suggest", "Two.lean:3", "--goal", "2", cwd=here)
    assert (second["goal_number"], second["tactics_status"]) == (2, "goal_not_first")
    stated = answered(cli, "suggest", "--state", "-", stdin=STATE, cwd=here)
    assert stated["tactics_status"] == "not_asked"
    assert cli("suggest", "--text", "⊢ 1 = 1", "--tactics", cwd=here).returncode == 2


def test_all_lists_each_sorry_with_its_goal_and_best_tactic(cli: Cli, here: Path) -> None:
    done = succeed(cli, "suggest", "Named.lean", "--all", cwd=here)
    blocks = done.stdout.strip().split("\n\n")
    assert [block.split("\n")[0].split() for block in blocks[:4]] == [
        ["Named.lean:8:5", "first"],
        ["Named.lean:13:3", "«odd", "name»"],
        ["Named.lean:22:51", "other.twin"],
        ["Named.lean:24:22", "another.twin"],
    ]
    assert "  ⊢ a + b = b + a" in blocks[1]
    assert all("closes the goal" in block for block in blocks[:4])
    bare = succeed(cli, "suggest", "Named.lean", "--all", "--no-tactics", cwd=here)
    assert "⊢ a + b = b + a" in bare.stdout
    assert "closes the goal" not in bare.stdout


def test_all_as_json_is_the_documented_object(cli: Cli, here: Path) -> None:
    answer: Any = answered(cli, "suggest", "Named.lean", "--all", "--k", "2", cwd=here)
    conforming(answer, "AllSorriesAnswer")
    assert [one["sorry"]["line"] for one in answer["sorries"]] == [8, 13, 22, 24]
    assert {one["error"] for one in answer["sorries"]} == {""}
    assert answer["sorries"][1]["suggestion"]["tactics"][0]["status"] == "closes"
    assert len(answer["sorries"][1]["suggestion"]["premises"]) == 2


def test_one_sorry_that_fails_does_not_end_all(cli: Cli, here: Path) -> None:
    answer: Any = answered(cli, "suggest", "Broken.lean", "--all", "--k", "1", cwd=here)
    good, bad, also_good = answer["sorries"]
    assert good["suggestion"]["tactics"][0]["status"] == "closes"
    assert bad["suggestion"] is None
    assert bad["error"]
    assert also_good["suggestion"]["goal"].endswith("⊢ True")


def test_all_of_a_file_without_a_sorry(cli: Cli, here: Path) -> None:
    assert (
        succeed(cli, "suggest", "Lib/Numbers.lean", "--all", cwd=here).stdout
        == "No sorry in Lib/Numbers.lean.\n"
    )
    assert answered(cli, "suggest", "Lib/Numbers.lean", "--all", cwd=here) == {"sorries": []}


def test_what_concerns_all_goals_ends_all(cli: Cli, here: Path) -> None:
    done = cli("suggest", "Named.lean", "--all", "--lean", "no-such-program", cwd=here)
    assert done.returncode == 2
    assert "no-such-program" in done.stderr.splitlines()[0]


def test_what_all_has_answered_is_kept_after_ctrl_c(environment: dict[str, str], here: Path) -> None:
    write(here, Many=MANY)
    listed, shown = interrupted(["Many.lean", "--all"], environment, here)
    assert listed.startswith("Many.lean:2:3  t0\n")
    assert "⊢ a + b + 0 = b + a + 0" in listed
    assert "Stopped." in shown
    answer, _ = interrupted(["Many.lean", "--all", "--json"], environment, here)
    answered_sorries = json.loads(answer)["sorries"]
    assert 0 < len(answered_sorries) < 400
    assert answered_sorries[0]["suggestion"]["goal"].endswith("⊢ a + b + 0 = b + a + 0")


def interrupted(arguments: list[str], environment: dict[str, str], here: Path) -> tuple[str, str]:
    """What `suggest` prints, and what it shows on a terminal, where Ctrl-C comes after the first few answers."""
    ours, theirs = terminal_pair()
    with subprocess.Popen(
        [str(SCRIPT), "suggest", *arguments],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**environment, "TERM": "xterm"},
        cwd=here,
        text=True,
    ) as process:
        os.close(theirs)
        shown = ""
        while not re.search(r"Answering: +[1-9]", shown):
            shown += os.read(ours, 4096).decode(errors="replace")
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        printed = process.stdout.read()
        assert process.wait(60) == 130
    shown += os.read(ours, 65536).decode(errors="replace")
    os.close(ours)
    return printed, shown
