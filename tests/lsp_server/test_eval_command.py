"""`premise-suggest eval` with a real Lean, on small problems of the tests' own."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from prover.generator.files import fingerprint_of
from tests.forked import SCRIPT
from tests.lsp_server.conftest import Cli, answered, succeed

pytestmark = pytest.mark.lean

GENERATOR = Path(__file__).parents[1] / "prover" / "generator" / "fixture"
HEADER = "import Lib.Numbers\n\nopen Lib"
TEMPLATES = ("--tactics-from", "templates")
OWN = """import Lib.Numbers

namespace Own

theorem turned (a b : Nat) : a + b = b + a :=
  Lib.plus_swap a b

/-- Level 2 -/
protected theorem halves (p q : Prop) (h : p ∧ q) : q ∧ p := by
  exact Lib.and_swap h

theorem turned_again (a b c : Nat) : a + b + c = b + a + c := by
  rw [turned a b]

end Own
"""


def line(name: str, statement: str, header: str = HEADER, **more: object) -> str:
    return json.dumps({"name": name, "header": header, "statement": statement, **more}, ensure_ascii=False)


SWAP = line("swap", "theorem swap (n m : Nat) : n + m = m + n", level=2)
SAME = line("same", "theorem same (n : Nat) : n = n", level=1)
BOTH = line("both", "theorem both (p q : Prop) (hp : p) (hq : q) : p ∧ q", level=1)
NEVER = line("never", "theorem never (n m : Nat) : n + m = n", level=3)


def data(folder: Path, *lines: str) -> Path:
    path = folder / "problems.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def benchmark(project: Path, folder: Path, *lines: str) -> list[str | Path]:
    """The arguments that prove these problems, with the results in `run`."""
    found = ["--data", data(folder, *lines), "--project", project, *TEMPLATES, "--out", folder / "run"]
    return ["eval", "minif2f", *found]


def rows(folder: Path) -> dict[str, dict[str, Any]]:
    text = (folder / "results.jsonl").read_text(encoding="utf-8")
    found = [json.loads(one) for one in text.splitlines()]
    assert len({(row["name"], row["pass_number"]) for row in found}) == len(found)
    return {row["name"]: row for row in found}


def test_statements_are_proved_and_counted(cli: Cli, project: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    asked = benchmark(project, tmp_path, SWAP, SAME, BOTH, NEVER)
    done = succeed(cli, *asked, "--nodes", "6", "--workers", "2")
    found = rows(out)
    assert {name: row["status"] for name, row in found.items()} == {
        "swap": "proved",
        "same": "proved",
        "both": "proved",
        "never": found["never"]["status"],
    }
    assert found["never"]["status"] in ("exhausted", "limit")
    assert any("plus_swap" in tactic for tactic in found["swap"]["proof"])
    assert found["swap"]["level"] == "2"
    assert {row["retriever"] for row in found.values()} == {"ours"}
    assert len({row["settings"] for row in found.values()}) == 1
    proof = (out / "proofs" / "swap.lean").read_text(encoding="utf-8")
    assert proof.startswith("import Lib.Numbers\n\nopen Lib\n\ntheorem swap")
    assert not (out / "proofs" / "never.lean").exists()
    assert "75.0" in done.stdout
    again = cli(*asked, "--nodes", "6")
    assert again.returncode == 2
    assert "--resume" in again.stderr
    other = cli(*asked, "--nodes", "7", "--resume")
    assert other.returncode == 2
    assert "nodes was 6 and is now 7" in other.stderr


def test_bad_problems_fail_with_what_lean_says_and_the_rest_goes_on(
    cli: Cli, project: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    asked = benchmark(
        project,
        tmp_path,
        SAME,
        "",
        "{",
        line("same", "theorem same (n : Nat) : n = n + 0"),
        line("syntax", "theorem syntax (n : Nat : n = n"),
        line("unknown_word", "theorem unknown_word (n : Nat) : prime n"),
        line("header", "theorem header : True", "import Lib.Basic\n\nopen Nowhere"),
        line("import", "theorem import_ : True", "import Lib.Nowhere"),
        line("done", "theorem done (n : Nat) : n = n := rfl"),
        line("twice", "theorem twice : True := by trivial\n\ntheorem other : True"),
        BOTH,
    )
    succeed(cli, *asked, "--retriever", "none", "--nodes", "6")
    found = rows(out)
    errors = {name: row["error"] for name, row in found.items() if row["status"] == "failed"}
    assert [name for name, row in found.items() if row["status"] == "proved"] == ["same", "twice", "both"]
    assert "is empty" in errors.pop("line 2")
    assert "is not JSON" in errors.pop("line 3")
    assert "already occurs in line 1" in errors.pop("same (line 4)")
    assert "unexpected token" in errors.pop("syntax")
    assert "prime" in errors.pop("unknown_word")
    assert "unknown namespace" in errors.pop("header")
    assert "Lib.Nowhere" in errors.pop("import")
    assert errors.pop("done").startswith("The statement ends in a proof")
    assert errors == {}


def test_no_mathlib_is_said_at_once(cli: Cli, project: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    path = data(tmp_path, SAME, *(line(f"m{n}", f"theorem m{n} : True", "import Mathlib") for n in range(40)))
    done = cli("eval", "minif2f", "--data", path, "--project", project, *TEMPLATES, "--out", out)
    assert done.returncode == 1
    assert "Lean cannot load it" in done.stderr
    assert "lake exe cache get" in done.stderr
    assert not out.exists()


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory, project: Path) -> Path:
    """The test project with a file of theorems to prove again."""
    folder = tmp_path_factory.mktemp("own")
    for path in project.rglob("*"):
        if path.is_file():
            (folder / path.relative_to(project)).parent.mkdir(parents=True, exist_ok=True)
            (folder / path.relative_to(project)).write_bytes(path.read_bytes())
    (folder / "Own").mkdir()
    (folder / "Own" / "File.lean").write_text(OWN, encoding="utf-8")
    return folder


@pytest.mark.parametrize("retriever", ["none", "bm25", "dense", "ours", "oracle"])
def test_theorems_of_a_project_are_proved_again(cli: Cli, own: Path, tmp_path: Path, retriever: str) -> None:
    out = tmp_path / "run"
    asked = ["eval", "project", "--project", own, "--folder", "Own", *TEMPLATES, "--out", out]
    succeed(cli, *asked, "--retriever", retriever, "--nodes", "2")
    found = rows(out)
    assert list(found) == ["Own.turned", "Own.halves", "Own.turned_again"]
    assert found["Own.halves"]["level"] == "2"
    proved = {name for name, row in found.items() if row["status"] == "proved"}
    proof = " ".join(found["Own.turned"].get("proof", ()))
    if retriever == "none":
        assert "Own.turned" not in proved
    else:
        assert proved >= {"Own.turned", "Own.halves"}
        assert "plus_swap" in proof
    assert "turned" not in proof.replace("Own.turned_again", "turned")  # nor by itself, nor by what follows
    if retriever == "oracle":
        assert "turned" in " ".join(found["Own.turned_again"].get("proof", ()))


def test_theorems_are_chosen_by_name(cli: Cli, own: Path, tmp_path: Path) -> None:
    names = tmp_path / "names.txt"
    names.write_text("Own.halves\nOwn.missing\nOwn.halves\n", encoding="utf-8")
    out = tmp_path / "run"
    asked = ["eval", "project", "--project", own, "--retriever", "bm25", *TEMPLATES, "--nodes", "2"]
    succeed(cli, *asked, "--theorems", names, "--out", out)
    found = rows(out)
    assert list(found) == ["Own.halves", "Own.missing", "Own.halves (line 3)"]
    assert found["Own.halves"]["status"] == "proved"
    assert "no theorem of that name" in found["Own.missing"]["error"]
    dataset = tmp_path / "dataset"
    dataset.mkdir()
    manifest = {"version": 1, "source": "text", "revision": "", "strategy": "rd"}
    (dataset / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    queries = [{"theorem": "Own.turned", "split": "test"}, {"theorem": "Own.halves", "split": "valid"}]
    text = "".join(json.dumps(query) + "\n" for query in (*queries, queries[0]))
    (dataset / "queries.jsonl").write_text(text, encoding="utf-8")
    succeed(cli, *asked, "--dataset", dataset, "--out", tmp_path / "by-dataset")
    assert list(rows(tmp_path / "by-dataset")) == ["Own.turned"]


def test_passes_have_rows_of_their_own(cli: Cli, project: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    asked = [*benchmark(project, tmp_path, SAME, NEVER), "--retriever", "none", "--nodes", "2"]
    assert cli(*asked).returncode == 0
    before = (out / "results.jsonl").read_text(encoding="utf-8")
    succeed(cli, *asked, "--passes", "3", "--resume")
    after = (out / "results.jsonl").read_text(encoding="utf-8")
    assert after.startswith(before)
    numbers = [(row["name"], row["pass_number"]) for row in map(json.loads, after.splitlines())]
    assert numbers == [(name, number) for number in (1, 2, 3) for name in ("same", "never")]
    told = answered(cli, "eval", "report", out)[0]["figures"]
    assert told["pass_1"]["percent"]["mean"] == told["pass_n"]["percent"]["mean"] == 50.0


@contextmanager
def on_terminal(environment: dict[str, str], *arguments: str | Path) -> Iterator[tuple[Any, int]]:
    """The command with a terminal for its progress bar: the process, and our end of the terminal."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(ours, (40, 100))
    command = [str(SCRIPT), *map(str, arguments)]
    terminal = {**environment, "TERM": "xterm"}
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs, env=terminal
    )
    os.close(theirs)
    try:
        yield process, ours
    finally:
        process.kill()
        process.communicate()
        os.close(ours)


