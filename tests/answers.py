"""Answers of the real server, held to the published schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

SCHEMA_FILE = Path(__file__).parents[1] / "docs" / "schema" / "answers.schema.json"
SCHEMA = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
_DEFINITIONS = {
    name: {**one, "additionalProperties": False} if "properties" in one else one
    for name, one in SCHEMA["$defs"].items()
}
"""Clients must take fields that they do not know; the server must send none that is not documented."""


def faults(value: Any, name: str) -> list[str]:
    """What of a value is not as the definition of this name has it."""
    validator = Draft202012Validator({"$defs": _DEFINITIONS, "$ref": f"#/$defs/{name}"})
    return [f"{fault.json_path}: {fault.message}" for fault in validator.iter_errors(value)]


def conforming(value: Any, name: str) -> Any:
    """The value, which has to be as the definition of this name has it."""
    found = faults(value, name)
    assert found == [], f"not a {name}: {found}"
    return value
