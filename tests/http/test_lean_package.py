"""The request of the Lake package premise-suggest-lean, as its source writes it, to a real server.

The package cannot be compiled here: the packaged Lean has no library.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

from tests.http.conftest import ADD_COMM, Served, curl

PACKAGE = Path(__file__).parents[2] / "lean_extract" / "premise-suggest-lean"
SELECTOR = (PACKAGE / "PremiseSuggest" / "Selector.lean").read_text(encoding="utf-8")


def test_its_request_is_answered_with_names_and_the_caller_counts(server: Served) -> None:
    spawned = re.search(r"args := #\[(.*?)\]\n", SELECTOR, re.DOTALL)
    assert spawned is not None
    path = re.search(r'premiseSuggest\.url\.get .* \+\+ "([^"]+)"', spawned[1])
    assert path is not None
    arguments = re.findall(r'"([^"]*)"', spawned[1][: path.start()])
    fields = {"state": ADD_COMM, "caller": "simp", "k": 64}
    assert re.findall(r'\("(\w+)", toJson \w+\)', SELECTOR) == list(fields)
    found = curl(*arguments, server.url + path[1], stdin=json.dumps(fields))
    assert len(found) == 64
    plain = curl(*arguments, server.url + path[1], stdin=json.dumps({**fields, "caller": ""}))
    assert plain[0]["name"] == "Nat.add_comm" and found != plain


def test_lake_finds_what_it_builds() -> None:
    lakefile = tomllib.loads((PACKAGE / "lakefile.toml").read_text(encoding="utf-8"))
    roots = [library["name"] for library in lakefile["lean_lib"]]
    assert lakefile["defaultTargets"] == roots
    for root in roots:
        text = (PACKAGE / f"{root}.lean").read_text(encoding="utf-8")
        imported = re.findall(rf"^public.* import ({root}\S*)$", text, re.MULTILINE)
        assert imported and all((PACKAGE / f"{one.replace('.', '/')}.lean").is_file() for one in imported)
