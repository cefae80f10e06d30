"""How long Lean's trials take in a project, kept in the user's cache from one process to the next."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from platformdirs import user_cache_path

from lean_extract.common.files.atomic import replacing
from lean_extract.common.files.json_text import read_json
from lean_extract.common.typed import Misfit, read_typed
from lsp_server.engine.stores import project_store
from prover.odds import AcceptanceModel, shipped_odds
from prover.trial_times import TrialTimes


@dataclass(frozen=True, slots=True)
class _Kept:
    seconds: Mapping[str, tuple[float, float]]


class ProjectTimes:
    """The times of one project's trials. Of the tactics, only first words of a fixed list are kept.

    `root`: None where there is no project; then nothing is kept.
    """

    def __init__(self, root: Path | None) -> None:
        self._path = None if root is None else times_file(root)
        self._times: TrialTimes | None = None

    def odds(self) -> AcceptanceModel:
        """The shipped odds with this project's times. Raises ModelError."""
        odds = shipped_odds()
        return replace(odds, seconds=self._known().seconds(odds.seconds))

    async def keep(self, taken: Mapping[str, float]) -> None:
        """Note and write what tactics took, in seconds."""
        times = self._known()
        for tactic, seconds in taken.items():
            times.note(tactic, seconds)
        if self._path is not None and taken:
            await asyncio.to_thread(_write, self._path, json.dumps({"seconds": times.means}))

    def _known(self) -> TrialTimes:
        if self._times is None:
            self._times = TrialTimes(self._read())
        return self._times

    def _read(self) -> Mapping[str, tuple[float, float]]:
        try:
            return {} if self._path is None else read_typed(_Kept, read_json(self._path)).seconds
        except (OSError, Misfit, ValueError):  # none yet, or damaged: the usual times count
            return {}


def _write(path: Path, text: str) -> None:
    with suppress(OSError), replacing(path, is_private=True) as stream:
        stream.write(text)  # Without it, only the next process begins with the usual times.


def times_file(root: Path) -> Path:
    """Where the times of a project's trials are kept."""
    cache = user_cache_path("premise-suggest", appauthor=False)
    return cache / "times" / f"{project_store(root).root.name}.json"
