"""The command line: the real `premise-suggest` process on real files with a real Lean."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import termios
import threading
from pathlib import Path

import pytest

import lsp_server
from lsp_server.commands.diagnosis import examine
from lsp_server.engine.project_index import ProjectIndex
from lsp_server.engine.stores import update_project
from retriever.lean.index.bundled import ARCHIVE, CARD, DATA
from tests.lsp_server.conftest import PROJECT, SCRIPT, Cli

pytestmark = pytest.mark.lean

STATE = "n m : ℕ\n⊢ n + m = m + n\n"


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
    done = cli("suggest", "--file", project / "Work.lean", "--line", "6", "--tactics", "--k", "3")
    assert done.returncode == 0, done.stderr
    assert "  p q : Prop\n  h : p ∧ q\n  ⊢ q ∧ p\n" in done.stdout
    first = next(line for line in done.stdout.splitlines() if line.startswith("  1. "))
    assert first.startswith("  1. Lib.and_swap ")
    assert first.endswith("in scope")
    assert "  4. " not in done.stdout
    lines = done.stdout.splitlines()
    accepted = lines[lines.index("Tactics that Lean accepts") + 1 :]
    assert any(line.startswith("  exact Lib.and_swap h ") for line in accepted)
    assert accepted[0].endswith("closes the goal")
    assert all(len(line) <= 100 for line in lines)
    assert "\x1b" not in done.stdout


def test_suggest_json_is_the_documented_object(cli: Cli, project: Path) -> None:
    done = cli("suggest", "--file", project / "Work.lean", "--line", "9", "--column", "4", "--json")
    answer = json.loads(done.stdout)
    assert answer["goal"] == "a b : ℕ\n⊢ a + b = b + a"
    assert answer["premises"][0]["name"] == "Lib.plus_swap"
    assert answer["tactics"] == []
    assert [source["package"] for source in answer["index"]["sources"]]
    assert answer["warnings"] == []


def test_what_is_not_imported_says_what_it_needs(cli: Cli, project: Path) -> None:
    done = cli("suggest", "--file", project / "Narrow.lean", "--line", "6", "--k", "1000", "--json")
    found = {premise["name"]: premise for premise in json.loads(done.stdout)["premises"]}
    needed = found["Lib.plus_swap"]
    assert (needed["in_scope"], needed["import"]) == (False, "import Lib.Numbers")
    assert found["Lib.and_swap"]["in_scope"]
    shown = cli("suggest", "--file", project / "Narrow.lean", "--line", "6").stdout
    assert "needs import Lib.Numbers" in shown


def test_a_state_is_answered_from_the_project_around(cli: Cli, project: Path) -> None:
    done = cli("suggest", "--state", "-", "--json", stdin=STATE, cwd=project)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["premises"][0]["name"] == "Lib.plus_swap"
    assert answer["premises"][0]["in_scope"] is None


def test_a_state_of_200_kilobytes_is_answered(cli: Cli, project: Path, tmp_path: Path) -> None:
    state = tmp_path / "state.txt"
    hypotheses = "".join(f"h{i} : n + {i} = m + {i} ∧ (n = m → m = n)\n" for i in range(4400))
    state.write_text(f"n m : ℕ\n{hypotheses}⊢ n + m = m + n\n", encoding="utf-8")
    assert state.stat().st_size > 200_000
    done = cli("suggest", "--state", state, "--json", cwd=project)
    assert done.returncode == 0, done.stderr
    assert "Lib.plus_swap" in [premise["name"] for premise in json.loads(done.stdout)["premises"]]


def test_a_state_far_from_any_project_is_answered_from_the_bundled_mathlib(cli: Cli, tmp_path: Path) -> None:
    if not (DATA / CARD).is_file() and not os.environ.get("CI"):
        pytest.skip("this checkout has no bundled Mathlib index yet")
    done = cli("suggest", "--state", "-", "--json", "--k", "10", stdin=STATE, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    found = {premise["name"]: premise for premise in answer["premises"]}
    assert {"Nat.add_comm", "add_comm"} & set(found)
    best = next(iter(found.values()))
    assert best["doc_url"].startswith("https://leanprover-community.github.io/mathlib4_docs/")
    assert answer["index"]["sources"][0]["premises"] > 100_000


MISTAKES = [
    (["--file", "Work.lean"], "needs the line"),
    (["--file", "Work.lean", "--line", "99"], "There is no line 99: the file has 19 lines."),
    (["--file", "Work.lean", "--line", "6", "--column", "50"], "There is no column 50 in line 6"),
    (["--file", "Work.lean", "--line", "18"], "no goal"),
    (["--file", "Missing.lean", "--line", "1"], "There is no file Missing.lean"),
    (["--file", "Lib", "--line", "1"], "Lib is not a Lean file"),
    (["--file", "notes.txt", "--line", "1"], "notes.txt is not a Lean file"),
    (["--file", "latin.lean", "--line", "1"], "latin.lean is not UTF-8"),
    (["--state", "-", "--tactics"], "Tactics can only be tried where there is a file"),
    (["--state", "-", "--line", "3"], "--line and --column go with --file"),
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
    assert "usage: premise-suggest" in done.stderr


def test_without_an_index_the_command_that_builds_it_is_named(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "A.lean").write_text("example (p : Prop) (h : p) : p := by\n  sorry\n", encoding="utf-8")
    (tmp_path / "lakefile.toml").write_text('name = "A"\n', encoding="utf-8")
    done = cli("suggest", "--file", tmp_path / "A.lean", "--line", "2")
    assert done.returncode == 1
    assert "There is no premise index" in done.stderr
    assert "premise-suggest index" in done.stderr


def test_a_damaged_or_older_index_is_told_and_mended_by_the_command_it_names(
    cli: Cli, own_project: Path, environment: dict[str, str]
) -> None:
    found = Path(environment["PREMISE_SUGGEST_INDEX"]).glob(f"{own_project.name}-*/manifest.json")
    (manifest,) = found
    for damage in ("{", '{"format": "premise-suggest-index", "version": 0}', ""):
        manifest.write_text(damage, encoding="utf-8")
        done = cli("suggest", "--state", "-", stdin=STATE, cwd=own_project)
        assert done.returncode == 1
        assert done.stderr.startswith("error: ")
        assert "premise-suggest index" in done.stderr.splitlines()[1]
    assert cli("index", own_project).returncode == 0
    assert "Lib.plus_swap" in cli("suggest", "--state", "-", stdin=STATE, cwd=own_project).stdout


def test_index_reads_only_what_changed(cli: Cli, own_project: Path) -> None:
    assert "(0 read, 0 removed" in cli("index", own_project).stdout
    path = own_project / "Lib" / "Basic.lean"
    path.write_text(path.read_text() + "\ntheorem Lib.extra : True := True.intro\n", encoding="utf-8")
    (own_project / "Narrow.lean").unlink()
    assert "(1 read, 1 removed" in cli("index", cwd=own_project).stdout


def test_what_is_stale_is_told(cli: Cli, own_project: Path) -> None:
    path = own_project / "Lib" / "Basic.lean"
    path.write_text(path.read_text() + "\n-- more\n", encoding="utf-8")
    assert "1 file has changed since" in cli("doctor", own_project).stdout


def test_what_is_not_indexed_yet_is_told(cli: Cli, own_project: Path) -> None:
    (own_project / "New.lean").write_text("theorem new : True := True.intro\n", encoding="utf-8")
    (own_project / "latin.lean").write_bytes(b"theorem caf\xe9 : True")  # never can be
    assert "1 file is not in the index yet" in cli("doctor", own_project).stdout
    assert cli("index", own_project).returncode == 0
    assert "up to date" in cli("doctor", own_project).stdout


def test_packages_of_an_interrupted_run_are_not_called_complete(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped in the package: its store is there, in part; the project's own is complete."""
    monkeypatch.setenv("PREMISE_SUGGEST_INDEX", str(tmp_path / "index"))
    model = environment["PREMISE_SUGGEST_MODEL"]
    root = tmp_path / "mine"
    package = root / ".lake" / "packages" / "dep"
    package.mkdir(parents=True)
    entry = {"name": "dep", "type": "git", "rev": "abc"}
    manifest = {"name": "mine", "packagesDir": ".lake/packages", "packages": [entry]}
    (root / "lake-manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    for number in range(600):
        theorem = f"theorem d{number} : True := True.intro\n"
        (package / f"D{number}.lean").write_text(theorem, encoding="utf-8")
    stop = threading.Event()

    def hear(stage: str, done: int, total: int) -> None:
        if stage == "embed":
            stop.set()

    assert update_project(root, model, hear, stop.is_set).stopped
    (found,) = (one for one in examine(root, model=model) if one.name == "index")
    assert found.status == "note"
    assert re.search(r"; [1-9]\d* files are not in the index yet", found.message)
    assert found.fix.startswith("premise-suggest index ")
    assert ProjectIndex(root, model).freshness().stale_files > 0
    for left in (tmp_path / "index").glob("mine-*/manifest.json"):  # an old date, to be seen to change
        old = json.loads(left.read_text(encoding="utf-8"))
        left.write_text(json.dumps({**old, "built_at": "2020-01-01T00:00:00+00:00"}), encoding="utf-8")
    assert not update_project(root, model, lambda *_: None, lambda: False).stopped
    (found,) = (one for one in examine(root, model=model) if one.name == "index")
    assert found.status == "ok", found
    assert found.message.startswith("600 premises of ")
    assert "written 2020" not in found.message


@pytest.mark.parametrize("command", ["index", "doctor"])
def test_what_is_no_folder(cli: Cli, tmp_path: Path, command: str) -> None:
    done = cli(command, tmp_path / "nowhere")
    assert done.returncode == 2
    assert "is not a folder" in done.stderr


def test_a_folder_without_lean_files_is_not_indexed(cli: Cli, tmp_path: Path) -> None:
    empty, index = tmp_path / "empty", tmp_path / "index"
    empty.mkdir()
    done = cli("index", empty, PREMISE_SUGGEST_INDEX=str(index))
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: There is no .lean file under {empty}.\nhint: ")
    assert not index.exists()


def test_the_bundled_mathlib_and_the_core_answer_where_the_index_holds_nothing(
    cli: Cli, environment: dict[str, str], tmp_path: Path, core_size: tuple[int, int]
) -> None:
    (tmp_path / "lakefile.toml").write_text('name = "x"\n', encoding="utf-8")
    text = "-- nothing to offer\nexample (a : Nat) : a = a := by\n  sorry\n"
    (tmp_path / "A.lean").write_text(text, encoding="utf-8")
    premises, files = core_size
    assert f": {premises} premises in {files + 1} files " in cli("index", tmp_path).stdout
    asked = ["suggest", "--json", "--k", "5"]
    answer = json.loads(cli(*asked, "--state", "-", stdin=STATE, cwd=tmp_path).stdout)
    assert answer["premises"]
    answer = json.loads(cli(*asked, "--file", tmp_path / "A.lean", "--line", "3").stdout)
    assert answer["premises"]
    assert "holds no premises of its own, so only Mathlib's names and Lean's core" in answer["warnings"][0]
    assert {one["package"] for one in answer["index"]["sources"]} >= {"mathlib", "mini-core"}
    assert "0 premises of " in cli("doctor", tmp_path).stdout


def test_a_project_on_mathlib_is_answered_before_it_is_indexed(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "lakefile.toml").write_text('name = "x"\n[[require]]\nname = "mathlib"\n', encoding="utf-8")
    (tmp_path / "A.lean").write_text("example (a : Nat) : a = a := by\n  sorry\n", encoding="utf-8")
    done = cli("suggest", "--file", tmp_path / "A.lean", "--line", "2", "--json")
    answer = json.loads(done.stdout)
    assert answer["premises"]
    assert f"premise-suggest index {tmp_path}" in answer["warnings"][0]


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
    done = cli("suggest", "--file", tmp_path / "A.lean", "--line", "4", "--tactics", "--json")
    answer = json.loads(done.stdout)
    assert {premise["statement"] for premise in answer["premises"]} == {""}
    closing = [one["tactic"] for one in answer["tactics"] if one["status"] == "closes"]
    assert "apply add_comm" in closing


def test_a_file_that_lean_rejects_leaves_the_others_their_imports(cli: Cli, own_project: Path) -> None:
    (own_project / "Broken.lean").write_text("theorem broken : True := nonsense\n", encoding="utf-8")
    done = cli("suggest", "--file", own_project / "Work.lean", "--line", "6", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["goal"].endswith("⊢ q ∧ p")
    user = own_project / "User.lean"
    user.write_text("import Broken\n\nexample : True := by\n  sorry\n", encoding="utf-8")
    done = cli("suggest", "--file", user, "--line", "4")
    assert "/Broken.lean:1:26: " in done.stderr
    assert "User.lean imports this file" in done.stderr


def test_the_first_use_of_the_bundled_index_is_told(cli: Cli, tmp_path: Path) -> None:
    variables = {"PREMISE_SUGGEST_INDEX": str(tmp_path / "index")}
    said = [cli("suggest", "--state", "-", stdin=STATE, cwd=tmp_path, **variables).stderr for _ in range(2)]
    assert said == ["Unpacking the bundled Mathlib index (once) ...\n", ""]


def test_failures_are_not_called_accepted(cli: Cli, project: Path) -> None:
    done = cli("suggest", "--file", project / "Work.lean", "--line", "6", "--tactics", "--failures")
    assert any(line.endswith(" fails") for line in done.stdout.splitlines())
    assert "\nTactics tried\n" in done.stdout
    assert "Tactics that Lean accepts" not in done.stdout


def test_doctor_sees_a_cut_off_archive(environment: dict[str, str], tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / CARD).write_bytes((DATA / CARD).read_bytes())
    (data / ARCHIVE).write_bytes((DATA / ARCHIVE).read_bytes()[:-1])
    found = {
        one.name: one for one in examine(tmp_path, model=environment["PREMISE_SUGGEST_MODEL"], data=data)
    }
    bundled = found["bundled Mathlib"]
    assert bundled.status == "missing"
    assert bundled.fix.startswith("install premise-suggest again")
    assert "cut off" in bundled.message


def test_doctor_does_not_blame_the_index_for_a_damaged_model(cli: Cli, project: Path, tmp_path: Path) -> None:
    done = cli("doctor", project, "--json", PREMISE_SUGGEST_MODEL=str(tmp_path))
    assert done.returncode == 1
    found = {finding["name"]: finding for finding in json.loads(done.stdout)}
    assert found["model"]["status"] == "missing"
    assert found["index"]["status"] == "note"
    assert found["index"]["message"].startswith("not checked: the model is damaged")
    assert found["bundled Mathlib"]["status"] == "ok"


def test_a_project_that_does_not_build(cli: Cli, own_project: Path) -> None:
    path = own_project / "Lib" / "Numbers.lean"
    path.write_text(path.read_text() + "\ntheorem broken : 1 = 2 := rfl\n", encoding="utf-8")
    done = cli("suggest", "--file", own_project / "Work.lean", "--line", "6")
    assert done.returncode == 1, done.stdout
    assert re.match(r"error: .*/Lib/Numbers\.lean:\d+:\d+: .* Work\.lean imports this file", done.stderr)


@pytest.mark.parametrize(("command", "code"), [("no-such-program", 2), ('"', 2), ("/bin/false", 1)])
def test_a_lean_that_is_not_there(cli: Cli, project: Path, command: str, code: int) -> None:
    done = cli("suggest", "--file", project / "Work.lean", "--line", "6", "--lean", command)
    assert done.returncode == code
    assert done.stderr.startswith("error: ")
    assert "\nhint: " in done.stderr


def test_doctor_says_what_is_there(cli: Cli, project: Path) -> None:
    done = cli("doctor", project, "--json")
    assert done.returncode == 0, done.stdout
    found = {finding["name"]: finding for finding in json.loads(done.stdout)}
    assert "packaged" in found["lean"]["message"]
    assert found["model"]["status"] == "ok"
    assert found["index"]["status"] == "ok"
    assert "up to date" in found["index"]["message"]
    assert cli("doctor", project).stdout.startswith("ok ")


def test_doctor_looks_at_the_generator(cli: Cli, project: Path, tmp_path: Path) -> None:
    fixture = Path(__file__).parents[1] / "prover" / "generator" / "fixture"
    for folder, status, said in ((fixture, "ok", f"from {fixture}"), (tmp_path, "note", "no generator in")):
        done = cli("doctor", project, "--json", PREMISE_SUGGEST_GENERATOR=str(folder))
        assert done.returncode == 0  # templates go on without one
        found = {finding["name"]: finding for finding in json.loads(done.stdout)}
        assert found["generator"]["status"] == status
        assert said in found["generator"]["message"]


def test_doctor_names_the_command_that_mends(cli: Cli, tmp_path: Path) -> None:
    done = cli("doctor", tmp_path, "--lean", "no-such-program")
    assert done.returncode == 1
    assert "MISSING  lean: " in done.stdout
    assert f"to fix it: premise-suggest index {tmp_path}" in done.stdout


def terminal_pair() -> tuple[int, int]:
    """Both ends of a terminal of 100 columns."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(ours, (40, 100))
    return ours, theirs


def on_terminal(arguments: list[str], environment: dict[str, str]) -> str:
    """What a command prints on a terminal."""
    ours, theirs = terminal_pair()
    with subprocess.Popen(arguments, stdout=theirs, stderr=theirs, stdin=theirs, env=environment) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # Linux: the other side was closed
                break
            if not part:
                break
            shown += part
        process.wait()
    os.close(ours)
    return shown.decode()


def test_colour_and_bars_are_for_terminals(environment: dict[str, str], own_project: Path) -> None:
    asked = [str(SCRIPT), "suggest", "--file", str(own_project / "Work.lean"), "--line", "6"]
    terminal = {**environment, "TERM": "xterm"}
    assert "\x1b[1mLib.and_swap\x1b[0m" in on_terminal(asked, terminal)
    assert "\x1b" not in on_terminal(asked, {**terminal, "NO_COLOR": "1"})
    (own_project / "New.lean").write_text("theorem new : True := True.intro\n", encoding="utf-8")
    assert "Reading and embedding: 100%" in on_terminal([str(SCRIPT), "index", str(own_project)], terminal)


def test_a_full_disk_leaves_the_old_index(cli: Cli, environment: dict[str, str], own_project: Path) -> None:
    """Writing fails as on a full disk (no file may grow past 20 kB); the index before it still answers."""
    theorems = "".join(f"theorem t{i} (n : Nat) : n + {i} = n + {i} := rfl\n" for i in range(200))
    (own_project / "New.lean").write_text(theorems, encoding="utf-8")
    done = subprocess.run(
        ["prlimit", "--fsize=20000", str(SCRIPT), "index", str(own_project)],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert done.returncode == 1, done.stdout
    assert done.stderr.startswith("error: ")
    assert "\nhint: " in done.stderr
    assert "Traceback" not in done.stderr
    assert "Lib.plus_swap" in cli("suggest", "--state", "-", stdin=STATE, cwd=own_project).stdout


def test_the_demo_shows_the_whole_path(cli: Cli) -> None:
    done = cli("demo")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert any(line.startswith("  ⊢ ") for line in lines)
    assert any(line.startswith("  1. ") and line.endswith("in scope") for line in lines)
    accepted = lines[lines.index("Tactics that Lean accepts") + 1]
    assert accepted.endswith("closes the goal")


def test_any_locale_will_do(environment: dict[str, str], project: Path) -> None:
    done = subprocess.run(
        [str(SCRIPT), "suggest", "--state", "-"],
        input=STATE.encode(),
        capture_output=True,
        cwd=project,
        env={**environment, "LC_ALL": "C", "PYTHONIOENCODING": "latin-1"},
    )
    assert done.returncode == 0
    assert "⊢ n + m = m + n" in done.stdout.decode()


def test_an_interrupted_index_goes_on_where_it_was(
    cli: Cli, environment: dict[str, str], tmp_path: Path, core_size: tuple[int, int]
) -> None:
    """SIGINT while reading; the next run ends the work, and everything is there."""
    folder = tmp_path / "many"
    folder.mkdir()
    theorems = "".join(f"theorem t{i} (n : Nat) : n + {i} = n + {i} := rfl\n" for i in range(100))
    for number in range(30):
        (folder / f"M{number}.lean").write_text(f"namespace M{number}\n{theorems}end M{number}\n")
    ours, theirs = terminal_pair()
    with subprocess.Popen(
        [str(SCRIPT), "index", str(folder)],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**environment, "TERM": "xterm"},
    ) as process:
        os.close(theirs)
        shown = ""
        while "embedding:" not in shown:
            shown += os.read(ours, 4096).decode(errors="replace")
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    rest = os.read(ours, 65536).decode(errors="replace")
    os.close(ours)
    assert "Run the same command to go on." in rest
    done = cli("index", folder)
    assert done.returncode == 0
    assert f"{3000 + core_size[0]:,} premises in {30 + core_size[1]} files" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is full")
def test_a_full_disk_is_told_in_a_sentence(tmp_path: Path) -> None:
    environment = {**os.environ, "PREMISE_SUGGEST_INDEX": str(tmp_path)}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [str(SCRIPT), "collections"], stdout=full, stderr=subprocess.PIPE, text=True, env=environment
        )
    assert done.returncode == 1
    assert "error: The output cannot be read or written: No space left on device." in done.stderr
    assert "Traceback" not in done.stderr
