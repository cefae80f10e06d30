"""The address of a git repository and a revision: read by rules of our own, so that nothing secret in it is told."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from lean_extract.common.errors import UserError
from lean_extract.common.files.reading import is_file, is_folder

_REVISION = r"(?:@(?P<revision>[\w.+#][\w./+#-]*))?"
_URL = re.compile(
    r"(?P<scheme>https?|ssh|git)://(?:(?P<user>[^\s@/:]*)(?::(?P<password>[^\s@/]*))?@)?"
    rf"(?P<host>[\w.-]+|\[[0-9A-Fa-f:.]+\])(?P<port>:\d+)?(?P<path>/[\w./~+%-]+){_REVISION}"
)
_BY_SSH = re.compile(rf"(?P<user>[\w.-]+)@(?P<host>[\w-]+\.[\w.-]+):(?P<path>[\w./~+-]+){_REVISION}")
"""With a dot in the host's name: `git@me:secret@host/x` is something else."""
_NEWEST = "HEAD"
_LONGEST = 4096


@dataclass(frozen=True, slots=True)
class GitAddress:
    """A repository and one of its revisions."""

    url: str
    """What git is given: without a password."""
    shown: str
    """For people, and for what is written down: host and path."""
    revision: str = _NEWEST
    configuration: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Of git for this repository alone: how to get in."""
    secret: str = field(default="", repr=False)
    """What no message may hold: the password, or a user that may be a token."""


def read_git_address(text: str) -> GitAddress:
    """The address in `ADDRESS[@REVISION]`, the newest revision if it names none.

    An `@` before the host belongs to the address (`git@host:owner/name`), and so does one in the path of a folder on
    this machine. Raises UserError, whose message holds nothing of the text.
    """
    if 0 < len(text) <= _LONGEST and text.isprintable() and not text.startswith("-"):
        for read in (_of_url, _of_ssh, _of_folder):
            if (found := read(text)) is not None:
                return found
    raise UserError(
        "What is given is not the address of a git repository.",
        "Give ADDRESS or ADDRESS@REVISION, for example https://github.com/leanprover-community/mathlib4@v4.30.0, or "
        "a folder that exists. In a user's name or a password write %40 for @ and %2F for /.",
    )


def _of_url(text: str) -> GitAddress | None:
    found = _URL.fullmatch(text)
    if found is None:
        return None
    scheme, host, path = found["scheme"], f"{found['host']}{found['port'] or ''}", found["path"]
    user, password = (unquote(found[name] or "") for name in ("user", "password"))
    if not f"{user}{password}".isprintable():
        return None
    is_web = scheme.startswith("http")
    login = f"{found['user']}@" if user and not is_web else ""
    return GitAddress(
        f"{scheme}://{login}{host}{path}",
        f"{found['host']}{path}",
        found["revision"] or _NEWEST,
        dict(_login(f"{scheme}://{host}", user, password)) if is_web else {},
        password or (user if is_web else ""),
    )


def _login(server: str, user: str, password: str) -> Iterator[tuple[str, str]]:
    """How git is to get in, which is not said in the URL: git prints those, and others see command lines."""
    if password:
        code = b64encode(f"{user}:{password}".encode()).decode()
        yield f"http.{server}/.extraHeader", f"Authorization: Basic {code}"
    elif user:
        yield f"credential.{server}.username", user


def _of_ssh(text: str) -> GitAddress | None:
    found = _BY_SSH.fullmatch(text)
    if found is None:
        return None
    user, host, path = found["user"], found["host"], found["path"]
    return GitAddress(f"{user}@{host}:{path}", f"{host}:{path}", found["revision"] or _NEWEST)


def _of_folder(text: str) -> GitAddress | None:
    """A repository on this machine, which is there."""
    path = text.removeprefix("file://")
    before, _, revision = path.rpartition("@")
    for place, asked in ((path, _NEWEST), (before, revision)):
        folder = Path(place).absolute()
        if place and (is_folder(folder) or is_file(folder)) and re.fullmatch(_REVISION, f"@{asked}"):
            return GitAddress(str(folder), str(folder), asked)
    return None
