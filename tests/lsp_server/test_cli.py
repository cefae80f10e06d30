"""The command line: the real `premise-suggest` process on real files with a real Lean."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import lsp_server
from retriever.lean.index.bundled import CARD, DATA
from tests.lsp_server.conftest import PROJECT, STATE, Cli, answered, premise_names, succeed

pytestmark = pytest.mark.lean


def test_the_version_comes_without_heavy_imports() -> None:
    code = (
        "import sys; from lsp_server.cli import main\n"
        "try: main(['--version'])\n"
        "except SystemExit: print(sorted({'numpy', 'onnxruntime', 'pygls', 'leanclient'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"premise-suggest {lsp_server.__version__}", "[]"]


def test_the_module_is_the_same_command_line() -> None:
    done = subprocess.run([sys.executable, "-m", "lsp_server", "--version"], capture_output=True, text=True)
    assert done.stdout == f"premise-suggest {lsp_server.__version__}\n"


def test_suggest_prints_goal_premises_and_tactics(cli: Cli, project: Path) -> None:
    done = succeed(cli, "suggest", "--file", project / "Work.lean", "--line", "6", "--tactics", "--k", "3")
    assert "  p q : Prop\n  h : p ∧ q\n  ⊢ q ∧ p\n" in done.stdout
    first = next(line for line in done.stdout.splitlines() if line.startswith("  1. "))
    assert first.startswith("  1. exact Lib.and_swap h ")
    assert first.endswith("in scope")
    assert "  4. " not in done.stdout
    lines = done.stdout.splitlines()
    accepted = lines[lines.index("Tactics that Lean accepts") + 1 :]
    assert any(line.startswith("  exact Lib.and_swap h ") for line in accepted)
    assert accepted[0].endswith("closes the goal")
    assert all(len(line) <= 100 for line in lines)
    assert "\x1b" not in done.stdout


def test_suggest_json_is_the_documented_object(cli: Cli, project: Path) -> None:
    answer = answered(cli, "suggest", f"{project / 'Work.lean'}:9:4", "--no-tactics")
    assert answer["goal"] == "a b : ℕ\n⊢ a + b = b + a"
    assert answer["premises"][0]["name"] == "Lib.plus_swap"
    assert answer["tactics"] == []
    assert [source["package"] for source in answer["index"]["sources"]]
    assert answer["warnings"] == []


def test_search_lists_what_has_a_pattern_a_name_or_words(cli: Cli, project: Path) -> None:
    done = succeed(cli, "search", "?a + ?b = ?b + ?a", "--k", "2", cwd=project)
    assert next(line for line in done.stdout.splitlines() if line.startswith("  1. ")).startswith(
        "  1. Lib.plus_swap"
    )
    found = answered(cli, "search", "or_swap", "--module", "Lib", cwd=project)
    assert (found["kind"], found["premises"][0]["name"]) == ("name", "Lib.or_swap")
    read = answered(cli, "search", "-", stdin='_ ∨ _, "swap"', cwd=project)
    assert read["premises"][0]["name"] == "Lib.or_swap"
    assert all("or_swap" in premise["name"] for premise in read["premises"])
    broken = cli("search", "_ + (_ = _", cwd=project)
    assert (broken.returncode, broken.stdout) == (2, "")
    assert "`(` is not closed (column 5 of the pattern)" in broken.stderr


def test_a_selected_part_of_the_goal_is_rewritten(cli: Cli, project: Path) -> None:
    asked = ["suggest", "--file", project / "Work.lean", "--line", "9", "--tactics", "--json"]
    answer = json.loads(cli(*asked, "--select", "b + a").stdout)
    assert answer["premises"][0]["name"] == "Lib.plus_swap"
    tactics = {one["tactic"]: one for one in answer["tactics"]}
    assert "rw [Lib.plus_swap]" in tactics
    assert all(tactic.startswith("rw [") for tactic in tactics)
    nothing = json.loads(cli(*asked, "--select", "a").stdout)
    assert "No statement that is indexed has a side" in nothing["notes"][0]
    assert nothing["premises"]
    assert nothing["tactics"] == []
    broken = cli(*asked, "--select", "b = b")
    assert (broken.returncode, broken.stdout) == (2, "")
    assert "is not a subexpression" in broken.stderr


def test_below_a_binder_a_selected_part_is_simplified(cli: Cli, project: Path) -> None:
    text = "import Lib.Numbers\n\nexample (a : Nat) : ∃ b, (fun n : Nat => n.succ + a) = b := by\n  sorry\n"
    (project / "Below.lean").write_text(text, encoding="utf-8")
    asked = ["suggest", "--file", project / "Below.lean", "--line", "4", "--tactics", "--json"]
    answer = json.loads(cli(*asked, "--select", "n.succ + a").stdout)
    assert "simp only [Lib.succ_plus]" in [one["tactic"] for one in answer["tactics"]]


def test_a_selected_part_that_is_no_first_instance_is_rewritten_by_a_rule_with_arguments(
    cli: Cli, project: Path
) -> None:
    text = "import Lib.Numbers\n\nexample (a b c d : Nat) : a + (b + c) = d := by\n  sorry\n"
    (project / "Second.lean").write_text(text, encoding="utf-8")
    asked = ["suggest", "--file", project / "Second.lean", "--line", "4", "--tactics", "--json"]
    answer = json.loads(cli(*asked, "--select", "b + c").stdout)
    tactics = {one["tactic"]: one["remaining_goals"][0] for one in answer["tactics"]}
    assert "⊢ a + (c + b) = d" in tactics["rw [Lib.plus_swap b c]"]
    assert "rw [Lib.plus_swap]" not in tactics  # it rewrites the sum as a whole


_UNFOLDABLE = {"def", "abbrev", "irreducible_def", "instance", "field"}


@pytest.mark.parametrize(
    ("caller", "first", "kinds"),
    [
        ("exact", "Lib.plus_swap", {"theorem"}),
        ("simp only [Lib.zero_plus]", "Lib.plus_swap", {"theorem", *_UNFOLDABLE}),
        ("unfold", "Lib.double", _UNFOLDABLE),
    ],
)
def test_premises_are_those_that_the_caller_can_use(
    cli: Cli, project: Path, caller: str, first: str, kinds: set[str]
) -> None:
    state = "a b : Nat\n⊢ Lib.double a + b = b + Lib.double a"
    asked = ("suggest", "--state", "-", "--caller", caller, "--k", "3")
    found = answered(cli, *asked, stdin=state, cwd=project)["premises"]
    assert len(found) == 3
    assert found[0]["name"] == first
    assert {one["kind"] for one in found} <= kinds
    assert ("Lib.double" in {one["name"] for one in found}) == (caller != "exact")
    assert [one["score"] for one in found] == sorted((one["score"] for one in found), reverse=True)


def test_an_unknown_caller_is_refused_with_those_that_are_known(cli: Cli, project: Path) -> None:
    done = cli("suggest", "--state", "-", "--caller", "smip", stdin="⊢ True", cwd=project)
    assert done.returncode == 2
    assert "does not know the tactic `smip`" in done.stderr
    assert "simp_rw" in done.stderr
    other = cli("suggest", "--backend", "match", "--text", "x", "--caller", "simp")
    assert other.returncode == 2


def test_what_is_not_imported_says_what_it_needs(cli: Cli, project: Path) -> None:
    place = ("suggest", "--file", project / "Narrow.lean", "--line", "6")
    found = {premise["name"]: premise for premise in answered(cli, *place, "--k", "1000")["premises"]}
    needed = found["Lib.plus_swap"]
    assert (needed["in_scope"], needed["import"]) == (False, "import Lib.Numbers")
    assert found["Lib.and_swap"]["in_scope"]
    shown = cli(*place).stdout
    assert "needs import Lib.Numbers" in shown


def test_a_state_is_answered_from_the_project_around(cli: Cli, project: Path) -> None:
    answer = answered(cli, "suggest", "--state", "-", stdin=STATE, cwd=project)
    assert answer["premises"][0]["name"] == "Lib.plus_swap"
    assert answer["premises"][0]["in_scope"] is None


def test_a_state_of_200_kilobytes_is_answered(cli: Cli, project: Path, tmp_path: Path) -> None:
    state = tmp_path / "state.txt"
    hypotheses = "".join(f"h{i} : n + {i} = m + {i} ∧ (n = m → m = n)\n" for i in range(4400))
    state.write_text(f"n m : ℕ\n{hypotheses}⊢ n + m = m + n\n", encoding="utf-8")
    assert state.stat().st_size > 200_000
    assert "Lib.plus_swap" in premise_names(answered(cli, "suggest", "--state", state, cwd=project))


def test_a_state_far_from_any_project_is_answered_from_the_bundled_mathlib(cli: Cli, tmp_path: Path) -> None:
    if not (DATA / CARD).is_file() and not os.environ.get("CI"):
        pytest.skip("this checkout has no bundled Mathlib index yet")
    answer = answered(cli, "suggest", "--state", "-", "--k", "10", stdin=STATE, cwd=tmp_path)
    found = {premise["name"]: premise for premise in answer["premises"]}
    assert {"Nat.add_comm", "add_comm"} & set(found)
    best = next(iter(found.values()))
    assert best["doc_url"].startswith("https://leanprover-community.github.io/mathlib4_docs/")
    assert answer["index"]["sources"][0]["premises"] > 100_000


MISTAKES = [
    (["--file", "Work.lean"], "Work.lean has 4 sorrys"),
    (["--file", "Work.lean", "--column", "3"], "needs the line"),
    (["--file", "Work.lean", "--line", "99"], "There is no line 99: the file has 19 lines."),
    (["--file", "Work.lean", "--line", "6", "--column", "50"], "There is no column 50 in line 6"),
    (["--file", "Work.lean", "--line", "18"], "no goal"),
    (["--file", "Missing.lean", "--line", "1"], "There is no file Missing.lean"),
    (["--file", "Lib", "--line", "1"], "Lib is not a Lean file"),
    (["--file", "notes.txt", "--line", "1"], "notes.txt is not a Lean file"),
    (["--file", "latin.lean", "--line", "1"], "latin.lean is not UTF-8"),
    (["--state", "-", "--tactics"], "Tactics can only be tried in a file"),
    (["--state", "-", "--line", "3"], "--line and --column are only used with a file"),
    (["--state", "latin.lean"], "not UTF-8"),
    (["--state", "-"], "proof state is empty"),
]


@pytest.mark.parametrize(("arguments", "said"), MISTAKES, ids=[said for _, said in MISTAKES])
def test_mistakes_get_one_sentence_a_hint_and_exit_code_2(
    cli: Cli, own: Path, arguments: list[str], said: str
) -> None:
    done = cli("suggest", *arguments, cwd=own)
    assert done.returncode == 2, done.stdout
    lines = done.stderr.splitlines()
    assert len(lines) == 2, done.stderr
    assert lines[0].startswith("error: ")
    assert said in lines[0]
    assert lines[1].startswith("hint: ")


@pytest.fixture(scope="module")
def own(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the project's files and some that are no Lean."""
    folder = tmp_path_factory.mktemp("mistakes")
    for name in ("Work.lean", "lakefile.toml", "Lib"):
        (folder / name).symlink_to(project / name)
    (folder / "notes.txt").write_text("notes\n", encoding="utf-8")
    (folder / "latin.lean").write_bytes("theorem caf\u00e9 : True".encode("latin-1"))
    return folder


