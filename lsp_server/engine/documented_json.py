"""Objects of documented JSON: enumerations whose values have meanings, and dataclasses as plain JSON values."""

from __future__ import annotations

from dataclasses import Field, fields
from enum import StrEnum
from typing import Any, Self


class DocumentedEnum(StrEnum):
    """The values that a string field can have, each with its meaning."""

    meaning: str

    def __new__(cls, value: str, meaning: str = "") -> Self:
        """A value and one sentence on its meaning."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member


_JSON_NAMES = {"import_line": "import"}


def json_name(item: Field[Any]) -> str:
    """The name of a field in the JSON object."""
    return _JSON_NAMES.get(item.name, item.name)


def to_json(value: Any) -> Any:
    """An answer, or a part of one, as plain JSON values."""
    if hasattr(value, "__dataclass_fields__"):
        return {json_name(item): to_json(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, DocumentedEnum):
        return value.value
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    if isinstance(value, dict):
        return {key: to_json(item) for key, item in value.items()}
    return value
