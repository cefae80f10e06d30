"""`python scripts/release.py ADDRESS`: the files for each registry, with the project's public address in them.

ADDRESS is the repository's, `https://github.com/OWNER/NAME`; nothing in the repository names one. `build/release` gets
a copy of the last commit, in which the address is filled in: build and publish there (RELEASING.md). Name,
description, keywords, licence and version are those of pyproject.toml and lsp_server/__init__.py.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
OUT = ROOT / "build" / "release"
REGISTRY_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
_ADDRESS = re.compile(r"https://(?P<host>[a-z0-9-]+(?:\.[a-z0-9-]+)+)/(?P<owner>[\w.-]+)/[\w.-]+")
_LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)(?=[^)\s])")
_SYSTEMS = "x86_64-linux aarch64-linux aarch64-darwin"


@dataclass(frozen=True, slots=True)
class Release:
    """What all manifests say."""

    address: str
    about: dict[str, Any]
    """The table `project` of pyproject.toml."""
    version: str

    @property
    def name(self) -> str:
        return str(self.about["name"])

    @property
    def registry_name(self) -> str:
        """The name in the MCP registry: below the owner at GitHub, else below the host."""
        found = _ADDRESS.fullmatch(self.address)
        assert found is not None
        if found["host"] == "github.com":
            return f"io.github.{found['owner']}/{self.name}"
        return f"{'.'.join(reversed(found['host'].split('.')))}/{self.name}"


def read_release(address: str, root: Path = ROOT) -> Release:
    """The release of the version in a checkout. Raises ValueError: that is not the address of a repository."""
    if not _ADDRESS.fullmatch(address) or address.endswith(".git"):
        raise ValueError(f"{address!r} is not https://HOST/OWNER/NAME, without .git and / at its end.")
    about = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module = (root / "lsp_server" / "__init__.py").read_text(encoding="utf-8")
    version = re.search(r'^__version__ = "(.+)"$', module, re.MULTILINE)
    assert version is not None
    return Release(address, about, version[1])


def server_json(release: Release) -> dict[str, Any]:
    """The MCP registry's: how an agent starts the server."""
    package = {
        "registryType": "pypi",
        "identifier": release.name,
        "version": release.version,
        "runtimeHint": "uvx",
        "runtimeArguments": [
            {"type": "named", "name": "--from", "value": f"{release.name}[mcp]=={release.version}"}
        ],
        "packageArguments": [
            {"type": "positional", "value": "mcp"},
            {
                "type": "named",
                "name": "--project",
                "description": "The folder of a Lean project.",
                "format": "filepath",
                "isRequired": True,
            },
        ],
        "transport": {"type": "stdio"},
    }
    return {
        "$schema": REGISTRY_SCHEMA,
        "name": release.registry_name,
        "title": "Premise Suggest",
        "description": release.about["description"],
        "version": release.version,
        "websiteUrl": release.address,
        "repository": {
            "url": release.address,
            "source": "github" if "//github.com/" in release.address else "git",
        },
        "packages": [package],
    }


def bundle_manifest(release: Release) -> dict[str, Any]:
    """`manifest.json` of the MCP bundle, which has uv fetch the package."""
    start = ["--from", f"{release.name}[mcp]=={release.version}", release.name, "mcp"]
    return {
        "manifest_version": "0.4",
        "name": release.name,
        "display_name": "Premise Suggest",
        "version": release.version,
        "description": release.about["description"],
        "author": {"name": f"The authors of {release.name}", "url": release.address},
        "repository": {"type": "git", "url": f"{release.address}.git"},
        "homepage": release.address,
        "support": f"{release.address}/issues",
        "icon": "icon.png",
        "server": {
            "type": "uv",
            "entry_point": "pyproject.toml",
            "mcp_config": {"command": "uvx", "args": [*start, "--project", "${user_config.project}"]},
        },
        "user_config": {
            "project": {
                "type": "directory",
                "title": "Lean project",
                "description": "The folder that holds its lakefile",
                "required": True,
            }
        },
        "keywords": release.about["keywords"],
        "license": release.about["license"],
        "compatibility": {
            "platforms": ["darwin", "linux"],
            "runtimes": {"python": release.about["requires-python"]},
        },
    }


def formula(release: Release) -> str:
    """The Homebrew formula, for a tap."""
    return f"""class PremiseSuggest < Formula
  desc "{release.about["description"].rstrip(".")}"
  homepage "{release.address}"
  url "{release.address}.git", tag: "v{release.version}"
  license "{release.about["license"]}"

  depends_on "python@3.13"

  def install
    system "python3.13", "-m", "venv", libexec
    system libexec/"bin/pip", "install", "#{{buildpath}}[http,mcp]"
    bin.install_symlink libexec/"bin/{release.name}"
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/{release.name} --version")
  end
end
"""