@pytest.mark.parametrize("arguments", [[], ["suggest"], ["suggest", "--k", "0"], ["serve", "--tcp", "x"]])
def test_usage_errors_exit_with_2(cli: Cli, arguments: list[str]) -> None:
    done = cli(*arguments)
    assert done.returncode == 2
    assert [line.split()[0] for line in done.stderr.splitlines()] == ["error:", "hint:"]


def test_names_of_the_bundled_index_are_tried_without_their_statements(cli: Cli, tmp_path: Path) -> None:
    """One module of Mathlib's stands in the project, so that this Lean knows one of its lemmas."""
    (tmp_path / "lakefile.toml").write_text('name = "x"\n[[require]]\nname = "mathlib"\n', encoding="utf-8")
    module = tmp_path / "Mathlib" / "Algebra" / "Group" / "Defs.lean"
    module.parent.mkdir(parents=True)
    numbers = (PROJECT / "Lib" / "Numbers.lean").read_text(encoding="utf-8")
    numbers = numbers.replace("import Lib.Basic\n", "").replace("plus_swap", "_root_.add_comm")
    module.write_text(numbers, encoding="utf-8")
    text = "import Mathlib.Algebra.Group.Defs\n\nexample (a b : Nat) : a + b = b + a := by\n  sorry\n"
    (tmp_path / "A.lean").write_text(text, encoding="utf-8")
    answer = answered(cli, "suggest", "--file", tmp_path / "A.lean", "--line", "4", "--tactics")
    assert {premise["statement"] for premise in answer["premises"]} == {""}
    closing = [one["tactic"] for one in answer["tactics"] if one["status"] == "closes"]
    assert any("add_comm" in tactic for tactic in closing)


