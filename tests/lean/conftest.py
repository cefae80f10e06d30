"""What Lean says of the example library, asked once a session."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from lean_extract.records import Record, read_records
from lean_extract.toolchains.packaged import CORE_SOURCES
from lean_extract.traced.extract import trace_library
from tests.environments import without_lean
from tests.once import Once

EXAMPLE = CORE_SOURCES.parent / "example"


@pytest.fixture(scope="session")
def traced_example(example_oleans: Path, once: Once) -> list[Record]:
    """The records of the example library from real elaboration, with the states around each tactic."""

    def trace(folder: Path) -> None:
        variables = without_lean(os.environ)
        with pytest.MonkeyPatch.context() as patch:
            for name in os.environ.keys() - variables:
                patch.delenv(name)
            for name, value in variables.items():
                patch.setenv(name, value)
            asyncio.run(trace_library(EXAMPLE, folder / "records.jsonl", True))

    return list(read_records(once.folder("traced-example", trace) / "records.jsonl"))
