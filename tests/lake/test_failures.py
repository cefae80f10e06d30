"""What the user reads where Lake cannot prepare a file: the reason, and nothing of how Lake was run."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import LeanError, ProjectBroken
from lean_extract.records import Position
from lean_extract.session import LeanSession
from lean_extract.session.imports import lake_failure
from tests.lake.projects import LAKEFILE, LakeProject

pytestmark = pytest.mark.lean

GOAL = "theorem t (n : Nat) : n = n := by\n  sorry\n"
OF_A = "theorem of_a : True := trivial\n"
FILES = {"Lib.lean": f"import Lib.A\n{GOAL}", "Lib/A.lean": OF_A}
Make = Callable[..., LakeProject]


async def target(session: LeanSession, name: str = "Lib.lean") -> str:
    text = (session._project / name).read_text()
    line = text[: text.index("sorry")].count("\n")
    return (await session.goals_at(Path(name), None, Position(line, 2))).goals[0].target


async def refusal(session: LeanSession, name: str = "Lib.lean") -> LeanError:
    with pytest.raises(ProjectBroken) as raised:
        await target(session, name)
    for hidden in ("setup-file", "_premise_suggest", "toolchain/bin", "Restart File", "build failed"):
        assert hidden not in str(raised.value)
    return raised.value


LAKEFILE_LEAN = "import Lake\nopen Lake DSL\n\npackage lib\n\nlean_lib Lib\n"


@pytest.mark.parametrize(
    ("version", "name", "good", "bad", "expected"),
    [
        ("4.9.1", "lakefile.toml", LAKEFILE, 'name = "lib"\n[[lean_lib\n', "lakefile.toml:2:11:"),
        (
            "4.27.0",
            "lakefile.lean",
            LAKEFILE_LEAN,
            f"{LAKEFILE_LEAN}packge x\n",
            "lakefile.lean:7:0: unexpected identifier",
        ),
    ],
)
async def test_a_mended_lakefile_is_read_again(
    lake_project: Make, version: str, name: str, good: str, bad: str, expected: str
) -> None:
    project = lake_project(version, {**FILES, name: good})
    project.write({name: bad})
    async with await LeanSession.start(project.root, project.toolchain) as session:
        error = await refusal(session)
        assert expected in error.message and error.hint == "Fix that, then try again."
        assert expected in (await refusal(session)).message
        project.write({name: good})
        assert await target(session) == "n = n"


async def test_a_lakefile_that_breaks_under_a_running_server(lake_project: Make) -> None:
    project = lake_project(files={**FILES, "Lib/B.lean": GOAL})
    async with await LeanSession.start(project.root, project.toolchain) as session:
        before = await target(session), session.pid
        project.write({"lakefile.toml": "["})
        assert "project: lakefile.toml:1:" in (await refusal(session, "Lib/B.lean")).message
        project.write({"lakefile.toml": LAKEFILE})
        assert (await target(session, "Lib/B.lean"), session.pid) == before


async def test_what_is_out_of_date_without_a_file_that_is_newer(lake_project: Make) -> None:
    """As after `git checkout` of an older file by a program that keeps times."""
    project = lake_project(files=FILES)
    project.write({"Lib/A.lean": f"{OF_A}\n"})
    os.utime(project.root / "Lib" / "A.lean", (0, 0))
    async with await LeanSession.start(project.root, project.toolchain) as session:
        error = await refusal(session)
    assert error.message.endswith("cannot be loaded: Imports are out of date and must be rebuilt.")
    assert "`lake build`" in error.hint


HEADERS = {
    "module\n\nimport all Lib.A\n": (
        "Other0.lean: cannot `import all` the module `Lib.A` from the package `lib`."
    ),
    "import Lib.Missing\n": "it imports Lib.Missing, and there is no such file in the project",
    "import Lib.B\n": "The imports form a cycle: Lib.B -> Lib.B.",
    "import Lib.C\n": "Lib/C.lean:1:1: cannot import non-`module` Init from `module`.",
}


async def test_headers(lake_project: Make) -> None:
    """`Lib.C` may `import all` of its package, so the error that is shown is another one, its own."""
    project = lake_project(files=FILES)
    project.write({"Lib/B.lean": "import Lib.B\n", "Lib/C.lean": "module\n\nimport all Lib.A\n"})
    project.write({f"Other{number}.lean": text + GOAL for number, text in enumerate(HEADERS)})
    async with await LeanSession.start(project.root, project.toolchain) as session:
        for number, expected in enumerate(HEADERS.values()):
            assert expected in (await refusal(session, f"Other{number}.lean")).message
        project.write({"Lib/A.lean": f"import Lib.A\n{GOAL}"})
        error = await refusal(session, "Lib/A.lean")
    assert error.message.endswith("Lib/A.lean: module imports itself.")


def failed(printed: str) -> str:
    return f"`/p/bin/lake setup-file /p/A.lean - --no-build --no-cache` failed:\n\nstderr:\n{printed}"


@pytest.mark.parametrize(
    ("printed", "reason"),
    [
        ("info: x: no previous manifest\nerror: x: first\nerror: y: last\nerror: build failed\n", "y: last"),
        ("error: a.lean:1:0: why\nerror: a.lean: package configuration has errors\n", "a.lean:1:0: why"),
        ("error: build failed\n", "build failed"),
        (
            "error: no space left on device (error code: 28)\n  file: x\n",
            "no space left on device (error code: 28)",
        ),
        ("uncaught exception: no space left on device\n", "uncaught exception: no space left on device"),
        ("", "Lake gives no reason"),
    ],
)
def test_reasons(printed: str, reason: str) -> None:
    found = lake_failure(failed(printed))
    assert found is not None and found.reason == reason


@given(st.text(max_size=200))
def test_any_output_has_a_reason_of_one_line(printed: str) -> None:
    found = lake_failure(failed(printed))
    assert found is not None and found.reason and "\n" not in found.reason
    assert lake_failure(printed) is None


def test_an_answer_that_lean_does_not_read() -> None:
    found = lake_failure(
        "Invalid output from `/p/bin/lake setup-file /p/A.lean - --no-build`:\n{}\nstderr:\n"
    )
    assert found is not None and found.reason == "Lake gave an answer that this Lean does not understand"
