"""Where models run: asked on the command line or in the editor's settings, told by `doctor` and by `index`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lean_extract.common.devices import DEVICES, Device
from lean_extract.common.onnx_runtime import driver_problem, fallback_warning, find_cuda
from lsp_server.cli import parser
from lsp_server.commands.common import settings_for
from lsp_server.commands.device_findings import device_finding, onnxruntime_finding
from lsp_server.commands.index import summary
from retriever.search.indexing.report import IndexReport
from tests.lsp_server.conftest import QUIET, Cli, start_editor, stop_editor

ROOT = Path(__file__).parents[2]
BOTH = {"onnxruntime": "1.32.0", "onnxruntime-gpu": "1.31.1"}


@pytest.mark.parametrize("device", DEVICES)
def test_the_option_is_the_setting(device: Device) -> None:
    options = parser().parse_args(["suggest", "--state", "-", "--device", device])
    assert settings_for(options).models.device == device


@pytest.mark.parametrize("device", DEVICES)
def test_doctor_says_where_models_run(device: Device) -> None:
    found = device_finding(device)
    on_gpu = device != "cpu" and find_cuda().is_usable
    assert found.message.startswith("the GPU" if on_gpu else "the CPU")
    if device == "cuda" and not on_gpu:  # with the reason, and what to do
        assert found.status == "note" and found.fix
        assert (driver_problem() or find_cuda().reason) in found.message
    elif device == "cpu" or driver_problem():
        assert (found.status, found.fix) == ("ok", "")


def test_doctor_names_the_commands_that_leave_one_package() -> None:
    found = onnxruntime_finding(BOTH)
    assert found.status == "note"
    assert "onnxruntime 1.32.0 and onnxruntime-gpu 1.31.1 are both installed" in found.message
    kept, removed = ("onnxruntime", "onnxruntime-gpu") if driver_problem() else reversed([*BOTH])
    assert f" uninstall -y {removed} && " in found.fix
    assert found.fix.endswith(f" install --force-reinstall --no-deps {kept}")
    assert onnxruntime_finding({"onnxruntime": "1.32.0"}).status == "ok"


def test_doctor_sees_what_the_removal_of_one_package_leaves(tmp_path: Path) -> None:
    (tmp_path / "onnxruntime").mkdir()
    (tmp_path / "onnxruntime" / "__init__.py").touch()
    program = (
        "from lean_extract.common.errors import ModelError\n"
        "from lsp_server.engine.stores import SHIPPED_MODEL\n"
        "from retriever.models.encoder import Encoder\n"
        "from lsp_server.commands.device_findings import onnxruntime_finding as look\n"
        "found = look({'onnxruntime-gpu': '1.31.1'})\n"
        "print(found.status, found.message, found.fix)\n"
        "try:\n    Encoder.load(SHIPPED_MODEL)\n"
        "except ModelError as error:\n    print(error.message, error.hint)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.startswith("missing onnxruntime-gpu 1.31.1, but some of its files are missing")
    assert "install --force-reinstall --no-deps onnxruntime" in done.stdout
    assert "\nFiles of onnxruntime are missing. Run: premise-suggest doctor" in done.stdout


def test_index_says_how_fast_premises_were_embedded_and_where() -> None:
    report = IndexReport(2, 9, documents_embedded=9, embedding_seconds=0.003, place="cuda", seconds=1.5)
    said = summary(Path("p"), report)
    assert said.endswith("9 premises embedded at 3,000 a second on the GPU, 1.5 s)")
    assert summary(Path("p"), IndexReport(2, 9)).endswith("0 premises embedded, 0.0 s)")


@pytest.mark.lean
def test_who_asks_for_cuda_gets_an_answer_anyway(cli: Cli, own_project: Path) -> None:
    (own_project / "New.lean").write_text("theorem new (n : Nat) : n = n := rfl\n", encoding="utf-8")
    warning = fallback_warning("cuda")
    told = f"warning: {warning}\n" if warning else ""
    done = cli("index", own_project, "--device", "cuda")
    assert (done.returncode, done.stderr) == (0, told)
    assert "1 premise embedded at " in done.stdout
    state = ("suggest", "--state", "-", "--json", "--device")
    goal = "n m : Nat\n⊢ n + m = m + n"
    answers = [cli(*state, one, stdin=goal, cwd=own_project) for one in ("cpu", "cuda")]
    assert [done.stderr for done in answers] == ["", told]
    names = [[one["name"] for one in json.loads(done.stdout)["premises"]] for done in answers]
    assert names[0] and names[0] == names[1]
    found = {one["name"]: one for one in json.loads(cli("doctor", own_project, "--json").stdout)}
    assert found["device"]["message"] == device_finding("auto").message
    assert "onnxruntime" in found["onnxruntime"]["message"]


@pytest.mark.lean
@pytest.mark.parametrize("source", ["editor", "project's file"])
async def test_an_editor_whose_user_or_project_asks_for_cuda_is_told_once(
    own_project: Path, environment: dict[str, str], source: str
) -> None:
    chosen: dict[str, Any] = {"models": {"device": "cuda"}} if source == "editor" else {}
    if not chosen:
        (own_project / "premise-suggest.toml").write_text('models.device = "cuda"\n', encoding="utf-8")
    editor = await start_editor(own_project, environment, options={"premiseSuggest": {**QUIET, **chosen}})
    editor.open("Work.lean")
    for _ in range(2):
        answer = await editor.suggest("Work.lean", 0, 0, goal="n m : Nat\n⊢ n + m = m + n")
        assert answer["premises"]
    said = [message.message for message in editor.client.messages]
    warning = fallback_warning("cuda")
    assert said == ([f"premise-suggest: {warning}"] if warning else [])
    await stop_editor(editor)


def test_agents_of_a_project_that_asks_for_cuda_are_told(cli: Cli, own_project: Path) -> None:
    (own_project / "premise-suggest.toml").write_text('models.device = "cuda"\n', encoding="utf-8")
    done = cli("mcp", "--project", own_project)
    warning = fallback_warning("cuda")
    assert done.stderr.splitlines() == ([f"warning: {warning}"] if warning else [])
