"""A small project with an index, the real command line, and the real server, each made once a session."""

from __future__ import annotations

import asyncio
import json
import os
import select
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import cattrs
import pytest
import pytest_asyncio
from lsprotocol import types
from pytest_lsp import LanguageClient
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features

from lean_extract.source.reader import read_file
from lean_extract.toolchains.core_sources import find_core
from lean_extract.toolchains.packaged import PackagedLean
from lsp_server.commands.demo import EXAMPLE
from lsp_server.commands.diagnosis import examine
from lsp_server.commands.findings import Finding
from lsp_server.engine.stores import SHIPPED_MODEL
from lsp_server.protocol.structuring import plain_converter
from tests.environments import own_indexes, without_lean
from tests.forked import forked_run, program, run_of
from tests.hostile.raw_client import RawClient
from tests.lean_extract.machines import Machine, give_sources

PROJECT = Path(__file__).parent / "project"
FIXTURE_MODEL = Path(__file__).parents[1] / "retriever" / "fixtures" / "encoder"
Cli = Callable[..., "subprocess.CompletedProcess[str]"]
STATE = "n m : ℕ\n⊢ n + m = m + n\n"


@pytest.fixture(scope="session")
def environment(
    packaged_lean: PackagedLean, example_oleans: Path, tmp_path_factory: pytest.TempPathFactory, forked: None
) -> dict[str, str]:
    """Variables for our processes: the packaged Lean, and caches that the tests may spoil.

    The mini core and the example library are there in compiled form.
    """
    cache = tmp_path_factory.mktemp("cache")
    launcher = Path(packaged_lean.lean_command[0]).parents[1]
    for made in (packaged_lean.core_oleans, launcher, example_oleans):
        shutil.copytree(made, cache / "premise-suggest" / "lean" / made.name)
    model = SHIPPED_MODEL if (SHIPPED_MODEL / "config.json").is_file() else FIXTURE_MODEL
    return {
        **without_lean(os.environ),
        "XDG_CACHE_HOME": str(cache),
        "XDG_CONFIG_HOME": str(cache / "config"),
        "PREMISE_SUGGEST_INDEX": str(own_indexes(cache / "index")),
        "PREMISE_SUGGEST_MODEL": str(model),
        "COLUMNS": "100",
    }


@pytest.fixture(scope="session")
def bare_environment(tmp_path_factory: pytest.TempPathFactory, forked: None) -> dict[str, str]:
    """Variables for a server that need not have a Lean."""
    cache = tmp_path_factory.mktemp("bare")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ELAN", "LEAN"))}
    return {
        **kept,
        "XDG_CACHE_HOME": str(cache),
        "XDG_CONFIG_HOME": f"{cache}/config",
        "PREMISE_SUGGEST_INDEX": str(own_indexes(cache / "index")),
    }


