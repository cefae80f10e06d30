"""The site of the manual: it builds without a warning, holds every page, and asks for nothing from elsewhere."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "build_site.py"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    done = subprocess.run([sys.executable, SCRIPT, out], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return out


def test_every_page_of_the_manual_is_there(site: Path) -> None:
    written = {path.relative_to(ROOT) for path in (ROOT / "docs").rglob("*.md")}
    names = {
        page.with_name("index.html" if page.name == "README.md" else f"{page.stem}.html") for page in written
    }
    assert {name for name in names if not (site / name).is_file()} == set()
    assert (site / "index.html").is_file()


def test_links_between_pages_lead_to_pages(site: Path) -> None:
    for page in site.rglob("*.html"):
        if page.name == "404.html":
            continue
        for target in re.findall(
            r'(?:href|src)="([^"#?:]+)(?:[#?][^"]*)?"', page.read_text(encoding="utf-8")
        ):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    loading = re.compile(
        r'<(?:script|img|iframe)[^>]*src="https?:|<link[^>]*rel="(?:stylesheet|preconnect)"[^>]*href="https?:'
    )
    assert [
        page.name for page in site.rglob("*.html") if loading.search(page.read_text(encoding="utf-8"))
    ] == []


def test_the_search_of_the_site_finds_pages(site: Path) -> None:
    found = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    places = {entry["location"].partition("#")[0] for entry in found["docs"]}
    assert {"docs/pattern-search.html", "docs/install.html", "ARCHITECTURE.html"} <= places


def test_a_broken_link_fails_the_build(tmp_path: Path) -> None:
    code = (
        "import sys, build_site as site\n"
        "def broken(folder, copy=site.copy_to):\n"
        "    copy(folder)\n"
        "    page = folder / 'docs' / 'setup.md'\n"
        "    page.write_text(page.read_text(encoding='utf-8') + '\\n[x](install.md#nowhere)\\n', encoding='utf-8')\n"
        "site.copy_to = broken\n"
        "sys.argv[1:] = [sys.argv[1]]\n"
        "sys.exit(site.main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=SCRIPT.parent,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1
    assert "nowhere" in done.stderr