def test_a_file_that_lean_rejects_leaves_the_others_their_imports(cli: Cli, own_project: Path) -> None:
    (own_project / "Broken.lean").write_text("theorem broken : True := nonsense\n", encoding="utf-8")
    assert answered(cli, "suggest", "--file", own_project / "Work.lean", "--line", "6")["goal"].endswith(
        "⊢ q ∧ p"
    )
    user = own_project / "User.lean"
    user.write_text("import Broken\n\nexample : True := by\n  sorry\n", encoding="utf-8")
    done = cli("suggest", "--file", user, "--line", "4")
    assert "/Broken.lean:1:26: " in done.stderr
    assert "User.lean imports this file" in done.stderr


def test_failures_are_not_called_accepted(cli: Cli, project: Path) -> None:
    done = cli("suggest", "--file", project / "Work.lean", "--line", "6", "--tactics", "--failures")
    assert any(line.endswith(" fails") for line in done.stdout.splitlines())
    assert "\nTactics tried\n" in done.stdout
    assert "Tactics that Lean accepts" not in done.stdout


def test_a_project_that_does_not_build(cli: Cli, own_project: Path) -> None:
    path = own_project / "Lib" / "Numbers.lean"
    path.write_text(path.read_text() + "\ntheorem broken : 1 = 2 := rfl\n", encoding="utf-8")
    done = cli("suggest", "--file", own_project / "Work.lean", "--line", "6")
    assert done.returncode == 1, done.stdout
    assert re.search(
        r"(?m)^error: .*/Lib/Numbers\.lean:\d+:\d+: .* Work\.lean imports this file", done.stderr
    )


@pytest.mark.parametrize(("command", "code"), [("no-such-program", 2), ('"', 2), ("/bin/false", 1)])
def test_a_lean_that_is_not_there(cli: Cli, project: Path, command: str, code: int) -> None:
    done = cli("suggest", "--file", project / "Work.lean", "--line", "6", "--lean", command)
    assert done.returncode == code
    assert done.stderr.startswith("error: ")
    assert "\nhint: " in done.stderr
