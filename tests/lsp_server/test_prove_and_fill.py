"""`premise-suggest prove` and `fill` on a copy of the example library, by the real program with a real Lean."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lean_extract.toolchains.compile import lean_messages
from lean_extract.toolchains.packaged import PackagedLean
from lsp_server.commands.demo import EXAMPLE
from tests.answers import conforming
from tests.forked import ROOT, SCRIPT
from tests.lsp_server.conftest import Cli, indexed_example, succeed, write
from tests.lsp_server.terminals import terminal_pair

pytestmark = pytest.mark.lean
SEVERAL = """import Example.Nat.Basic

theorem swapped (p q : Prop) (h : p ∧ q) : q ∧ p := by
  sorry

theorem both (m n : ℕ) : m + n = n + m ∧ True := by
  constructor
  · sorry
  · sorry

example (n : ℕ) : n = n := sorry
"""
ONE = "import Example.Nat.Basic\n\ntheorem alone (m n : ℕ) : m + n = n + m := by\n  sorry\n"
THREE_LEMMAS = """import Example.Nat.Prime

theorem all (k n m a b : ℕ) (hk : 0 < k) (hkn : k ≤ n) :
    k ∣ n.factorial ∧ (∃ p, m ≤ p ∧ p.Prime) ∧ a + (b + n) = b + (a + n) := by
  sorry
"""
ODD = """import Example.Nat.Basic

theorem wrong (n : ℕ) : n = n + 1 := by
  sorry

def value : ℕ := sorry
"""
HARD = """import Example.Nat.Basic

theorem squares (m n : ℕ) :
    (m + n) * (m + n) * (m + n) * (m + n)
      = n * n * n * n + m * m * m * m + 4 * (m * n * (m * m + n * n)) + 6 * (m * m * (n * n)) := by
  sorry
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, cli: Cli) -> Path:
    """A copy of the example library, indexed, to which each test adds files of its own."""
    return indexed_example(tmp_path_factory.mktemp("filled") / "example", cli)


@pytest.fixture
def errors(packaged_lean: PackagedLean, example_oleans: Path) -> Callable[[Path], list[str]]:
    """The errors and warnings of a new Lean about a file."""
    environment = packaged_lean.environment_for(example_oleans, EXAMPLE)

    def found(path: Path) -> list[str]:
        text = path.read_text(encoding="utf-8-sig")
        return [one["data"] for one in lean_messages(packaged_lean.lean_command, environment, text)]

    return found


def test_a_proof_is_a_diff_that_git_applies_and_lean_accepts(
    cli: Cli, library: Path, errors: Callable[[Path], list[str]]
) -> None:
    write(library, Several=SEVERAL)
    done = succeed(cli, "prove", "Several.lean:swapped", cwd=library)
    assert (library / "Several.lean").read_text(encoding="utf-8") == SEVERAL
    subprocess.run(["git", "apply"], cwd=library, input=done.stdout, text=True, check=True)
    script = done.stdout.split("\n\n")[0].splitlines()[2:]
    proof = "\n".join(script)
    assert (library / "Several.lean").read_text(encoding="utf-8") == SEVERAL.replace("  sorry", proof, 1)
    assert len(errors(library / "Several.lean")) == 2  # `both` and the example use `sorry`


def test_a_written_proof_keeps_mark_line_ends_mode_and_link(cli: Cli, library: Path) -> None:
    before = b"\xef\xbb\xbf" + ONE.replace("\n", "\r\n").rstrip().encode()
    real, link = library / "Real.lean", library / "Link.lean"
    real.write_bytes(before)
    real.chmod(0o664)
    link.symlink_to(real.name)
    answer = json.loads(succeed(cli, "prove", "Link.lean", "--write", "--json", cwd=library).stdout)
    conforming(answer, "ProofAnswer")
    script = answer["script"].replace("\n", "\r\n  ").encode()
    assert (answer["status"], real.read_bytes()) == ("proved", before.replace(b"sorry", script))
    assert (real.stat().st_mode & 0o777, link.is_symlink()) == (0o664, True)


def test_what_is_not_proved_or_cannot_be_written_is_said(cli: Cli, library: Path) -> None:
    write(library, Hard=HARD, Fixed=ONE)
    (library / "Fixed.lean").chmod(0o444)
    done = cli("prove", "Hard.lean", "--seconds", "1", "--write", cwd=library)
    assert (done.returncode, (library / "Hard.lean").read_text(encoding="utf-8")) == (1, HARD)
    assert "⊢ (m + n) * (m + n) * (m + n) * (m + n) =" in done.stdout
    for arguments, said in (
        (["prove", "Fixed.lean", "--write"], "Fixed.lean is read-only"),
        (["prove", "Nothing.lean"], "There is no file Nothing.lean"),
        (["prove", "Hard.lean", "--partial"], "--partial is for --write"),
        (["prove", "Hard.lean", "--seconds", "0"], "not a number above 0"),
        (["fill", "Nothing.lean"], "There is no file Nothing.lean"),
        (["fill", "--check", "--write"], "not allowed with"),
    ):
        refused = cli(*arguments, cwd=library)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert said in refused.stderr.splitlines()[0]


