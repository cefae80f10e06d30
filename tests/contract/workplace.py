"""Where the contract is recorded: the example library with an index, and our programs over it."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from lsp_server.commands.demo import EXAMPLE
from tests.environments import own_indexes, without_lean
from tests.forked import program
from tests.hostile.raw_client import RawClient

COLUMNS = "100"
SETTINGS = {
    "index": {"auto": False, "onSave": False},
    "tactics": {"source": "templates", "count": 60, "seconds": 120},
}
"""What does not depend on speed: all tactics are tried, and there is no generator, which joins when it is ready."""
_FACTS = ("deprecated", "rests_on_sorry", "has_error")
_PASSING = frozenset({"index", "timings_ms"})
"""What of an answer is of the day, or of the machine."""


class Workplace:
    """The example library, indexed when it is needed first; the bundled index is unpacked once a machine.

    Args:
        folder: an empty one, for the indexes.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PREMISE_SUGGEST")}
        self.environment = {
            **without_lean(kept),
            "PREMISE_SUGGEST_INDEX": str(folder / "index"),
            "COLUMNS": COLUMNS,
        }
        self._ends = ExitStack()

    @cached_property
    def root(self) -> Path:
        """The library's folder."""
        own_indexes(self._folder / "index")
        self._run(EXAMPLE, "index", "--quiet")
        return EXAMPLE

    def run(self, *arguments: str, stdin: str = "") -> str:
        """What `premise-suggest` prints on standard output, in the library's folder."""
        return self._run(self.root, *arguments, stdin=stdin)

    def _run(self, folder: Path, *arguments: str, stdin: str = "") -> str:
        done = subprocess.run(
            [program(), *arguments],
            input=stdin,
            cwd=folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    @contextmanager
    def server(self, capabilities: Any = None) -> Iterator[RawClient]:
        """The language server, for the library."""
        root, client = self.root, RawClient(self.environment, seconds=120)
        try:
            client.shake_hands(root, capabilities, SETTINGS)
            yield client
        finally:
            client.close()

    @cached_property
    def client(self) -> RawClient:
        """One language server for all that is asked without Lean, until `close`."""
        return self._ends.enter_context(self.server())

    def close(self) -> None:
        """End what runs."""
        self._ends.close()


@contextmanager
def workplace() -> Iterator[Workplace]:
    """One in a folder that is removed in the end."""
    with (
        tempfile.TemporaryDirectory(prefix="contract-") as folder,
        closing(Workplace(Path(folder))) as place,
    ):
        yield place


def lasting(answer: Any, root: Path) -> Any:
    """An answer without what is of the day or of the machine."""
    if isinstance(answer, dict):
        kept = {key: value for key, value in answer.items() if key not in _PASSING}
        return {lasting(key, root): lasting(value, root) for key, value in kept.items()}
    if isinstance(answer, list):
        return [lasting(value, root) for value in answer]
    return (
        answer.replace(root.as_uri(), "ROOT").replace(str(root), "ROOT")
        if isinstance(answer, str)
        else answer
    )


def premise_line(premise: Mapping[str, Any]) -> str:
    """A premise as a line: its name and score, and what else is known of it."""
    facts = [fact for fact in _FACTS if premise[fact]]
    scope = premise["import"].replace("import ", "in ") if premise["in_scope"] is False else ""
    return " ".join(filter(None, [premise["name"], f"{premise['score']:.3f}", scope, *facts]))
