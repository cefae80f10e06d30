"""What stands in docs/editors can be used as it stands there, and says what the code says."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from lsp_server.engine.settings import SECTION, Settings, camel, parse
from tests.editors.pages import DOCS, PAGES, Block, block, blocks

ALL = [one for page in PAGES for one in blocks(page)]


def of(language: str) -> list[Block]:
    return [one for one in ALL if one.language == language]


def name_of(one: Block) -> str:
    return f"{one.page}: {one.heading}"


def test_every_block_has_a_language_that_is_checked() -> None:
    assert {one.language for one in ALL} == {"lua", "elisp", "json", "toml"}


@pytest.mark.parametrize("one", of("lua"), ids=name_of)
def test_lua_parses(one: Block, nvim: str, tmp_path: Path) -> None:
    assert complaint(nvim, one.text, tmp_path) == ""


@pytest.mark.parametrize("path", sorted(DOCS.glob("*.lua")), ids=lambda path: path.name)
def test_a_module_parses_and_what_does_not_is_noticed(path: Path, nvim: str, tmp_path: Path) -> None:
    module = path.read_text(encoding="utf-8")
    assert complaint(nvim, module, tmp_path) == ""
    assert "expected" in complaint(nvim, module + "\nif", tmp_path)


def complaint(nvim: str, code: str, folder: Path) -> str:
    """What Neovim says of Lua that does not parse."""
    (folder / "code.lua").write_text(code, encoding="utf-8")
    load = f"lua local _, failure = loadfile('{folder}/code.lua'); io.stdout:write(failure or '')"
    command = [nvim, "--headless", "-u", "NONE", "-c", load, "-c", "qa!"]
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout


@pytest.mark.parametrize("one", of("elisp"), ids=name_of)
def test_elisp_parses(one: Block) -> None:
    emacs = shutil.which("emacs")
    if emacs is None:
        pytest.skip("there is no Emacs here (apt-get install emacs-nox)")
    read = '(with-temp-buffer (insert-file-contents "/dev/stdin") (check-parens) (read (current-buffer)))'
    done = subprocess.run([emacs, "--batch", "-Q", "--eval", read], input=one.text, text=True, timeout=30)
    assert done.returncode == 0


def test_helix_is_told_of_both_servers() -> None:
    configuration = tomllib.loads(block("helix.md", "Set-up"))
    (language,) = configuration["language"]
    assert language == {"name": "lean", "language-servers": ["lean", "premise-suggest"]}
    server = configuration["language-server"]["premise-suggest"]
    assert [server["command"], *server["args"]] == ["premise-suggest", "serve"]


def settings_shown() -> Iterator[tuple[str, Any]]:
    helix = tomllib.loads(block("helix.md", "Settings"))
    yield "helix.md", helix["language-server"]["premise-suggest"]["config"]
    zed = json.loads(block("zed.md", "Set-up"))
    yield "zed.md", zed["lsp"]["lean4-lsp"]["initialization_options"]


@pytest.mark.parametrize(("page", "values"), [*settings_shown()], ids=lambda value: str(value)[:8])
def test_the_settings_shown_are_taken(page: str, values: Any) -> None:
    assert set(values) == {SECTION}
    settings, complaints = parse(values)
    assert complaints == []
    assert settings.premises.count == 24
    assert settings.tactics.extra == ("ring", "omega")


def defaults(settings: Any, path: str = "") -> Iterator[tuple[str, str, str]]:
    """Every setting's name, default and description."""
    for item in fields(settings):
        value, name = getattr(settings, item.name), path + camel(item.name)
        if hasattr(value, "__dataclass_fields__"):
            yield from defaults(value, f"{name}.")
        else:
            yield name, json.dumps(value), item.metadata["doc"]


def test_the_table_of_settings_is_the_code_s() -> None:
    text = (DOCS / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\S+)` \| `(.*?)` \| (.*) \|$", text, re.MULTILINE)
    assert rows == list(defaults(Settings()))