def flake(release: Release) -> str:
    """The Nix flake: a program that has uv fetch the package, for not all that it needs is in nixpkgs."""
    return f"""{{
  description = "{release.about["description"]}";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  outputs = {{ self, nixpkgs }}: {{
    packages = nixpkgs.lib.genAttrs (nixpkgs.lib.splitString " " "{_SYSTEMS}") (system: {{
      default = nixpkgs.legacyPackages.${{system}}.writeShellApplication {{
        name = "{release.name}";
        runtimeInputs = [ nixpkgs.legacyPackages.${{system}}.uv ];
        text = ''exec uvx --from "{release.name}[http,mcp]=={release.version}" {release.name} "$@"'';
      }};
    }});
  }};
}}
"""


def _pyproject(text: str, release: Release) -> str:
    urls = {"Homepage": "", "Repository": "", "Issues": "/issues", "Changelog": "/blob/main/CHANGELOG.md"}
    table = "".join(f'{name} = "{release.address}{path}"\n' for name, path in urls.items())
    return text.replace("[project.scripts]", f"[project.urls]\n{table}\n[project.scripts]")


def _extension(text: str, release: Release) -> str:
    manifest = json.loads(text)
    manifest |= {
        "repository": {"type": "git", "url": f"{release.address}.git", "directory": "vscode-extension"},
        "bugs": {"url": f"{release.address}/issues"},
        "homepage": f"{release.address}#readme",
    }
    at = f"{release.address}/{{}}/v{release.version}/vscode-extension"
    links = f"--baseContentUrl {at.format('blob')} --baseImagesUrl {at.format('raw')}"
    without = "--allow-missing-repository --no-rewrite-relative-links"
    manifest["scripts"]["package"] = manifest["scripts"]["package"].replace(without, links)
    return f"{json.dumps(manifest, indent=2, ensure_ascii=False)}\n"


def _readme(text: str, release: Release) -> str:
    """PyPI shows it elsewhere, so its links need the address; the MCP registry looks for its own name there."""
    whole = _LINK.sub(f"{release.address}/blob/v{release.version}/", text)
    return f"{whole}\n<!-- mcp-name: {release.registry_name} -->\n"


def _lakefile(text: str, release: Release) -> str:
    return text.replace('license = "', f'homepage = "{release.address}"\nlicense = "', 1)


def _addresses(text: str, release: Release) -> str:
    return text.replace("ADDRESS OF THIS REPOSITORY", release.address).replace(
        "https://ADDRESS", release.address
    )


LEAN = "lean_extract/premise-suggest-lean"
FILLED: dict[str, Callable[[str, Release], str]] = {
    "pyproject.toml": _pyproject,
    "README.md": _readme,
    "vscode-extension/package.json": _extension,
    f"{LEAN}/lakefile.toml": _lakefile,
    f"{LEAN}/README.md": _addresses,
    "docs/install.md": _addresses,
}
"""How the address gets into the files that are in the repository."""


def write(release: Release, out: Path, root: Path = ROOT) -> None:
    """Make the folder anew. Raises CalledProcessError: this is not a git checkout; OSError; ValueError: a file of
    `FILLED` has no place for the address."""
    shutil.rmtree(out, ignore_errors=True)
    done = subprocess.run(["git", "-C", root, "archive", "HEAD"], capture_output=True, check=True)
    with tarfile.open(fileobj=BytesIO(done.stdout)) as archive:
        archive.extractall(out, filter="data")
    for name, fill in FILLED.items():
        before = (out / name).read_text(encoding="utf-8")
        after = fill(before, release)
        if after == before:
            raise ValueError(f"{name} has no place for the address.")
        (out / name).write_text(after, encoding="utf-8")
    bundle = out / "bundle"
    bundle.mkdir()
    shutil.copy(out / "vscode-extension" / "images" / "icon.png", bundle)
    needed = f'[project]\nname = "bundle"\nversion = "{release.version}"\nrequires-python = ">=3.11"\n'
    (bundle / "pyproject.toml").write_text(
        f'{needed}dependencies = ["{release.name}[mcp]=={release.version}"]\n', encoding="utf-8"
    )
    for path, document in ((out / "server.json", server_json), (bundle / "manifest.json", bundle_manifest)):
        path.write_text(f"{json.dumps(document(release), indent=2)}\n", encoding="utf-8")
    (out / f"{release.name}.rb").write_text(formula(release), encoding="utf-8")
    (out / "flake.nix").write_text(flake(release), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("address", metavar="ADDRESS", help="https://HOST/OWNER/NAME of the repository")
    parser.add_argument(
        "--out", type=Path, default=OUT, metavar="FOLDER", help="made anew (default: build/release)"
    )
    options = parser.parse_args()
    try:
        release = read_release(options.address)
        write(release, options.out)
    except (ValueError, OSError, subprocess.CalledProcessError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{options.out}: {release.name} {release.version} of {release.address}, {release.registry_name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
