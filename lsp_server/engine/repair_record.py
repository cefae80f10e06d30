"""What the index knew before a library changed, kept in the user's cache from one `repair` to the next."""

from __future__ import annotations

import asyncio
import json
from contextlib import ExitStack, suppress
from dataclasses import asdict
from pathlib import Path
from threading import Event

from lean_extract.common.errors import ModelError, PremiseIndexError
from lean_extract.common.files.atomic import replacing
from lean_extract.common.files.json_text import read_json
from lean_extract.common.typed import Misfit, read_typed
from lsp_server.engine.engine import Engine
from lsp_server.engine.repair_before import Before
from lsp_server.engine.stores import Progress, ShouldStop, project_store, record_folder
from lsp_server.engine.tasks import start_task
from lsp_server.limits import FILL_RECORD_BYTES, REPAIR_OPENING_SECONDS


async def updated_index(engine: Engine, root: Path, progress: Progress, should_stop: ShouldStop) -> Before:
    """What a project's index knew before, now that it is brought up to date. Raises as `Engine.update_index`."""
    is_open = Event()

    def report(stage: str, done: int, total: int) -> None:
        is_open.wait(REPAIR_OPENING_SECONDS)  # before the update changes what is opened
        progress(stage, done, total)

    with ExitStack() as stack:
        old = None
        with engine.being_indexed():
            updating = start_task(engine.update_index(report, should_stop))
            try:
                with suppress(PremiseIndexError, ModelError):  # the update mends it, or says why not
                    if project_store(root).stamp() is not None:
                        old = stack.enter_context((await engine.project_index()).service.reading())
            finally:
                is_open.set()
            await updating
        if old is None or old.is_current():
            return recorded(root)
        now = stack.enter_context((await engine.project_index()).service.reading())
        before = await asyncio.to_thread(recorded(root).updated, old, now)
    with suppress(OSError), replacing(_record(root), is_private=True) as stream:
        # Without it, only the next run does not know what this one does.
        json.dump(asdict(before), stream)
    return before


def recorded(root: Path) -> Before:
    """What is kept of what the project's index knew before."""
    try:
        return read_typed(Before, read_json(_record(root), FILL_RECORD_BYTES))
    except (OSError, Misfit, ValueError):  # none yet, or of another version
        return Before()


def _record(root: Path) -> Path:
    return record_folder(root) / "before.json"
