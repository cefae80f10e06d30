"""The address of a database: read by rules of our own, so that no message holds what is secret in it. Pure.

postgresql://[USER[:PASSWORD]@][HOST[:PORT][,HOST[:PORT]...]][/DATABASE][?NAME=VALUE[&NAME=VALUE...]]
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from lean_extract.common.errors import UserError
from retriever.limits import MAX_ADDRESS_CHARACTERS

_ADDRESS = re.compile(
    r"postgres(?:ql)?://(?:(?P<user>[^\s@/:]*)(?::(?P<password>[^\s@/]*))?@)?"
    r"(?P<hosts>[^\s@/?#]*)(?:/(?P<database>[^\s@/?#]*))?(?:\?(?P<options>[^\s@#]*))?"
)
"""An `@` or a `/` that is not encoded never is a part of a name or a password."""
_HOST = re.compile(r"(?P<host>[^:]*|\[[^\]]*\])(?::(?P<port>\d*))?")
_IS_HOST = re.compile(r"[\w.-]*|[0-9A-Fa-f:.]*|/[\w./+-]*")
"""A name, a number, or the folder of a socket."""
_IS_PORT = re.compile(r"\d{0,5}")
_IS_DATABASE = re.compile(r"[\w .+-]*")
_CODE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SHOWN = frozenset(("host", "dbname"))
_USUAL = _SHOWN | {"user", "password", "port"}


@dataclass(frozen=True, slots=True)
class DatabaseAddress:
    """Where a database is, and how to get in."""

    parameters: Mapping[str, str] = field(repr=False)
    """What libpq calls each part."""

    @property
    def shown(self) -> str:
        """The address for people: host and database."""
        host = self.parameters.get("host", "")
        return f"{host if host[:1] not in ('', '/') else 'this machine'}/{self.parameters.get('dbname', '')}"

    def is_told_by(self, text: str) -> bool:
        """Whether a text holds a part of the address that is not for people, such as user or password."""
        names = self.parameters.keys() - _USUAL
        values = (value for name, value in self.parameters.items() if name not in _SHOWN)
        return any(part in text for part in (*names, *values))


def read_address(text: str) -> DatabaseAddress:
    """The address in a text. Raises UserError, whose message holds nothing of the text."""
    try:
        return DatabaseAddress(_parameters(text))
    except ValueError:
        raise UserError(
            "What is given as the database is no address of a PostgreSQL database.",
            "Write postgresql://USER@HOST/DATABASE, and in names and passwords %40 for @, %2F for /, %25 for %. "
            "Passwords are best kept in ~/.pgpass.",
        ) from None


def _parameters(text: str) -> dict[str, str]:
    """Raises ValueError."""
    found = _ADDRESS.fullmatch(text) if len(text) <= MAX_ADDRESS_CHARACTERS and text.isprintable() else None
    if found is None:
        raise ValueError
    hosts = [_HOST.fullmatch(one) for one in found["hosts"].split(",")]
    if None in hosts:
        raise ValueError
    parts = {
        "user": found["user"],
        "password": found["password"],
        "host": ",".join(one["host"].strip("[]") for one in hosts if one),
        "port": ",".join(one["port"] or "" for one in hosts if one),
        "dbname": found["database"],
        **_options(found["options"] or ""),
    }
    parameters = {name: _decoded(value) for name, value in parts.items() if value and value.strip(",")}
    for name, form in (("host", _IS_HOST), ("port", _IS_PORT), ("dbname", _IS_DATABASE)):
        if not all(form.fullmatch(one) for one in parameters.get(name, "").split(",")):
            raise ValueError
    return parameters


def _options(text: str) -> dict[str, str]:
    """The parameters after the `?`. Raises ValueError."""
    pairs = [one.partition("=") for one in text.split("&") if text]
    if not all(equals and re.fullmatch(r"[a-z_]+", name) for name, equals, _ in pairs):
        raise ValueError
    return {name: value for name, _, value in pairs}


def _decoded(text: str) -> str:
    """A part without its `%` codes. Raises ValueError: they are no text."""
    if _CODE.search(text):
        raise ValueError
    decoded = unquote(text, errors="strict")
    if not decoded.isprintable():
        raise ValueError
    return decoded