def test_a_suggestion_has_a_proof_of_a_few_steps_where_no_tactic_closes_the_goal(
    cli: Cli, library: Path, errors: Callable[[Path], list[str]]
) -> None:
    write(library, Few=THREE_LEMMAS)
    (library / "premise-suggest.toml").write_text("tactics.seconds = 100\n", encoding="utf-8")
    answer = json.loads(succeed(cli, "suggest", "Few.lean:5", "--tactics", "--json", cwd=library).stdout)
    best = answer["tactics"][0]
    assert (best["status"], best["rests_on_sorry"]) == ("closes", False)
    (library / "Few.lean").write_text(THREE_LEMMAS.replace("sorry", best["edit"]["text"]), encoding="utf-8")
    assert errors(library / "Few.lean") == []
    for name in ("Few.lean", "premise-suggest.toml"):
        (library / name).unlink()


def test_fill_writes_every_proof_that_it_finds(
    cli: Cli, library: Path, errors: Callable[[Path], list[str]]
) -> None:
    folder = library / "Filled"
    folder.mkdir()
    write(folder, Several=SEVERAL, ReadOnly=ONE, Odd=ODD, Lost=ONE.replace("Example.Nat.Basic", "No.Such"))
    (folder / "ReadOnly.lean").chmod(0o444)
    (folder / "Latin.lean").write_bytes(b"-- caf\xe9\n")
    done = cli("fill", "Filled", "--write", "--seconds", "5", cwd=library)
    assert done.returncode == 1
    rows = [line.split(maxsplit=3) for line in done.stdout.splitlines()[1:9]]
    assert [row[:2] for row in rows] == [
        ["Filled/Lost.lean", "4"],
        ["Filled/Odd.lean", "4"],
        ["Filled/Odd.lean", "6"],
        ["Filled/ReadOnly.lean", "4"],
        *(["Filled/Several.lean", line] for line in ("4", "8", "9", "11")),
    ]
    assert "imports of Lost.lean cannot be loaded" in done.stdout
    assert "is read-only" in done.stdout
    assert "Latin.lean is not UTF-8" in done.stderr
    assert "Filled/Odd.lean:4: The goal is false: n = 0 is a counterexample." in done.stdout
    assert "Filled/Odd.lean:6: The goal is data" in done.stdout
    assert (folder / "Odd.lean").read_text(encoding="utf-8") == ODD
    assert "4 of 8 proved" in done.stdout
    assert "4 proofs written to 1 file" in done.stdout
    text = (folder / "Several.lean").read_text(encoding="utf-8")
    assert "sorry" not in text
    assert text.startswith(SEVERAL[: SEVERAL.index("  sorry")])
    assert errors(folder / "Several.lean") == []
    assert (folder / "ReadOnly.lean").read_text(encoding="utf-8") == ONE
    assert (succeed(cli, "fill", "Filled/Several.lean", cwd=library).stdout) == "No sorry.\n"


def test_check_fails_where_a_sorry_can_be_closed_and_writes_nothing(cli: Cli, library: Path) -> None:
    write(library, Checked=SEVERAL, Difficult=HARD)
    done = cli("fill", "Checked.lean", "Difficult.lean", "--check", "--seconds", "2", "--json", cwd=library)
    answer = conforming(json.loads(done.stdout), "FillAnswer")
    assert (done.returncode, answer["proved"], answer["stopped"]) == (1, 4, False)
    assert not any(one["written"] for one in answer["sorries"])
    assert (library / "Checked.lean").read_text(encoding="utf-8") == SEVERAL
    assert cli("fill", "Difficult.lean", "--check", "--seconds", "1", cwd=library).returncode == 0


def test_resume_leaves_out_what_was_tried_as_long_on_the_same_text(cli: Cli, library: Path) -> None:
    write(library, Resumed=HARD + "\n" + ONE.partition("\n")[2])

    def states(*arguments: str) -> list[int]:
        """How many states were expanded for the hard one, and for the other while it has no proof."""
        done = cli("fill", "Resumed.lean", "--json", *arguments, cwd=library)
        return [one["proof"]["states"] for one in json.loads(done.stdout)["sorries"]]

    hard, alone = states("--seconds", "1", "--write")
    assert hard > 0 < alone
    assert not any(states("--seconds", "1", "--resume"))
    more, *_ = states("--seconds", "1.5", "--resume")
    assert more > 0
    with (library / "Resumed.lean").open("a", encoding="utf-8") as stream:
        stream.write("\n-- edited\n")
    edited, *_ = states("--seconds", "1", "--resume")
    assert edited > 0