def read_until(terminal: int, mark: str) -> str:
    shown = ""
    while mark not in shown:
        shown += os.read(terminal, 4096).decode(errors="replace")
    return shown


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_run_that_ends_early_goes_on_and_loses_nothing(
    cli: Cli, environment: dict[str, str], project: Path, tmp_path: Path, number: signal.Signals
) -> None:
    out = tmp_path / "run"
    problems = (SAME, BOTH, NEVER, SWAP, NEVER.replace("never", "never_either"))
    asked = [*benchmark(project, tmp_path, *problems), "--nodes", "8", "--seconds", "20"]
    with on_terminal(environment, *asked) as (process, terminal):
        read_until(terminal, "2/5")
        process.send_signal(number)
        code = process.wait(60)
        assert code == (-9 if number == signal.SIGKILL else 130)
        if code == 130:
            assert "Add --resume to continue." in read_until(terminal, "continue.")
    before = (out / "results.jsonl").read_bytes()
    with (out / "results.jsonl").open("ab") as stream:
        stream.write(b'{"name": "never", "pass_nu')  # as a machine leaves it that loses its power
    succeed(cli, *asked, "--resume")
    after = (out / "results.jsonl").read_bytes()
    assert before.count(b"\n") >= 2
    assert after.startswith(before)
    assert set(rows(out)) == {"same", "both", "never", "swap", "never_either"}
    assert rows(out)["swap"]["status"] == "proved"
    assert cli(*asked, "--resume").returncode == 0
    assert (out / "results.jsonl").read_bytes() == after