@pytest.fixture(scope="session")
def cli(environment: dict[str, str]) -> Cli:
    """Run `premise-suggest` to its end."""

    def run(
        *arguments: str | Path, stdin: str | bytes = "", cwd: Path | None = None, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        return forked_run(*arguments, environment={**environment, **variables}, stdin=data, folder=cwd)

    return run


def succeed(cli: Cli, *arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command that has to end with code 0."""
    done = cli(*arguments, **options)
    assert done.returncode == 0, done.stderr
    return done


def answered(cli: Cli, *arguments: str | Path, **options: Any) -> Any:
    """What a command prints with `--json`."""
    return json.loads(succeed(cli, *arguments, "--json", **options).stdout)


def write(folder: Path, **files: str) -> None:
    """Write Lean files, each under its name."""
    for name, text in files.items():
        (folder / f"{name}.lean").write_text(text, encoding="utf-8")


def premise_names(answer: Any) -> list[str]:
    """The names of an answer's premises."""
    return [premise["name"] for premise in answer["premises"]]


@pytest.fixture(scope="session")
def core_size() -> tuple[int, int]:
    """(premises, files) of the mini core, which every project's index has beside its own."""
    files = find_core(None, environment={}).files()
    return sum(len(read_file(one.path, one.module).premises) for one in files), len(files)


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory, cli: Cli) -> Path:
    """The test project, indexed; tests do not write to it."""
    return make_project(tmp_path_factory.mktemp("project"), cli)


@pytest.fixture
def own_project(tmp_path: Path, cli: Cli) -> Path:
    """The test project, indexed, for a test that changes it."""
    return make_project(tmp_path / f"own-{tmp_path.name}", cli)


def make_project(folder: Path, cli: Cli) -> Path:
    """A copy of the test project, indexed."""
    shutil.copytree(PROJECT, folder, dirs_exist_ok=True)
    (folder / "lakefile.toml").write_text('name = "Lib"\n\n[[lean_lib]]\nname = "Lib"\n', encoding="utf-8")
    succeed(cli, "index", folder)
    return folder


def indexed_example(folder: Path, cli: Cli, **files: str) -> Path:
    """A copy of the example library with further files, named without `.lean`, and its index."""
    shutil.copytree(EXAMPLE, folder, dirs_exist_ok=True)
    write(folder, **files)
    succeed(cli, "index", folder)
    return folder


class Editor:
    """A client of the real server, with what the tests ask of it."""

    def __init__(self, client: LanguageClient, root: Path) -> None:
        self.client = client
        self.root = root
        self.registered: list[types.Registration] = []
        self.progress: asyncio.Queue[Any] = asyncio.Queue()
        self.result: types.InitializeResult | None = None

    async def indexed(self) -> list[Any]:
        """Wait for the next progress bar to end; what it showed, from begin to end."""
        shown = [await self.progress.get()]
        while shown[-1]["kind"] != "end":
            shown.append(await self.progress.get())
        return shown

    def uri(self, name: str) -> str:
        return (self.root / name).as_uri()

    def text(self, name: str) -> str:
        return (self.root / name).read_text(encoding="utf-8")

    def open(self, name: str, text: str | None = None, language: str = "lean4") -> str:
        """Open a document, with this text or as on disk; returns its URI."""
        uri = self.uri(name)
        content = self.text(name) if text is None else text
        item = types.TextDocumentItem(uri, language, 1, content)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    async def request(self, method: str, params: Any) -> Any:
        return await self.client.protocol.send_request_async(method, params)  # type: ignore[no-untyped-call]

    async def suggest(self, name: str, line: int, character: int, **options: Any) -> Any:
        """The request `premiseSuggest/suggest`."""
        params = {
            "textDocument": {"uri": self.uri(name)},
            "position": {"line": line, "character": character},
            **options,
        }
        return await self.request("premiseSuggest/suggest", params)

    async def suggest_at(self, name: str, text: str | None = None, nth: int = 0, **options: Any) -> Any:
        """The same at the nth `sorry` of a document, whose text is this one or as on disk."""
        place = place_of(self.text(name) if text is None else text, "sorry", nth)
        return await self.suggest(name, place.line, place.character, **options)

    @property
    def pid(self) -> int:
        server = self.client._server
        assert server is not None
        return run_of(server.pid)


def client_converter() -> cattrs.Converter:
    """As the server's; an action with a command is read as an action, which lsprotocol takes for the command."""
    converter = plain_converter()

    def action(value: Any, _: Any) -> types.Command | types.CodeAction:
        is_command = isinstance(value.get("command"), str)
        return converter.structure(value, types.Command if is_command else types.CodeAction)

    converter.register_structure_hook(types.Command | types.CodeAction, action)
    return converter


def place_of(text: str, mark: str, nth: int = 0) -> types.Position:
    """The LSP position of the nth occurrence of a piece of text."""
    offset = -1
    for _ in range(nth + 1):
        offset = text.index(mark, offset + 1)
    line = text.count("\n", 0, offset)
    before = text[text.rfind("\n", 0, offset) + 1 : offset]
    return types.Position(line, len(before.encode("utf-16-le")) // 2)


def capabilities(*, progress: bool = True, configuration: bool = False) -> types.ClientCapabilities:
    """What a usual editor can do."""
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind.Utf16]),
        text_document=types.TextDocumentClientCapabilities(
            hover=types.HoverClientCapabilities(content_format=[types.MarkupKind.Markdown]),
            code_action=types.CodeActionClientCapabilities(
                is_preferred_support=True,
                data_support=True,
                code_action_literal_support=types.ClientCodeActionLiteralOptions(
                    types.ClientCodeActionKindOptions([types.CodeActionKind.QuickFix])
                ),
            ),
            completion=types.CompletionClientCapabilities(
                completion_item=types.ClientCompletionItemOptions(
                    label_details_support=True, documentation_format=[types.MarkupKind.Markdown]
                )
            ),
        ),
        window=types.WindowClientCapabilities(work_done_progress=progress),
        workspace=types.WorkspaceClientCapabilities(
            configuration=configuration,
            did_change_configuration=types.DidChangeConfigurationClientCapabilities(
                dynamic_registration=configuration
            ),
        ),
    )


async def start_editor(
    root: Path,
    environment: dict[str, str],
    *,
    options: Any = None,
    configuration: dict[str, Any] | None = None,
    answers: dict[str, Callable[[Any], Any]] | None = None,
    command: Sequence[str] = (),
) -> Editor:
    """Start the real server for a project and shake hands with it.

    With `configuration` the client holds the settings and is asked for them. `answers` are what the client
    does with further messages of the server. `command` runs `premise-suggest`.
    """
    client = LanguageClient(converter_factory=client_converter, configuration={"": configuration or {}})
    editor = Editor(client, root)
    features = {
        **DEFAULT_CLIENT_FEATURES,
        types.PROGRESS: lambda params: editor.progress.put_nowait(params.value),
        types.CLIENT_REGISTER_CAPABILITY: lambda params: editor.registered.extend(params.registrations),
        **(answers or {}),
    }
    register_lsp_features(client, features)

    await client.start_io(*(command or [program()]), "serve", env=environment)
    editor.result = await client.initialize_session(
        types.InitializeParams(
            capabilities=capabilities(configuration=configuration is not None),
            root_uri=root.as_uri(),
            workspace_folders=[types.WorkspaceFolder(root.as_uri(), root.name)],
            initialization_options=options,
        )
    )
    return editor


