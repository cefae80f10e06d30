"""The partial results of a long command, from which the same command continues after it was stopped or killed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lean_extract.common.files.atomic import replacing

Keep = Callable[[str, Any], None]


@contextmanager
def partial_results(out: Path, about: str) -> Iterator[tuple[dict[str, Any], Keep]]:
    """(what is done by key, how to keep one thing more), for the file `out` that is written at the end.

    They are the lines of `OUT.part`, which is deleted when the block ends well. `about` says what they are made
    with: what was left by a command with another is dropped, and so is a last line that was cut off. Values
    are JSON. Raises OSError.
    """
    path = out.with_name(f"{out.name}.part")
    done = _begin(path, about)
    with path.open("a", encoding="utf-8") as stream:

        def keep(key: str, value: Any) -> None:
            done[key] = value
            stream.write(json.dumps([key, value], ensure_ascii=False) + "\n")

        yield done, keep
    path.unlink()


def _begin(path: Path, about: str) -> dict[str, Any]:
    whole: list[str] = []
    if path.exists():
        with path.open(encoding="utf-8", newline="\n") as stream:
            whole = [line for line in stream if line.endswith("\n")]
    head = json.dumps(about) + "\n"
    kept = whole[1:] if whole[:1] == [head] else []
    with replacing(path) as stream:
        stream.writelines([head, *kept])
    return dict(map(json.loads, kept))
