"""The curve of a run: the figures by steps, a line of JSON each. Read without torch."""

from __future__ import annotations

import json
from pathlib import Path

from lean_extract.common.files.atomic import replacing

CURVE = "curve.jsonl"
Point = dict[str, float]
"""`step`, `seconds` and figures."""


def read_curve(folder: Path) -> list[Point]:
    """The points of a run's curve, in order. A last line that was cut off is passed over."""
    lines = (folder / CURVE).read_text(encoding="utf-8").splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]


def keep_until(folder: Path, step: int) -> None:
    """Drop the curve's points after a step; makes the curve if there is none."""
    points = read_curve(folder) if (folder / CURVE).exists() else []
    with replacing(folder / CURVE) as stream:
        stream.writelines(json.dumps(point) + "\n" for point in points if point["step"] <= step)
