"""The answers as a page for people: docs/json.md. Pure."""

from __future__ import annotations

from types import UnionType
from typing import Any, get_args, get_origin

from lsp_server.engine.documented_json import DocumentedEnum
from lsp_server.engine.schema_files.json_schema import described, description, documented_fields

_NAMES = {str: "string", float: "number", int: "integer", bool: "boolean", type(None): "null"}


def markdown() -> str:
    """The text of the page."""
    return "\n".join([_HEAD, *map(_section, described())])


def _section(cls: type) -> str:
    table = _values(cls) if issubclass(cls, DocumentedEnum) else _fields(cls)
    return "\n".join([f"## {cls.__name__}", "", description(cls), "", *table, ""])


def _values(cls: type[DocumentedEnum]) -> list[str]:
    rows = [f"| `{one.value}` | {one.meaning} |" for one in cls]
    return ["| value | meaning |", "|---|---|", *rows]


def _fields(cls: type) -> list[str]:
    known = documented_fields(cls).items()
    rows = [f"| `{name}` | {_type_name(hint)} | {meaning} |" for name, (hint, meaning) in known]
    return ["| field | type | meaning |", "|---|---|---|", *rows]


def _type_name(hint: Any) -> str:
    """A Python type as JSON calls it."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is UnionType:
        return " or ".join(_type_name(argument) for argument in arguments)
    if origin is list:
        return f"list of {_type_name(arguments[0])}"
    if origin is dict:
        return f"object of {_type_name(arguments[1])}"
    return _NAMES.get(hint) or str(hint.__name__)


_HEAD = """\
# The JSON object

`premise-suggest suggest --json` prints one `Suggestion`. The request `premiseSuggest/suggest` and the
command `premise-suggest.suggest` answer with the same object; a search with a `SearchAnswer`, indexing with
an `IndexAnswer`; `suggest FILE --all --json` prints an `AllSorriesAnswer`, and `suggest --backend NAME --json` a
`CollectionAnswer`. The requests themselves are
described in [lsp.md](lsp.md).

`position` counts as LSP does, from 0, in UTF-16 units; the command line counts lines and columns from 1, in
code points.

Programs decide by `tactics_status` and `status`; the sentences in `warnings`, `notes` and `message` are for
people, and may change. Later versions may add fields and values.

This page, the JSON Schema in [schema/answers.schema.json](schema/answers.schema.json) (draft 2020-12) and the
TypeScript types of the VS Code extension are written by `python -m lsp_server.engine.schema_files`; a test
holds them to the code.

"""
