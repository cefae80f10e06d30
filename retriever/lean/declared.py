"""Where an indexed premise was declared: its file, if that was read on this machine, and its line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from retriever.lean.offer import doc_url
from retriever.lean.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class DeclarationSite:
    """What the index knows of a declaration's place."""

    path: Path | None
    """None for what is known from the bundled index alone."""
    line: int
    """From 0, as the file was when it was read; -1 where it is not known."""
    doc_url: str | None


def declared(snapshot: Snapshot, name: str, module: str) -> DeclarationSite | None:
    """The place of a premise of this name in this module, or None where the index has none."""
    view = snapshot.view
    [number] = snapshot.names.find_names([name]).tolist()
    if number < 0 or view.module(number) != module:
        in_module = np.flatnonzero(snapshot.in_module(module) & view.alive).tolist()
        number = next((one for one in in_module if view.name(one) == name), -1)
    if number < 0:
        return None
    return DeclarationSite(
        view.path(number), int(view.lines[number]), doc_url(view.premise(number), view.package(number))
    )