@contextmanager
def filling(
    arguments: list[str], environment: dict[str, str], folder: Path, until: str
) -> Iterator[subprocess.Popen[str]]:
    """A run of `fill` that has shown some text on its terminal."""
    ours, theirs = terminal_pair()
    command = [str(SCRIPT), "fill", *arguments]
    variables = {**environment, "TERM": "xterm"}
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=variables,
        cwd=folder,
        text=True,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        shown = ""
        while until not in shown:
            shown += os.read(ours, 4096).decode(errors="replace")
        yield process
        os.close(ours)


def test_ctrl_c_keeps_what_was_found_and_a_second_fill_waits_its_turn(
    cli: Cli, library: Path, environment: dict[str, str]
) -> None:
    write(library, Stopped=ONE + "\n" + HARD.partition("\n")[2])
    with filling(["Stopped.lean", "--write", "--seconds", "100"], environment, library, "1 of 2") as process:
        second = cli("fill", "Hard.lean", cwd=library)
        assert (second.returncode, second.stdout) == (2, "")
        assert f"already at work on {library}: process {process.pid}." in second.stderr
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: Lean gets it, too
        printed, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "1 of 2 proved" in printed
    assert "squares      stopped" in printed
    assert "stopped; 0 not tried" in printed
    assert (library / "Stopped.lean").read_text(encoding="utf-8").count("sorry") == 1


def test_a_file_that_changes_meanwhile_is_not_written(library: Path, environment: dict[str, str]) -> None:
    write(library, Changing=ONE)
    with filling(["Changing.lean", "--write"], environment, library, "Changing.lean:4") as process:
        edited = f"-- edited\n{ONE}"
        write(library, Changing=edited)
        printed, _ = process.communicate(timeout=120)
    assert "Changing.lean has changed since it was read." in printed
    assert (library / "Changing.lean").read_text(encoding="utf-8") == edited


@pytest.mark.parametrize(("fail", "code"), [("true", 1), ("false", 0)])
def test_the_action_lists_what_can_be_closed(
    library: Path, environment: dict[str, str], tmp_path: Path, fail: str, code: int
) -> None:
    yaml = pytest.importorskip("yaml")
    action = yaml.safe_load(
        (ROOT / ".github" / "actions" / "fill" / "action.yml").read_text(encoding="utf-8")
    )
    steps = action["runs"]["steps"]
    assert all("uses" in step or (step["run"] and step["shell"] == "bash") for step in steps)
    (last,) = (step for step in steps if step.get("id") == "fill")
    inputs = {name: one["default"] for name, one in action["inputs"].items()}
    inputs |= {"paths": "Listed.lean Difficult.lean", "seconds": "1", "fail": fail, "project": "proofs/"}
    given = {name: _expanded(text, inputs) for name, text in last["env"].items()}
    del given["PREMISE_SUGGEST_INDEX"]
    write(library, Listed=SEVERAL, Difficult=HARD)
    files = {name: tmp_path / name for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", last["run"]],
        cwd=library,
        env={
            **environment,
            "PATH": f"{SCRIPT.parent}:{os.environ['PATH']}",
            "RUNNER_TEMP": str(tmp_path),
            **{name: str(path) for name, path in files.items()},
            **given,
        },
        capture_output=True,
        text=True,
    )
    assert (done.returncode, files["GITHUB_OUTPUT"].read_text()) == (code, "proved=4\n"), done.stderr
    marks = [
        line for line in done.stdout.splitlines() if line.startswith("::warning file=proofs/Listed.lean,")
    ]
    assert (len(marks), marks[0].partition("::This")[0]) == (4, "::warning file=proofs/Listed.lean,line=4")
    heading, _, first, *_, hard = files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8").splitlines()
    assert heading.count("|") == 6
    assert first.startswith("| Listed.lean | 4 | swapped | proved | `")
    assert hard.startswith("| Difficult.lean | 6 | squares | not_proved | ")


def _expanded(text: str, inputs: dict[str, str]) -> str:
    """An expression of GitHub's with its value."""
    return re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda match: inputs[match[1]], text)


def test_the_hook_fails_where_a_sorry_can_be_closed(cli: Cli, library: Path) -> None:
    manifest = pytest.importorskip("pre_commit.clientlib").load_manifest(ROOT / ".pre-commit-hooks.yaml")
    (hook,) = manifest
    command, *arguments = hook["entry"].split()
    write(library, Staged=ONE)
    assert (command, re.search(hook["files"], "Staged.lean") is not None) == ("premise-suggest", True)
    done = cli(*arguments, "Staged.lean", "Example/Nat/Basic.lean", cwd=library)
    assert (done.returncode, "1 of 1 proved" in done.stdout) == (1, True)
    assert cli(*arguments, "Example/Nat/Basic.lean", cwd=library).returncode == 0
