"""Libraries that were fetched by their address; they answer requests outside of projects.

They are the packages of one Lake project in the cache, so they are treated like a project's packages: each is read
once per revision and shared with the projects that pin the same one. A library that another revision of it replaced
keeps its index, which a server can name (`NAME@REVISION`).
"""

from __future__ import annotations

import json
import os
import queue
import re
import shutil
import subprocess
import tempfile
import threading
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any
from urllib.parse import unquote

from lean_extract.common.devices import Device
from lean_extract.common.errors import BadSource, UserError
from lean_extract.common.files.atomic import UMASK, make_private_folder, replacing
from lean_extract.common.files.json_text import read_json
from lean_extract.common.files.reading import is_file, is_folder
from lean_extract.common.terminal_text import shown, without_login
from lean_extract.source.projects.packages import LAKEFILES, MANIFEST, read_layout
from lsp_server.engine.freshness import pinned_lean
from lsp_server.engine.indexing import update_project
from lsp_server.engine.revision_names import is_called
from lsp_server.engine.stores import (
    Progress,
    ShouldStop,
    checked_name,
    is_plain_name,
    libraries_root,
    shared_folder,
)
from lsp_server.limits import (
    ADDRESS_CHARACTERS,
    EARLIER_REVISIONS,
    GIT_SILENCE_SECONDS,
    QUOTED_CHARACTERS,
)
from retriever.lean.index.build import SharedPackage
from retriever.search.index.manifest import IndexManifest
from retriever.search.index.store import IndexStore
from retriever.search.indexing.report import IndexReport

_REVISION = r"(?:@(?P<revision>[\w.+#][\w./+#-]*))?"
_URL = re.compile(
    r"(?P<scheme>https?|ssh|git)://(?:(?P<user>[^\s@/:]*)(?::(?P<password>[^\s@/]*))?@)?"
    rf"(?P<host>[\w.-]+|\[[0-9A-Fa-f:.]+\])(?P<port>:\d+)?(?P<path>/[\w./~+%-]+){_REVISION}"
)
_BY_SSH = re.compile(rf"(?P<user>[\w.-]+)@(?P<host>[\w-]+\.[\w.-]+):(?P<path>[\w./~+-]+){_REVISION}")
"""With a dot in the host's name: `git@me:secret@host/x` is something else."""
_NEWEST = "HEAD"
_CURRENT, _EARLIER = "packages", "earlier"
"""The libraries in Lake's manifest: those whose files are here, and those that another revision replaced."""


@dataclass(frozen=True, slots=True)
class GitAddress:
    """A repository and one of its revisions."""

    url: str
    """What git is given: without a password."""
    shown: str
    """Host and path, for people and for files."""
    revision: str = _NEWEST
    configuration: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Git's configuration for this repository: the login."""
    secret: str = field(default="", repr=False)
    """Must not occur in messages: the password, or a user name that may be a token."""


def read_git_address(text: str) -> GitAddress:
    """The address in `ADDRESS[@REVISION]`, the newest revision if it names none.

    An `@` before the host belongs to the address (`git@host:owner/name`), and so does one in the path of a folder on
    this machine. Raises UserError, whose message holds nothing of the text.
    """
    if 0 < len(text) <= ADDRESS_CHARACTERS and text.isprintable() and not text.startswith("-"):
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
    """The login for git. It is not in the URL, which git prints and which others can see in the command line."""
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
    """An existing repository on this machine."""
    path = text.removeprefix("file://")
    before, _, revision = path.rpartition("@")
    for place, wanted in ((path, _NEWEST), (before, revision)):
        folder = Path(place).absolute()
        if place and (is_folder(folder) or is_file(folder)) and re.fullmatch(_REVISION, f"@{wanted}"):
            return GitAddress(str(folder), str(folder), wanted)
    return None


_LOOK_SECONDS = 0.2
_SHARE = re.compile(r"Receiving objects:\s+\d+% \((\d+)/(\d+)\)")
_QUIET = {"GIT_TERMINAL_PROMPT": "0", "GIT_SSH_COMMAND": "ssh -oBatchMode=yes", "LC_ALL": "C"}
_SAFE = ("-c", "core.hooksPath=/dev/null", "-c", "core.symlinks=false", "-c", "advice.detachedHead=false")
"""A repository is only read: its hooks do not run, and links are kept as text."""


class FetchStopped(Exception):
    """The caller has stopped the fetch; nothing of it is kept."""


