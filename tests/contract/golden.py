"""The golden files: JSON of our own output, and how output of today is held against it.

Decimals may differ a little, in values and inside texts: processors add up floating-point numbers in orders of their
own. All else must be equal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import starmap
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "golden"
TOLERANCE = 0.01
"""How far decimals may differ; those in a text, by one in their last digit, if that is more."""
_WIDTH = 110
_DECIMAL = re.compile(r"-?\d+\.\d+")


def read(name: str) -> Any:
    """What was recorded under this name."""
    return json.loads(_path(name).read_text(encoding="utf-8"))


def write(name: str, value: Any) -> None:
    """Record a value under this name."""
    _path(name).write_text(f"{_pretty(value)}\n", encoding="utf-8")


def _pretty(value: Any, depth: int = 0) -> str:
    """A value as JSON, with what fits on a line on one."""
    line = json.dumps(value, ensure_ascii=False)
    if not value or not isinstance(value, dict | list) or (depth and len(line) + depth <= _WIDTH):
        return line
    if isinstance(value, dict):
        parts = [f"{_pretty(key)}: {_pretty(one, depth + 1)}" for key, one in value.items()]
        left, right = "{}"
    else:
        parts = [_pretty(one, depth + 1) for one in value]
        left, right = "[]"
    indent = "\n" + " " * depth
    return f"{left}{indent} " + f",{indent} ".join(parts) + f"{indent}{right}"


def _path(name: str) -> Path:
    return FOLDER / f"{name}.json"


def differences(recorded: Any, now: Any, where: str = "") -> Iterator[str]:
    """A line for each place at which two JSON values differ, of the form `WHERE: RECORDED -> NOW`."""
    if isinstance(recorded, Mapping) and isinstance(now, Mapping):
        for key in {**recorded, **now}:
            place = f"{where} > {key}" if where else key
            yield from differences(recorded.get(key, "(nothing)"), now.get(key, "(nothing)"), place)
    elif _is_list(recorded) and _is_list(now) and len(recorded) == len(now):
        for number, (one, other) in enumerate(zip(recorded, now, strict=True), start=1):
            yield from differences(one, other, f"{where} [{number}]")
    elif _is_list(recorded) and _is_list(now):
        missing, new = ([one for one in a if one not in b] for a, b in ((recorded, now), (now, recorded)))
        yield f"{where}: {len(recorded)} -> {len(now)} items; missing {_short(missing)}, new {_short(new)}"
    elif not _agree(recorded, now):
        yield f"{where}: {_short(recorded)} -> {_short(now)}"


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _agree(recorded: Any, now: Any) -> bool:
    if isinstance(recorded, float) and isinstance(now, float):
        return abs(recorded - now) <= TOLERANCE
    if isinstance(recorded, str) and isinstance(now, str):
        pairs = zip(_DECIMAL.findall(recorded), _DECIMAL.findall(now), strict=False)
        return _DECIMAL.split(recorded) == _DECIMAL.split(now) and all(starmap(_near, pairs))
    return bool(recorded == now and type(recorded) is type(now))


def _near(recorded: str, now: str) -> bool:
    last_digit = 10.0 ** -len(recorded.partition(".")[2])
    return abs(float(recorded) - float(now)) <= max(TOLERANCE, 1.01 * last_digit)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 400 else f"{text[:400]}…"
