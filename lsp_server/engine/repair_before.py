"""What an index knew before a library changed: what names meant that it has no more, and where modules went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from lean_extract.records import Premise
from lsp_server.limits import REPAIR_IMPORTS, REPAIR_NAMES
from retriever.lean.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Before:
    """What the index had before.

    `premises`: by name, those whose name it does not have now. `modules`: for each module that it does not have now,
    those that declare what it did, that with the most first.
    """

    premises: Mapping[str, Premise] = field(default_factory=dict)
    modules: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def updated(self, old: Snapshot, now: Snapshot) -> Before:
        """The same after a further change of the index. The latest of what is too much is kept."""
        names, modules = now.names, {file.module for file in now.view.live_files}
        numbers = np.flatnonzero(old.view.alive)
        found = names.find_names([old.view.name(one) for one in numbers.tolist()])
        gone = (old.view.premise(one) for one in numbers[found < 0][:REPAIR_NAMES].tolist())
        premises = {**self.premises, **{one.name: replace(one, span=None, doc=None) for one in gone}}
        kept = [*premises.values()][-REPAIR_NAMES:]
        is_back = names.find_names([one.name for one in kept]) >= 0
        moved = dict(self.modules)
        for module in {file.module for file in old.view.live_files} - modules:
            places = found[np.isin(numbers, np.flatnonzero(old.in_module(module)))]
            now_in = Counter(now.view.module(one) for one in places[places >= 0].tolist())
            moved[module] = tuple(one for one, _ in now_in.most_common(REPAIR_IMPORTS))
        return Before(
            {one.name: one for one, again in zip(kept, is_back.tolist(), strict=True) if not again},
            {module: places for module, places in moved.items() if module not in modules},
        )
