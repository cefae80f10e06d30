"""Objects of documented JSON: enumerations whose values have meanings, and dataclasses as plain JSON values."""

from __future__ import annotations

from dataclasses import Field, fields
from enum import StrEnum
from functools import partial
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


def may_be_empty(item: Field[Any]) -> bool:
    """Whether a field is an empty string or list, or null, by default."""
    return item.default in ("", None) or item.default_factory is list


def to_json(value: Any, *, omits_empty: bool = False) -> Any:
    """An answer, or a part of one, as plain JSON values; `omits_empty` leaves out fields that are empty by
    default."""
    again = partial(to_json, omits_empty=omits_empty)
    if hasattr(value, "__dataclass_fields__"):
        given = {item: getattr(value, item.name) for item in fields(value)}
        return {
            json_name(item): again(one)
            for item, one in given.items()
            if not (omits_empty and may_be_empty(item) and one in ("", None, []))
        }
    if isinstance(value, DocumentedEnum):
        return value.value
    if isinstance(value, list | tuple):
        return [again(item) for item in value]
    if isinstance(value, dict):
        return {key: again(item) for key, item in value.items()}
    return value
