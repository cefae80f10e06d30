"""A module that Lake has not built is not imported to try its lemmas, and a sentence says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lean_extract.records import Position
from lsp_server.engine.engine import Engine
from lsp_server.engine.requests import SuggestRequest
from prover.verify import GoalPosition
from tests.lake.projects import LakeProject

pytestmark = pytest.mark.lean

LAKEFILE = 'name = "lib"\n\n[[lean_lib]]\nname = "Lib"\n'
STEP = "(f : Nat → Nat) (n : Nat) : f (n + 1) = f n + 3"
FAR = f"axiom step {STEP}\n"
"""What no search can prove."""


async def test_a_module_is_imported_once_it_is_built(
    lake_project: Callable[..., LakeProject], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREMISE_SUGGEST_INDEX", str(tmp_path / "index"))
    files = {"lakefile.toml": LAKEFILE, "Lib.lean": "import Lib.Far\n", "Lib/Far.lean": FAR}
    project = lake_project(files=files)
    project.write({"Lib/Far.lean": f"{FAR}\n-- changed since it was built\n"})
    text = f"theorem t {STEP} := by\n  sorry\n"
    engine = Engine(project.root, toolchain=project.toolchain)
    try:
        await engine.update_index(lambda *_: None, lambda: False)
        request = SuggestRequest(GoalPosition(project.root / "New.lean", text, Position(1, 2)), tactics=True)
        unbuilt = await engine.suggest(request)
        assert all(one.import_line is None for one in unbuilt.tactics)
        assert any(one.startswith("`import Lib.Far` was not tried") for one in unbuilt.warnings)
        project.build()
        built = await engine.suggest(request)
        assert (built.tactics[0].status, built.tactics[0].import_line) == ("closes", "import Lib.Far")
    finally:
        await engine.close()
