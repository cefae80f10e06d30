"""The settings in package.json are the server's: names, types, defaults, ranges and descriptions."""

from __future__ import annotations

import json
from dataclasses import Field, fields
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from lsp_server.engine.settings import SECTION, Settings, camel, parse

_MANIFEST = Path(__file__).parents[2] / "vscode-extension" / "package.json"
_OWN = ("path", "install", "view", "goal", "trace")
"""The settings that are the extension's own; `src/serverSettings.ts` keeps them from the server."""
_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", tuple: "array"}


def _offered() -> dict[str, dict[str, Any]]:
    """The settings that the extension offers, by full name."""
    groups = json.loads(_MANIFEST.read_text(encoding="utf-8"))["contributes"]["configuration"]
    return {name: entry for group in groups for name, entry in group["properties"].items()}


def _known(section: type[Any] = Settings, prefix: str = SECTION) -> dict[str, Field[Any]]:
    """The settings that the server knows, by full name."""
    found: dict[str, Field[Any]] = {}
    hints = get_type_hints(section)
    for item in fields(section):
        name = f"{prefix}.{camel(item.name)}"
        if hasattr(hints[item.name], "__dataclass_fields__"):
            found |= _known(hints[item.name], name)
        else:
            found[name] = item
    return found


def test_every_server_setting_is_offered_and_nothing_else_is_sent() -> None:
    of_server = {name for name in _offered() if name.split(".")[1] not in _OWN}
    assert of_server == set(_known())


@pytest.mark.parametrize("name", sorted(_known()))
def test_setting_is_offered_as_the_server_has_it(name: str) -> None:
    item, entry = _known()[name], _offered()[name]
    default = list(item.default) if isinstance(item.default, tuple) else item.default
    assert (entry["type"], entry["default"]) == (_TYPES[type(item.default)], default)
    assert (entry.get("minimum"), entry.get("maximum")) == (item.metadata["low"], item.metadata["high"])
    assert tuple(entry.get("enum", ())) == item.metadata["choices"]
    assert entry["description"] == item.metadata["doc"]


def test_the_server_takes_all_defaults_as_they_are_offered() -> None:
    values: dict[str, Any] = {}
    for name in _known():
        *sections, last = name.split(".")[1:]
        place = values
        for section in sections:
            place = place.setdefault(section, {})
        place[last] = _offered()[name]["default"]
    assert parse(values) == (Settings(), [])


def test_every_setting_of_the_extension_has_a_description_and_a_default() -> None:
    offered = _offered()
    bare = [name for name, entry in offered.items() if not (entry.get("description") and "default" in entry)]
    assert bare == []