def _fetch(address: GitAddress, folder: Path, progress: Progress, should_stop: Callable[[], bool]) -> str:
    """Put the files of the revision into `folder`, replacing it; returns the commit.

    Raises UserError (no git, no such repository or revision, no space), FetchStopped.
    """
    git = shutil.which("git")
    if git is None:
        raise UserError(
            "git is not installed.", "Install git, or put the library's files into a folder yourself."
        )
    with _new_folder_for(folder) as new:
        _run([git, "init", "--quiet", str(new)], address, progress, should_stop)
        here = [git, "-C", str(new), *_SAFE]
        fetching = ["fetch", "--progress", "--depth", "1", "--no-tags", "--", address.url, address.revision]
        _run([*here, *fetching], address, progress, should_stop)
        _run([*here, "checkout", "--quiet", "FETCH_HEAD"], address, progress, should_stop)
        commit = _run([*here, "rev-parse", "HEAD"], address, progress, should_stop).strip()
        shutil.rmtree(new / ".git")
        shutil.rmtree(folder, ignore_errors=True)
        new.rename(folder)
    return commit


@contextmanager
def _new_folder_for(folder: Path) -> Iterator[Path]:
    """A new folder in the same place as another, which is removed at the end unless it was renamed."""
    try:
        make_private_folder(folder.parent)
        new = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    except OSError as error:
        raise UserError(
            f"{folder.parent} cannot be written: {error.strerror}.",
            "Set PREMISE_SUGGEST_INDEX to a folder of yours.",
        ) from error
    try:
        yield new
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _run(
    command: Sequence[str], address: GitAddress, progress: Progress, should_stop: Callable[[], bool]
) -> str:
    """Run git, which does not prompt for a password; returns its standard output."""
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **_QUIET, **_configured(address.configuration, os.environ)},
        umask=UMASK,
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        try:
            errors = _listen(process.stderr, progress, should_stop)
            output = process.stdout.read().decode(errors="replace")
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        if should_stop():  # Ctrl-C reached git first
            raise FetchStopped
        last = errors[-1] if errors else f"git ended with {process.returncode}"
        secrets = filter(None, (address.secret, *address.configuration.values()))
        if any(secret in last for secret in secrets):
            last = "its message contains a secret"
        raise UserError(
            f"git could not fetch {shown(address.shown)} at {address.revision}: {shown(without_login(last))}",
            "Check the address, the network, and that the revision is a branch, a tag or a whole commit.",
        )
    return output


def _configured(values: Mapping[str, str], before: Mapping[str, str]) -> dict[str, str]:
    """Variables that add to git's configuration, after those that the user has set."""
    if not values:
        return {}
    count = before.get("GIT_CONFIG_COUNT", "")
    first = int(count) if count.isascii() and count.isdigit() else 0
    variables = {"GIT_CONFIG_COUNT": str(first + len(values))}
    for number, (key, value) in enumerate(values.items(), start=first):
        variables |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return variables


def _listen(errors: IO[bytes], progress: Progress, should_stop: Callable[[], bool]) -> list[str]:
    """Git's last lines on standard error, until it ends; its progress is passed on. Raises FetchStopped, UserError."""
    pieces: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def read() -> None:
        while piece := os.read(errors.fileno(), 4096):
            pieces.put(piece)
        pieces.put(b"")

    threading.Thread(target=read, daemon=True).start()
    lines, rest, silence = list[str](), "", 0.0
    while True:
        if should_stop():
            raise FetchStopped
        try:
            piece = pieces.get(timeout=_LOOK_SECONDS)
        except queue.Empty:
            silence += _LOOK_SECONDS
            if silence > GIT_SILENCE_SECONDS:
                raise UserError(
                    f"git printed nothing for {GIT_SILENCE_SECONDS:.0f} s and was stopped.",
                    "Check the network, and try again.",
                ) from None
            continue
        if not piece:
            return lines if not rest.strip() else [*lines, rest.strip()]
        silence = 0.0
        *whole, rest = re.split(r"[\r\n]+", rest[-4096:] + piece.decode(errors="replace"))
        for line in filter(str.strip, whole):
            if share := _SHARE.search(line):
                progress("fetch", int(share[1]), int(share[2]))
            else:
                lines = [*lines[-4:], line.strip()]


@dataclass(frozen=True, slots=True)
class FetchedLibrary:
    """A library in the cache. `address` is for people, without user and password; `revision` is a commit."""

    name: str
    address: str
    revision: str
    tag: str = ""
    """What was asked for: a tag or a branch; empty: the newest revision."""
    lean: str = ""
    """The Lean version that it is for; empty if it names none."""

    @property
    def names(self) -> tuple[str, ...]:
        """What its revision may be called."""
        return tuple(filter(None, dict.fromkeys((lean_tag(self.lean), self.tag, self.revision))))

    def __str__(self) -> str:
        return f"{self.name}@{self.tag or self.revision[:12]}"

    def store(self, fingerprint: str) -> IndexStore:
        """Its index for a model. Other revisions have been where its files were, so it says nothing of them."""
        shared = SharedPackage(self.name, self.revision, libraries_root(), ())
        return _WithoutFiles(shared.store(shared_folder(), fingerprint).root)


class _WithoutFiles(IndexStore):
    def manifest(self) -> IndexManifest:
        return replace(super().manifest(), root="")


def lean_tag(lean: str) -> str:
    """A version of Lean as its tags have it."""
    return f"v{lean}" if lean[:1].isdigit() else lean


