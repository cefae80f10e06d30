"""What registries get: each manifest is accepted by the tool of its registry, and all say the same."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import jsonschema
import pytest

from lsp_server import __version__
from scripts.release import FILLED, LEAN, read_release
from tests.packaging.conftest import ROOT, wheel_in

ADDRESS = os.environ.get("RELEASE") or "https://github.com/someone/premise-suggest"
TOOLS = ROOT / "vscode-extension" / "node_modules"
needs_npm = pytest.mark.skipif(
    not (TOOLS / ".bin" / "mcpb").exists(),
    reason="npm has not installed vscode-extension's tools (make vsix)",
)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("release") / "out"
    done = script(ADDRESS, "--out", str(out))
    assert done.returncode == 0, done.stderr
    return out


def script(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "scripts/release.py", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def read(path: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)


def test_the_mcp_registry_accepts_its_file(release: Path) -> None:
    """By the registry's own schema, as the linter `skillsaw` has it, of the year that the file names."""
    skillsaw = pytest.importorskip("skillsaw", reason="skillsaw is not installed")
    found = read(release / "server.json")
    year = re.search(r"/schemas/(\d{4}-\d\d-\d\d)/", found["$schema"])
    assert year is not None
    known = Path(skillsaw.__file__).parent / "schemas" / "mcp_registry"
    schema = read(known / f"v{year[1].replace('-', '_')}" / "server.schema.json")
    assert schema["$id"] == found["$schema"]
    check = jsonschema.Draft7Validator(schema, format_checker=jsonschema.FormatChecker())
    assert [error.message for error in check.iter_errors(found)] == []
    assert [*check.iter_errors({**found, "name": "no namespace"})]
    assert f"<!-- mcp-name: {found['name']} -->" in (release / "README.md").read_text(encoding="utf-8")


@needs_npm
def test_the_bundle_is_accepted_by_its_tool(release: Path, tmp_path: Path) -> None:
    for words in (["validate", "bundle/manifest.json"], ["pack", "bundle", str(tmp_path / "x.mcpb")]):
        done = subprocess.run(
            [TOOLS / ".bin" / "mcpb", *words], cwd=release, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


@needs_npm
def test_the_extension_is_packaged_without_a_warning_and_its_pictures_are_found(release: Path) -> None:
    """Open VSX takes the same file."""
    folder = release / "vscode-extension"
    (folder / "node_modules").symlink_to(TOOLS)
    done = subprocess.run(["npm", "run", "package"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "WARNING" not in done.stdout + done.stderr, done.stdout + done.stderr
    with zipfile.ZipFile(folder / "dist" / "premise-suggest.vsix") as package:
        readme = package.read("extension/readme.md").decode()
    pictures = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", readme)
    at = f"{ADDRESS}/raw/v{__version__}/"
    assert len(pictures) >= 3 and all((ROOT / one.removeprefix(at)).is_file() for one in pictures)


def test_pypi_accepts_what_is_built(built: Path) -> None:
    pytest.importorskip("twine", reason="twine is not installed")
    command = [
        sys.executable,
        "-m",
        "twine",
        "check",
        "--strict",
        str(wheel_in(built)),
        *map(str, built.glob("*.gz")),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.count("PASSED") == 2, done.stdout


def test_the_pre_commit_hook_is_accepted_by_its_tool() -> None:
    pytest.importorskip("pre_commit", reason="pre-commit is not installed")
    command = [sys.executable, "-m", "pre_commit", "validate-manifest", ".pre-commit-hooks.yaml"]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0


@pytest.mark.skipif(shutil.which("ruby") is None, reason="there is no Ruby")
def test_the_formula_is_ruby(release: Path) -> None:
    assert subprocess.run(["ruby", "-c", release / "premise-suggest.rb"], check=False).returncode == 0


def test_all_say_the_same(release: Path) -> None:
    project = read(release / "pyproject.toml")["project"]
    manifests = [read(release / name) for name in ("server.json", "bundle/manifest.json")]
    assert {one["description"] for one in manifests} == {project["description"]}
    extension, lake = (
        read(release / "vscode-extension" / "package.json"),
        read(release / LEAN / "lakefile.toml"),
    )
    assert {one["version"] for one in (*manifests, extension, lake)} == {__version__}
    assert {one["license"] for one in (manifests[1], extension, lake)} == {project["license"]}
    assert manifests[1]["keywords"] == project["keywords"]
    for text in ("premise-suggest.rb", "flake.nix"):
        content = (release / text).read_text(encoding="utf-8")
        assert __version__ in content and project["description"].rstrip(".") in content
    assert {url.removeprefix(ADDRESS)[:1] for url in project["urls"].values()} <= {"", "/"}
    assert extension["repository"]["url"] == f"{ADDRESS}.git" and extension["bugs"] and extension["homepage"]


def test_the_readme_has_no_link_that_fails_elsewhere(release: Path) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", (release / "README.md").read_text(encoding="utf-8"))
    at = f"{ADDRESS}/blob/v{__version__}/"
    assert links and all(link.startswith(("https://", "#")) for link in links)
    assert all(
        (ROOT / link.removeprefix(at).partition("#")[0]).exists() for link in links if link.startswith(at)
    )


def test_the_repository_itself_names_no_address() -> None:
    for name in FILLED:
        assert ADDRESS not in (ROOT / name).read_text(encoding="utf-8")
    assert "urls" not in read(ROOT / "pyproject.toml")["project"]


@pytest.mark.parametrize(
    "address", ["", "premise-suggest", "http://github.com/a/b", "https://github.com/a", "https://github.com/a/b.git",
                "https://github.com/a/b/", "https://x:secret@github.com/a/b", 'https://github.com/a/b"\n'],
)  # fmt: skip
def test_what_is_no_address_is_refused(address: str, tmp_path: Path) -> None:
    done = script(address, "--out", str(tmp_path / "out"))
    assert done.returncode == 2 and "is not https://HOST/OWNER/NAME" in done.stderr
    assert not (tmp_path / "out").exists()


def test_elsewhere_than_at_github_the_registry_name_is_the_hosts() -> None:
    assert read_release("https://git.example.org/a/b").registry_name == "org.example.git/premise-suggest"


def test_the_links_that_install_start_the_documented_command() -> None:
    text = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
    [code] = re.findall(r"\(vscode:mcp/install\?([^)]+)\)", text)
    [cursor] = re.findall(r"\((cursor:[^)]+)\)", text)
    config = json.loads(base64.b64decode(parse_qs(urlsplit(cursor).query)["config"][0], validate=True))
    found = json.loads(unquote(code))
    assert (found["command"], found["args"]) == (config["command"], config["args"])
    assert [config["command"], *config["args"]] == [
        "premise-suggest",
        "mcp",
        "--project",
        "${workspaceFolder}",
    ]


def test_the_page_for_who_publishes_names_every_file(release: Path) -> None:
    page = (ROOT / "RELEASING.md").read_text(encoding="utf-8")
    for name in ("server.json", "flake.nix", "premise-suggest.rb", "pack bundle"):
        assert name in page and (release / name.removeprefix("pack ")).exists()
