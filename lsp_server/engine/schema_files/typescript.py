"""The answers as TypeScript types, from their JSON Schema. Pure."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Sequence

from lsp_server.engine.schema_files.json_schema import JsonSchema

_WIDTH = 120
_TYPES = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean", "null": "null"}
_HEAD = """\
/**
 * The objects that the server answers with (docs/json.md).
 *
 * Written by `python -m lsp_server.engine.schema_files` from lsp_server/engine/schema.py. Do not edit.
 */
"""


def typescript(schema: JsonSchema) -> str:
    """The text of a module: an interface for each object, a list of values and their union for each enumeration."""
    definitions: dict[str, JsonSchema] = schema["$defs"]
    return "\n".join([_HEAD, *(_definition(name, one) for name, one in definitions.items())])


def _definition(name: str, schema: JsonSchema) -> str:
    return "\n".join(_enumeration(name, schema) if "enum" in schema else _interface(name, schema)) + "\n"


def _interface(name: str, schema: JsonSchema) -> Iterator[str]:
    yield from _comment(schema["description"])
    yield f"export interface {name} {{"
    for field, one in schema["properties"].items():
        yield from _comment(one["description"], indent="  ")
        mark = "" if field in schema["required"] else "?"
        yield f"  readonly {field}{mark}: {_type(one)};"
    yield "}"


def _enumeration(name: str, schema: JsonSchema) -> Iterator[str]:
    values = _plural(name)
    yield from _comment(schema["description"])
    yield f"export const {values} = ["
    yield from (f"  {json.dumps(value)}," for value in schema["enum"])
    yield "] as const;"
    yield f"export type {name} = (typeof {values})[number];"


def _plural(name: str) -> str:
    """The name of the list of an enumeration's values: `TacticsStatus` -> `TACTICS_STATUSES`."""
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()
    return f"{snake}ES" if snake.endswith("S") else f"{snake}S"


def _type(schema: JsonSchema) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " | ".join(_type(one) for one in schema["anyOf"])
    kind = schema["type"]
    if isinstance(kind, list):
        return " | ".join(_TYPES[one] for one in kind)
    if kind == "array":
        item = _type(schema["items"])
        return f"readonly ({item})[]" if " " in item else f"readonly {item}[]"
    if kind == "object":
        return f"Readonly<Record<string, {_type(schema['additionalProperties'])}>>"
    return _TYPES[kind]


def _comment(text: str, indent: str = "") -> Sequence[str]:
    """A documentation comment, on one line where it fits."""
    safe = text.replace("*/", "* /")
    line = f"{indent}/** {safe} */"
    if len(line) <= _WIDTH and "\n" not in safe:
        return [line]
    width = _WIDTH - len(indent) - len(" * ")
    wrapped = [
        part
        for row in safe.split("\n")
        for part in textwrap.wrap(row, width, subsequent_indent="  " if row.startswith("- ") else "")
    ]
    return [f"{indent}/**", *(f"{indent} * {part}" for part in wrapped), f"{indent} */"]
