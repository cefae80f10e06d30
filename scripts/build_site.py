"""Builds the site of the manual from the repository's own pages, as `make site` does.

    python scripts/build_site.py [OUT]

The pages and what they link to are copied, as they lie in the repository, to a folder of their own, and MkDocs makes
HTML of them (docs/mkdocs.yml). Links to folders and to what is no file of ours become plain text. Any warning of
MkDocs is an error: a link or a heading that is not there, a page that the navigation lacks.
"""

from __future__ import annotations

import argparse
import logging
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

ROOT = Path(__file__).resolve().parents[1]
CONFIG = ROOT / "docs" / "mkdocs.yml"
_FIRST = ("README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "vscode-extension/README.md")
_MORE = ("lsp_server/http/static/icon.svg",)
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
_FENCE = re.compile(r"(^```.*?(?:^```$|\Z))", re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    """The pages that a reader may want, relative to the repository, and all pages that they link to."""
    found = dict.fromkeys(
        [*map(Path, _FIRST), *(p.relative_to(ROOT) for p in sorted(CONFIG.parent.rglob("*.md")))]
    )
    waiting = list(found)
    while waiting:
        page = waiting.pop()
        for target in linked(page):
            if target.suffix == ".md" and target not in found:
                found[target] = None
                waiting.append(target)
    return list(found)


def linked(page: Path) -> Iterator[Path]:
    """The files of the repository that a page links to."""
    for part in _FENCE.split((ROOT / page).read_text(encoding="utf-8"))[::2]:
        for _, _, target in _LINK.findall(part):
            if (file := _file(page, target)) is not None:
                yield file


def copy_to(folder: Path) -> None:
    """Copy the pages, with all that they link to."""
    for page in pages():
        parts = _FENCE.split((ROOT / page).read_text(encoding="utf-8"))
        parts[::2] = [_LINK.sub(lambda found: _kept(page, found), part) for part in parts[::2]]  # noqa: B023
        _place(folder / page).write_text("".join(parts), encoding="utf-8")
        for file in linked(page):
            if file.suffix != ".md":
                shutil.copy(ROOT / file, _place(folder / file))
    for name in _MORE:
        shutil.copy(ROOT / name, _place(folder / name))


def _kept(page: Path, found: re.Match[str]) -> str:
    """A link as it is, or its text where it leads to a folder or out of the repository."""
    target = found[3]
    is_elsewhere = re.match(r"[a-z]+:|#", target)
    return found[0] if is_elsewhere or _file(page, target) is not None else found[2]


def _file(page: Path, target: str) -> Path | None:
    if re.match(r"[a-z]+:|#", target):
        return None
    path = (ROOT / page.parent / target.partition("#")[0]).resolve()
    return path.relative_to(ROOT) if path.is_file() and path.is_relative_to(ROOT) else None


def _place(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("out", type=Path, nargs="?", default=ROOT / "build" / "site")
    options = parser.parse_args()
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
    with tempfile.TemporaryDirectory() as folder:
        copy_to(Path(folder))
        config = load_config(str(CONFIG), docs_dir=folder, site_dir=str(options.out.resolve()), strict=True)
        try:
            build(config)
        except Abort as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
    print(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
