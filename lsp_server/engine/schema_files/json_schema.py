"""The answers as JSON Schema (draft 2020-12). Pure."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import fields
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from lsp_server.engine.documented_json import DocumentedEnum, json_name, may_be_empty
from lsp_server.engine.schema import ANSWERS

JsonSchema = dict[str, Any]

_TYPES = {str: "string", float: "number", int: "integer", bool: "boolean", type(None): "null"}
_REFERENCE = "#/$defs/"


def json_schema() -> JsonSchema:
    """The schema of every answer; each class is under `$defs` by its name."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Answers of premise-suggest",
        "description": (
            "What the command line, the language server and HTTP answer with (docs/json.md). Written by "
            "`python -m lsp_server.engine.schema_files`. Later versions may add fields and values."
        ),
        "anyOf": [_type(cls) for cls in ANSWERS],
        "$defs": {cls.__name__: _definition(cls) for cls in described()},
    }


def described() -> list[type]:
    """The answers and the classes that they consist of, each once, where it is first used."""
    found: dict[type, None] = {}
    left: list[type] = [*reversed(ANSWERS)]
    while left:
        cls = left.pop()
        if cls in found:
            continue
        found[cls] = None
        if not issubclass(cls, DocumentedEnum):
            hints = (hint for hint, _ in documented_fields(cls).values())
            left += reversed([part for hint in hints for part in _parts(hint)])
    return [*found]


def _parts(hint: Any) -> Iterator[type]:
    """The classes of ours in the type of a field."""
    for argument in get_args(hint):
        yield from _parts(argument)
    if get_origin(hint) is None and hint not in _TYPES:
        yield hint


def inlined(cls: type, *, omits_empty: bool = False) -> JsonSchema:
    """The schema of one class without references, for documents that have `$defs` of their own.

    With `omits_empty`, fields may be missing that `to_json` leaves out.
    """
    definitions = {f"{_REFERENCE}{one.__name__}": _definition(one, omits_empty) for one in described()}
    return {
        "title": cls.__name__,
        **_without_references(_definition(cls, omits_empty), definitions),
    }


def description(cls: type) -> str:
    """A class's docstring on one line."""
    return " ".join((inspect.getdoc(cls) or "").split())


def documented_fields(cls: type) -> dict[str, tuple[Any, str]]:
    """The fields of a class by their JSON names: (type, meaning)."""
    hints = get_type_hints(cls, include_extras=True)
    documented = {json_name(item): get_args(hints[item.name]) for item in fields(cls)}
    return {name: (hint, meaning) for name, (hint, meaning) in documented.items()}


def _definition(cls: type, omits_empty: bool = False) -> JsonSchema:
    if issubclass(cls, DocumentedEnum):
        meanings = "".join(f"\n- `{one.value}`: {one.meaning}" for one in cls)
        return {
            "description": description(cls) + meanings,
            "type": "string",
            "enum": [one.value for one in cls],
        }
    known = documented_fields(cls).items()
    properties = {name: {"description": meaning, **_type(hint)} for name, (hint, meaning) in known}
    return {
        "description": description(cls),
        "type": "object",
        "properties": properties,
        "required": _required(cls) if omits_empty else list(properties),
    }


def _required(cls: type) -> list[str]:
    return [json_name(item) for item in fields(cls) if not may_be_empty(item)]


def _type(hint: Any) -> JsonSchema:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is UnionType:
        if all(argument in _TYPES for argument in arguments):
            return {"type": [_TYPES[argument] for argument in arguments]}
        return {"anyOf": [_type(argument) for argument in arguments]}
    if origin is list:
        return {"type": "array", "items": _type(arguments[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": _type(arguments[1])}
    return {"type": _TYPES[hint]} if hint in _TYPES else {"$ref": f"{_REFERENCE}{hint.__name__}"}


def _without_references(schema: Any, definitions: dict[str, JsonSchema]) -> Any:
    """The schema with every reference replaced by what it names; its other keys take precedence."""
    if isinstance(schema, list):
        return [_without_references(one, definitions) for one in schema]
    if not isinstance(schema, dict):
        return schema
    named = definitions[schema["$ref"]] if "$ref" in schema else {}
    merged = {**named, **{name: value for name, value in schema.items() if name != "$ref"}}
    return {name: _without_references(value, definitions) for name, value in merged.items()}
