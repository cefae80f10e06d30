"""The settings files `premise-suggest.toml`: their order, what a project's may not do, what is wrong in one."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.engine.settings import Settings
from lsp_server.engine.settings_files import RESTRICTED, SETTINGS_FILE, LayeredSettings, user_settings_file
from tests.hostile.raw_client import RawClient
from tests.lsp_server.conftest import Cli, answered

MANIFEST = Path(__file__).parents[2] / "vscode-extension" / "package.json"


class Layers:
    """The two files, and what is reported."""

    def __init__(self, folder: Path, options: dict[str, Any] | None = None) -> None:
        self.user, self.root = folder / "user.toml", folder / "project"
        self.root.mkdir(exist_ok=True)
        self.project = self.root / SETTINGS_FILE
        self.complaints: list[str] = []
        self.settings = LayeredSettings(options or {}, self.complaints.append, self.user)

    @property
    def now(self) -> Settings:
        return self.settings.at(self.root)


@pytest.fixture
def layers(tmp_path: Path) -> Layers:
    return Layers(tmp_path)


def test_without_files_the_defaults_count(layers: Layers) -> None:
    assert layers.now == Settings() == layers.settings.at(None)
    assert layers.settings.files(layers.root) == []
    assert layers.complaints == []


def test_each_layer_counts_before_those_below_it(tmp_path: Path) -> None:
    layers = Layers(tmp_path, {"hover": {"count": 5 * 9}, "tactics": {"seconds": None}})
    layers.user.write_text(
        "[hover]\ncount = 2\n[premises]\ncount = 2\n[completion]\ncount = 2\n[lean]\nslots = 7"
    )
    layers.project.write_text("hover.count = 3\ncompletion = {count = 3}\npremises.count = 3")
    layers.settings.take_editor({"premiseSuggest": {"hover": {"count": 4}, "completion": {"count": 4}}})
    found = layers.now
    assert (found.lean.slots, found.premises.count, found.completion.count, found.hover.count) == (
        7,
        3,
        4,
        45,
    )
    assert found.tactics == Settings().tactics
    assert layers.settings.at(None).premises.count == 2
    assert layers.complaints == []
    assert layers.settings.files(layers.root) == [layers.user, layers.project]


def test_files_are_read_again_when_they_change(layers: Layers) -> None:
    for count in (2, 30, None, 4):
        if count is None:
            layers.project.unlink()
        else:
            layers.project.write_text(f"[hover]\ncount = {count}\n")
        assert layers.now.hover.count == (count or Settings().hover.count)


PROGRAMS = """modelFolder = "m"
modelDownload = true

[lean]
command = "evil"
replCommand = "evil"
slots = 3

[tactics]
generator = "g"