async def stop_editor(editor: Editor) -> None:
    """Say goodbye to the server, whatever became of it."""
    await editor.client.shutdown_session()
    await editor.client.stop()  # type: ignore[no-untyped-call]


QUIET = {"index": {"auto": False, "onSave": False}}
"""Settings of a server that leaves the index alone."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def editor(project: Path, environment: dict[str, str]) -> AsyncIterator[Editor]:
    """A server on the shared project, shared by a module's tests."""
    started = await start_editor(project, environment, options=QUIET)
    yield started
    await stop_editor(started)


def descendants(pid: int) -> list[int]:
    """The live processes below one."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found += [int(child), *descendants(int(child))]
    return found


def watch(pids: list[int]) -> Iterator[int]:
    """Handles that become readable when these processes end."""
    for pid in pids:
        yield os.pidfd_open(pid)


def all_end(handles: list[int], seconds: float) -> bool:
    """Whether all the processes behind the handles end within the time."""
    waiting = set(handles)
    while waiting:
        ready, _, _ = select.select(list(waiting), [], [], seconds)
        if not ready:
            return False
        waiting -= set(ready)
    for handle in handles:
        os.close(handle)
    return True


@pytest.fixture(scope="module")
def raw_client(bare_environment: dict[str, str]) -> Iterator[RawClient]:
    """A server that survives its module."""
    client = RawClient(bare_environment)
    client.shake_hands()
    yield client
    client.check_sane()
    client.close()
    client.check_quiet()


@pytest.fixture
def client(environment: dict[str, str]) -> Iterator[RawClient]:
    """A server of one test that drives a Lean."""
    made = RawClient(environment, seconds=60)
    yield made
    made.close()
    made.check_quiet()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def example(
    tmp_path_factory: pytest.TempPathFactory, cli: Cli, environment: dict[str, str]
) -> AsyncIterator[Editor]:
    """A server on the example library."""
    root = indexed_example(tmp_path_factory.mktemp("typed") / "example", cli)
    started = await start_editor(root, environment, options=QUIET)
    yield started
    await stop_editor(started)


@pytest.fixture
def own_client(bare_environment: dict[str, str]) -> Iterator[RawClient]:
    """A server that nobody has spoken to."""
    client = RawClient(bare_environment)
    yield client
    client.close()
    client.check_quiet()


class Home:
    """A machine with elan, and a project of one lemma."""

    def __init__(self, folder: Path, cli: Cli, environment: dict[str, str]) -> None:
        self.machine = Machine(folder)
        self.cli = cli
        self.project = self.machine.project
        (self.project / "lakefile.toml").write_text('name = "mine"\n', encoding="utf-8")
        text = "theorem my_swap (n m : Nat) : n + m = m + n := sorry\n"
        (self.project / "Mine.lean").write_text(text, encoding="utf-8")
        self.elan = self.machine.elan()
        self.variables = {
            "HOME": str(folder / "home"),
            "ELAN_HOME": str(self.elan),
            "PREMISE_SUGGEST_INDEX": str(own_indexes(folder / "index")),
        }
        self.environment = {**environment, **self.variables}

    def install(self, version: str, *, sources: bool = True) -> Path:
        """A toolchain, which the project asks for from now on."""
        prefix = self.elan / "toolchains" / f"leanprover--lean4---v{version}"
        self.machine.lean(prefix / "bin" / "lean", version)
        self.machine.lake(prefix / "bin" / "lake")
        if sources:
            give_sources(prefix, version)
        self.machine.wants(f"leanprover/lean4:v{version}")
        return prefix

    def run(self, *arguments: str | Path, stdin: str = "") -> tuple[str, str]:
        """(output, errors)"""
        done = self.cli(*arguments, stdin=stdin, cwd=self.project, **self.variables)
        assert done.returncode == 0, done.stderr
        return done.stdout, done.stderr

    def doctor(self) -> Finding:
        """What doctor says of the core."""
        findings = examine(self.project, model=self.environment["PREMISE_SUGGEST_MODEL"])
        [found] = (one for one in findings if one.name == "Lean core")
        return found

    def suggest(self, state: str) -> Any:
        """The answer for a proof state."""
        return json.loads(self.run("suggest", "--state", "-", "--json", stdin=state)[0])


@pytest.fixture
def home(tmp_path: Path, cli: Cli, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Home:
    made = Home(tmp_path, cli, environment)
    for name, value in made.variables.items():
        monkeypatch.setenv(name, value)
    return made