def test_two_evaluations_do_not_share_a_folder(
    cli: Cli, environment: dict[str, str], project: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    asked = [*benchmark(project, tmp_path, SAME, NEVER), "--retriever", "none", "--nodes", "3"]
    with on_terminal(environment, *asked) as (process, terminal):
        read_until(terminal, "0/2")
        process.send_signal(signal.SIGSTOP)  # it holds the folder, and does not come to its end meanwhile
        done = cli(*asked, "--resume")
        assert done.returncode == 2
        assert f"Another evaluation is writing to {out}: process {process.pid} on " in done.stderr
        process.send_signal(signal.SIGCONT)
        assert process.wait(60) == 0
    assert list(rows(out)) == ["same", "never"]


def test_reports_put_runs_side_by_side(cli: Cli, own: Path, tmp_path: Path) -> None:
    asked = ["eval", "project", "--project", own, "--folder", "Own", *TEMPLATES, "--nodes", "2"]
    for retriever in ("none", "oracle"):
        succeed(cli, *asked, "--retriever", retriever, "--out", tmp_path / retriever)
    picture = tmp_path / "picture.svg"
    done = succeed(cli, "eval", "report", tmp_path / "none", tmp_path / "oracle", "--svg", picture)
    head, none, oracle = done.stdout.splitlines()
    assert "pass@1" in head
    assert "level 2" in head
    assert none.startswith("none, templates")
    assert oracle.startswith("oracle, templates")
    page = cli("eval", "report", tmp_path / "oracle", "--markdown").stdout
    assert page.startswith("| retriever, tactics | problems |")
    assert "oracle, templates" in picture.read_text(encoding="utf-8")
    done = cli("eval", "report", tmp_path / "nowhere")
    assert done.returncode == 1
    assert "is not the folder of an evaluation" in done.stderr


def test_a_run_in_the_project_s_own_folder_goes_on(cli: Cli, own_project: Path) -> None:
    (own_project / "Own.lean").write_text(OWN, encoding="utf-8")
    names = own_project / "names.txt"
    names.write_text("Own.halves\nOwn.turned\n", encoding="utf-8")
    asked = ["eval", "project", "--project", ".", "--theorems", names, *TEMPLATES, "--nodes", "2"]
    succeed(cli, *asked, "--limit", "1", cwd=own_project)
    out = own_project / "evaluations" / "names-ours-templates"
    assert (out / "proofs" / "Own.halves.lean").is_file()
    succeed(cli, *asked, "--limit", "2", "--resume", cwd=own_project)
    assert list(rows(out)) == ["Own.halves", "Own.turned"]


def test_each_proof_is_kept_in_a_file_of_its_own(cli: Cli, project: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    names = ["x'", "x_", "X_", "α", "β", "a/b", "a_b", "n" * 300, "x.pass2", "x"]
    problems = (line(name, f"theorem t{n} (n : Nat) : n = n") for n, name in enumerate(names))
    asked = benchmark(project, tmp_path, *problems)
    succeed(cli, *asked, "--retriever", "none", "--nodes", "2", "--workers", "2")
    assert {row["status"] for row in rows(out).values()} == {"proved"}
    texts = [path.read_text(encoding="utf-8") for path in (out / "proofs").iterdir()]
    assert len(texts) == len(names)
    assert all(sum(f"theorem t{number} " in text for text in texts) == 1 for number in range(len(names)))


def test_a_proof_that_cannot_be_written_ends_the_run_in_words(
    cli: Cli, project: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    asked = [*benchmark(project, tmp_path, NEVER, SAME), "--retriever", "none", "--nodes", "2"]
    assert cli(*asked, "--limit", "1").returncode == 0
    (out / "proofs").write_text("", encoding="utf-8")
    done = cli(*asked, "--resume")
    assert done.returncode == 1
    assert "The proof of same could not be written" in done.stderr
    assert "--resume" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(rows(out)) == ["never"]
    (out / "proofs").unlink()
    assert cli(*asked, "--resume").returncode == 0
    assert rows(out)["same"]["status"] == "proved"


def test_no_project_at_all_is_said(cli: Cli, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    asked = benchmark(empty, tmp_path, line("same", "theorem same (n : Nat) : n = n", ""))
    done = succeed(cli, *asked, "--retriever", "none", "--nodes", "2")
    assert f"note: {empty} is not a Lean project" in done.stderr
    assert rows(tmp_path / "run")["same"]["status"] == "proved"


def test_what_cannot_be_asked(cli: Cli, project: Path, tmp_path: Path) -> None:
    path = data(tmp_path, SAME)
    asked = ["eval", "minif2f", "--data", path, "--project", project, "--out", tmp_path / "run"]
    for more, code, said in [
        (["--retriever", "oracle", *TEMPLATES], 2, "no proofs"),
        (["--tactics-from", "generator", "--generator", tmp_path], 1, "no generator"),
        ([*TEMPLATES, "--generator", tmp_path], 2, "--generator has no effect on templates"),
        ([*TEMPLATES, "--seconds", "0"], 2, "not a number above 0"),
        ([*TEMPLATES, "--lean", "no-such-program"], 2, "there is no such program"),
    ]:
        done = cli(*asked, *more)
        assert done.returncode == code, done.stderr
        assert said in done.stderr
        assert "Traceback" not in done.stderr
    done = cli("eval", "minif2f", "--data", tmp_path / "none.jsonl", "--project", project, *TEMPLATES)
    assert done.returncode == 2
    assert "cannot be read" in done.stderr
    for more, said in [
        (["--folder", "Nowhere"], "is not a folder"),
        (["--folder", "../"], "is not a folder of the project"),
        (["--folder", tmp_path], "is not a folder of the project"),
        (["--split", "valid"], "--dataset"),
    ]:
        done = cli("eval", "project", "--project", project, *more, *TEMPLATES)
        assert done.returncode == 2
        assert said in done.stderr
    assert not (tmp_path / "run").exists()


def test_a_generator_s_tactics_are_searched_with(cli: Cli, project: Path, tmp_path: Path) -> None:
    """A tiny generator that knows a few goals by heart; its fingerprint stands in every row."""
    path = data(tmp_path, SAME, NEVER)
    asked = ["eval", "minif2f", "--data", path, "--project", project, "--retriever", "none", "--nodes", "1"]
    asked += ["--generator", GENERATOR, "--generated", "4"]
    tried = {}
    for source in ("generator", "both"):
        succeed(cli, *asked, "--tactics-from", source, "--out", tmp_path / source)
        found = rows(tmp_path / source)
        assert {row["tactics_from"] for row in found.values()} == {source}
        assert {row["generator"] for row in found.values()} == {fingerprint_of(GENERATOR)}
        tried[source] = found["never"]["tactics"]
    assert 1 <= tried["generator"] <= 4 < tried["both"]
    assert rows(tmp_path / "both")["same"]["status"] == "proved"


def test_a_full_disk_loses_no_row(
    cli: Cli, environment: dict[str, str], project: Path, tmp_path: Path
) -> None:
    """No file may grow past 1,000 bytes, which hold some of the rows; with room the rest is done."""
    out = tmp_path / "run"
    names = [f"same{number}" for number in range(6)]
    problems = (line(name, f"theorem {name} (n : Nat) : n = n") for name in names)
    asked = [*benchmark(project, tmp_path, *problems), "--retriever", "none"]
    command = ["prlimit", "--fsize=1000", str(SCRIPT), *map(str, asked)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 1, done.stdout
    assert "could not be written" in done.stderr
    assert "--resume" in done.stderr
    assert "Traceback" not in done.stderr
    before = (out / "results.jsonl").read_text(encoding="utf-8")
    assert before.endswith("}\n")
    assert 1 <= len(rows(out)) < len(names)
    assert cli(*asked, "--resume").returncode == 0
    assert (out / "results.jsonl").read_text(encoding="utf-8").startswith(before)
    assert list(rows(out)) == names