[models]
allowHosts = ["evil.example"]
keyVariable = "AWS_SECRET_ACCESS_KEY"
prompts = "evil.toml"
"""


def test_a_projects_file_starts_no_program_and_loads_no_model(layers: Layers) -> None:
    layers.project.write_text(PROGRAMS)
    found = layers.now
    assert found.lean.slots == 3
    assert layers.settings.files(layers.root) == [layers.project]
    assert (found.model_folder, found.model_download, found.tactics.generator) == ("", False, "")
    assert (found.lean.command, found.lean.repl_command) == ("", "")
    assert found.models == Settings().models
    assert len(layers.complaints) == len(RESTRICTED)
    wanted = (
        f"{layers.project}, line 5: lean.command is not taken from a project's file, since it starts programs"
    )
    assert layers.complaints[0].startswith(wanted)
    assert str(layers.user) in layers.complaints[0]
    layers.user.write_text(PROGRAMS)
    assert layers.now.lean.command == "evil"
    assert len(layers.complaints) == len(RESTRICTED)


@pytest.mark.parametrize(
    "text",
    [
        'premiseSuggest.lean.command = "evil"',
        '[premiseSuggest.premiseSuggest.lean]\ncommand = "evil"',
        'lean = {"command" = "evil"}',
        '"lean".\'command\' = "evil"',
        '[[lean]]\ncommand = "evil"',
    ],
)
def test_it_is_not_let_in_by_another_spelling(layers: Layers, text: str) -> None:
    layers.project.write_text(text)
    assert layers.now == Settings()
    assert len(layers.complaints) == 1


def test_what_is_restricted_is_what_vscode_restricts() -> None:
    manifest = json.loads(MANIFEST.read_text(encoding="utf-8"))
    restricted = manifest["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
    names = {f"premiseSuggest.{'.'.join(name)}" for name in RESTRICTED}
    assert names | {"premiseSuggest.path"} == set(restricted)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n[hovr]\ncount = 1", "line 2: hovr is not a setting; the names are lean, premises"),
        (
            "[tactics]\n# first\nSeconds = 3",
            "line 3: tactics.Seconds is not a setting; did you mean seconds?",
        ),
        (
            "[hover]\ncount = 0",
            "line 2: hover.count must be a whole number from 1 to 50, not 0; the default, 5,",
        ),
        ("hover = 3", "line 1: hover must be an object, not 3"),
        (
            "[hover]\ncount = 1999-01-01",
            "line 2: hover.count must be a whole number from 1 to 50, not datetime",
        ),
        ("lean.startSeconds = nan", "line 1: lean.startSeconds must be a number from 0.1 to 3600, not nan"),
        ("lean.startSeconds = inf", "line 1: lean.startSeconds must be a number"),
        ('"tactics.seconds" = 3', ": tactics.seconds is not a setting"),
        ("[hover\ncount = 1", "is not used, since it is not TOML: "),
        ("[hover]\ncount = 1\ncount = 1", "is not used, since it is not TOML: "),
        (f"x = {'[' * 30_000}", "is not used, since it is not TOML: "),
        (f"x = {'9' * 5000}", "is not used, since it is not TOML: "),
        (f"hover.count{'.a' * 20_000} = 1", ": hover.count must be"),
        ("x" * 70_000, "is not used: it is larger than 64 KiB."),
    ],
    ids=range(14),
)
def test_what_is_wrong_is_reported_once_with_its_line(layers: Layers, text: str, said: str) -> None:
    layers.user.write_text(text)
    assert layers.now == layers.now == Settings()
    (complaint,) = layers.complaints
    assert complaint.startswith(str(layers.user))
    assert said in complaint
    assert len(complaint) < 1000


def test_what_is_no_file_of_text_is_reported(layers: Layers) -> None:
    layers.user.write_bytes(b"\xff\xfe")
    layers.project.mkdir()
    assert layers.now == Settings()
    assert layers.complaints[0] == f"{layers.user} is not used: it is not UTF-8."
    assert "is not used" in layers.complaints[1]
    os.mkfifo(layers.root.parent / "pipe")
    layers.user.unlink()
    layers.user.symlink_to(layers.root.parent / "pipe")
    assert layers.now == Settings()
    assert "is not used: " in layers.complaints[2]


def test_a_thousand_faults_are_not_all_reported(layers: Layers) -> None:
    layers.user.write_text("\n".join(f"x{number} = 1" for number in range(1000)))
    assert layers.now == Settings()
    assert len(layers.complaints) == 20


PIECES = st.lists(st.sampled_from(["[", "]", "lean", ".", "=", "1", "\n", '"', "{"])).map("".join)


@given(st.text(max_size=60) | PIECES)
def test_any_text_gives_settings(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    layers = Layers(tmp_path_factory.mktemp("any"))
    layers.project.write_bytes(text.encode("utf-8", "replace"))
    assert isinstance(layers.now, Settings)


def config_home(folder: Path, text: str) -> dict[str, str]:
    """Variables with which a file of this text is the user's."""
    (folder / "premise-suggest").mkdir(parents=True, exist_ok=True)
    (folder / "premise-suggest" / SETTINGS_FILE).write_text(text, encoding="utf-8")
    return {"XDG_CONFIG_HOME": str(folder)}


def test_the_users_file_is_in_the_folder_of_configurations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert user_settings_file() == tmp_path / "premise-suggest" / SETTINGS_FILE


def test_the_command_line_uses_both_files_and_its_options_come_first(
    cli: Cli, own_project: Path, tmp_path: Path
) -> None:
    variables = config_home(tmp_path / "config", "[premises]\ncount = 2\nrerank = 0\n\n[hovr]\n")
    asked = ["search", "swap"]
    done = cli(*asked, "--json", cwd=own_project, **variables)
    assert len(json.loads(done.stdout)["premises"]) == 2
    user = f"{tmp_path}/config/premise-suggest/{SETTINGS_FILE}"
    assert done.stderr.count(f"warning: {user}, line 5: hovr is not a setting") == 1
    (own_project / SETTINGS_FILE).write_text('premises.count = 1\nlean.command = "evil"\n', encoding="utf-8")
    done = cli(*asked, "--json", cwd=own_project, **variables)
    assert len(json.loads(done.stdout)["premises"]) == 1
    assert "line 2: lean.command is not taken from a project's file" in done.stderr
    assert len(answered(cli, *asked, "--k", "3", cwd=own_project, **variables)["premises"]) == 3


