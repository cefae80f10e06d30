"""Fetches one revision of a git repository, without its history, into a folder that appears whole or not at all."""

from __future__ import annotations

import os
import queue
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from lean_extract.common.errors import UserError
from lean_extract.common.files.atomic import UMASK, make_private_folder
from lean_extract.common.terminal_text import shown, without_login
from lsp_server.engine.git_address import GitAddress

Progress = Callable[[str, int, int], None]
_SILENCE_SECONDS = 300.0
"""A git that says nothing for so long is ended."""
_LOOK_SECONDS = 0.2
_SHARE = re.compile(r"Receiving objects:\s+\d+% \((\d+)/(\d+)\)")
_QUIET = {"GIT_TERMINAL_PROMPT": "0", "GIT_SSH_COMMAND": "ssh -oBatchMode=yes", "LC_ALL": "C"}
_SAFE = ("-c", "core.hooksPath=/dev/null", "-c", "core.symlinks=false", "-c", "advice.detachedHead=false")
"""What a repository holds is only read: none of its hooks runs, and links are kept as text."""


class FetchStopped(Exception):
    """The caller has stopped the fetch; nothing is left of it."""


def fetch(address: GitAddress, folder: Path, progress: Progress, should_stop: Callable[[], bool]) -> str:
    """Put the files of the revision into `folder`, replacing it; returns the commit.

    Raises UserError (no git, no such repository or revision, no space), FetchStopped.
    """
    git = shutil.which("git")
    if git is None:
        raise UserError(
            "git is not installed.", "Install git, or put the library's files into a folder yourself."
        )
    with _beside(folder) as new:
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
def _beside(folder: Path) -> Iterator[Path]:
    """A new folder beside another, which is removed at the end unless it was renamed."""
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
    """Run git; returns its standard output. It never asks for a password."""
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
            said = _listen(process.stderr, progress, should_stop)
            output = process.stdout.read().decode(errors="replace")
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        if should_stop():  # Ctrl-C reached git first
            raise FetchStopped
        last = said[-1] if said else f"git ended with {process.returncode}"
        secrets = filter(None, (address.secret, *address.configuration.values()))
        if any(secret in last for secret in secrets):
            last = "its reason holds what is secret"
        raise UserError(
            f"git could not fetch {shown(address.shown)} at {address.revision}: {shown(without_login(last))}",
            "Check the address, the network, and that the revision is a branch, a tag or a whole commit.",
        )
    return output


def _configured(values: Mapping[str, str], before: Mapping[str, str]) -> dict[str, str]:
    """Variables that add to git's configuration, behind what the user's own add."""
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
            if silence > _SILENCE_SECONDS:
                raise UserError(
                    f"git said nothing for {_SILENCE_SECONDS:.0f} s and was ended.",
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