def _libraries(key: str = _CURRENT) -> list[FetchedLibrary]:
    """The libraries that were fetched, in the order of their names. One that is not readable is left out."""
    try:
        entries = read_json(libraries_root() / MANIFEST)[key]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    found = [_library(entry) for entry in entries] if isinstance(entries, list) else []
    return sorted(filter(None, found), key=lambda one: one.name)


def named_libraries(texts: Sequence[str]) -> list[FetchedLibrary]:
    """The fetched libraries that `NAME` or `NAME@REVISION` name; without a revision, the one that was fetched last.

    Raises UserError: there is none, or two texts name the same.
    """
    found: list[FetchedLibrary] = []
    for text in texts:
        one = _named(text)
        if one in found:
            raise UserError(f"The library {one} is named twice.", "Name each once.")
        found.append(one)
    return found


def _named(text: str) -> FetchedLibrary:
    name, _, revision = text.partition("@")
    known = [*_libraries(), *_libraries(_EARLIER)]
    for one in known:
        if one.name.lower() == name.lower() and (not revision or is_called(revision, one.names)):
            return one
    have = shown(", ".join(map(str, known)) or "none", longest=QUOTED_CHARACTERS)
    raise UserError(
        f"No library {shown(text, longest=80)} was fetched to this machine; there is: {have}.",
        "Fetch it: premise-suggest setup --git ADDRESS@REVISION",
    )


def _library(entry: Any) -> FetchedLibrary | None:
    """The library of an entry of the manifest; None if it is not valid."""
    if not isinstance(entry, dict):
        return None
    name, address, *others = (entry.get(key, "") for key in ("name", "url", "rev", "inputRev", "lean"))
    if not (
        isinstance(name, str) and isinstance(address, str) and all(isinstance(one, str) for one in others)
    ):
        return None
    return (
        FetchedLibrary(name, without_login(address), *others) if is_plain_name(name) and others[0] else None
    )


def add_library(address: GitAddress, progress: Progress, should_stop: Callable[[], bool]) -> FetchedLibrary:
    """Fetch a library into the cache, in place of another revision of it.

    Raises UserError (no such repository or revision, no git, no Lean library), FetchStopped; nothing is kept then.
    """
    root = libraries_root()
    new = root / ".fetched"
    commit = _fetch(address, new, progress, should_stop)
    name = _name_of(new, address.shown)
    folder = root / ".lake" / "packages" / name
    make_private_folder(folder.parent)
    _replace(folder, new)
    tag = "" if address.revision == _NEWEST else address.revision
    library = FetchedLibrary(name, address.shown, commit, tag, pinned_lean(folder))
    before = _libraries()
    earlier = [one for one in before if one.name == name] + _libraries(_EARLIER)
    _write(
        [one for one in before if one.name != name] + [library],
        [one for one in earlier if (one.name, one.revision) != (name, commit)][:EARLIER_REVISIONS],
    )
    return library


def index_libraries(
    model: str, progress: Progress, should_stop: ShouldStop, *, download: bool, device: Device
) -> IndexReport:
    """Read and embed what is not indexed yet. Raises as `update_project`."""
    return update_project(
        libraries_root(), model, progress, should_stop, download=download, device=device, with_core=False
    )


def _name_of(folder: Path, address: str) -> str:
    """The name of the Lake package in a folder. If there is none, removes the folder and raises UserError."""
    if not any((folder / name).is_file() for name in LAKEFILES) or not any(folder.rglob("*.lean")):
        _remove(folder)
        raise UserError(
            f"{shown(address)} is not a Lean library: it has no lakefile, or no .lean file.",
            "Give the address of a Lake package.",
        )
    stem = address.rstrip("/").removesuffix(".git").replace(":", "/").rpartition("/")[2]
    name = (read_layout(folder).name or stem.lower()).strip("«»")
    try:
        return checked_name(
            name, "library", "It is in its lake-manifest.json, or the last part of the address."
        )
    except UserError:
        _remove(folder)
        raise


def _replace(folder: Path, new: Path) -> None:
    _remove(folder)
    new.rename(folder)


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def _entry(one: FetchedLibrary) -> dict[str, str]:
    where = {"type": "git", "name": one.name, "url": one.address, "rev": one.revision}
    return {**where, "inputRev": one.tag, "lean": one.lean}


def _write(found: list[FetchedLibrary], earlier: list[FetchedLibrary]) -> None:
    listed = {_CURRENT: [*map(_entry, found)], _EARLIER: [*map(_entry, earlier)]}
    manifest = {"version": "1.1.0", "name": "libraries", **listed}
    try:
        with replacing(libraries_root() / MANIFEST, is_private=True) as stream:
            json.dump(manifest, stream, indent=1)
    except OSError as error:
        raise BadSource(
            f"{libraries_root()} cannot be written: {error.strerror}.", "Check the disk."
        ) from error