def test_a_wrong_file_ends_no_command_and_doctor_names_the_files(
    cli: Cli, own_project: Path, tmp_path: Path
) -> None:
    (finding,) = (one for one in _doctor(cli, own_project, tmp_path / "none") if one["name"] == "settings")
    assert finding["status"] == "ok"
    assert finding["message"].startswith("the defaults: no ")
    variables = config_home(tmp_path / "config", "models.device = 'cpu'")
    (own_project / SETTINGS_FILE).write_text("\x1b[31m", encoding="utf-8")
    found = _doctor(cli, own_project, tmp_path / "config")
    assert next(one for one in found if one["name"] == "device")["message"] == "the CPU, as requested"
    (finding,) = (one for one in found if one["name"] == "settings")
    assert finding["status"] == "note"
    user = f"{tmp_path}/config/premise-suggest/{SETTINGS_FILE}"
    assert finding["message"].startswith(f"from {user}, then {own_project / SETTINGS_FILE}.")
    assert "it is not TOML" in finding["message"]
    done = cli("search", "swap", cwd=own_project, **variables)
    assert done.returncode == 0
    assert "\x1b" not in done.stderr


def _doctor(cli: Cli, project: Path, config: Path) -> Any:
    return json.loads(cli("doctor", project, "--json", XDG_CONFIG_HOME=str(config)).stdout)


def test_a_project_is_indexed_with_the_users_model(cli: Cli, own_project: Path, tmp_path: Path) -> None:
    variables = config_home(tmp_path, f"modelFolder = {json.dumps(str(tmp_path / 'none'))}")
    done = cli("index", own_project, **variables)
    assert done.returncode != 0
    assert str(tmp_path / "none") in done.stderr


def test_the_language_server_uses_both_files_below_the_editors_settings(
    environment: dict[str, str], own_project: Path, tmp_path: Path
) -> None:
    variables = config_home(tmp_path, "codeLens.enabled = false\npremises.count = 2\n")
    client = RawClient({**environment, **variables}, seconds=60)
    try:
        client.shake_hands(own_project, {"textDocument": {"codeLens": {}}})
        uri = (own_project / "Work.lean").as_uri()
        client.open(uri, (own_project / "Work.lean").read_text(encoding="utf-8"))
        lenses = {"textDocument": {"uri": uri}}
        search = {**lenses, "query": "swap"}
        assert client.ask("textDocument/codeLens", lenses)["result"] is None
        assert len(client.ask("premiseSuggest/search", search)["result"]["premises"]) == 2
        (own_project / SETTINGS_FILE).write_text("codeLens.enabled = true\nmodelFolder = 'x'\n")
        assert client.ask("textDocument/codeLens", lenses)["result"]
        warned = client.message(lambda one: one.get("method") == "window/showMessage", "a warning")
        assert "line 2: modelFolder is not taken from a project's file" in warned["params"]["message"]
        (own_project / SETTINGS_FILE).write_text("premises.count = 3\n")
        assert len(client.ask("premiseSuggest/search", search)["result"]["premises"]) == 3
        client.notify("workspace/didChangeConfiguration", {"settings": {"codeLens": {"enabled": True}}})
        assert client.ask("textDocument/codeLens", lenses)["result"]
    finally:
        client.close()
    client.check_quiet()


@pytest.mark.parametrize(
    ("command", "code"), [(["mcp"], 0), (["http", "--host", "0.0.0.0"], 2)], ids=lambda one: str(one)
)
def test_the_servers_for_agents_and_over_http_use_both_files(
    cli: Cli, own_project: Path, tmp_path: Path, command: list[str], code: int
) -> None:
    pytest.importorskip("mcp", reason="mcp is not installed (pip install 'premise-suggest[mcp]')")
    variables = config_home(tmp_path, "models.device = 'gpu'\n")
    (own_project / SETTINGS_FILE).write_text("[lean]\ncommand = 'evil'\nslots = 0\n", encoding="utf-8")
    done = cli(*command, "--project", own_project, cwd=tmp_path, **variables)
    assert done.returncode == code
    assert (
        done.stderr.count("line 1: models.device must be one of auto, cpu, cuda, not 'gpu'; the default") == 1
    )
    assert done.stderr.count("line 2: lean.command is not taken from a project's file") == 1
    assert (
        done.stderr.count("line 3: lean.slots must be a whole number from 1 to 64, not 0; the default, 2,")
        == 1
    )
