"""What the model cards of encoders and generators share: reports of evaluations, and curves in words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lean_extract.common.errors import BadRecords, ModelError
from retriever.training.running.curve import Point


def read_reports(paths: Sequence[Path], kind: str, fingerprint: str, command: str) -> list[dict[str, Any]]:
    """The reports that a command wrote with `--json`.

    Args:
        paths: of the reports.
        kind: the key of the model's fingerprint in them: `encoder` or `generator`.
        fingerprint: that of the model that they have to be of.
        command: wrote them, as after `python -m`.

    Raises BadRecords when a file holds no figures, ModelError when they are of another model.
    """
    return [_read_report(path, kind, fingerprint, command) for path in paths]


def _read_report(path: Path, kind: str, fingerprint: str, command: str) -> dict[str, Any]:
    hint = f"Name files that `python -m {command} --json` wrote."
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadRecords(f"{path} cannot be read: {error.strerror}.", hint) from error
    except ValueError as error:
        raise BadRecords(f"{path} holds no figures: {error}.", hint) from error
    if not isinstance(report, dict) or kind not in report:
        raise BadRecords(f"{path} holds no figures of {kind}s.", hint)
    if report[kind] != fingerprint:
        raise ModelError(f"The figures in {path} are of another model.", "Run the evaluation again.")
    return report


def figures_by_steps(points: Sequence[Point], name: str, most: int) -> str:
    """A figure at up to `most` validations, the last one among them: `0.123 (500), 0.234 (1,000)`."""
    measured = [point for point in points if name in point]
    count = min(len(measured), most)
    chosen = sorted({round((number + 1) * len(measured) / count) - 1 for number in range(count)})
    return ", ".join(f"{measured[number][name]:.3f} ({measured[number]['step']:,})" for number in chosen)
