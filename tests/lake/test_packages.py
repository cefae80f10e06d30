"""Lake is not run where it would fetch packages or write into the project: the user hears what to run instead."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from lean_extract.common.errors import ProjectBroken
from lean_extract.records import Position
from lean_extract.repl import ReplSession
from lean_extract.session import LeanLimits, LeanSession
from lean_extract.session.server import LeanServer
from lean_extract.toolchains.lake_packages import refuse_fetching
from lean_extract.toolchains.toolchain import resolve_lean
from prover.search.theorem import Theorem, check_proof
from tests.lake.projects import LAKEFILE, LakeProject

pytestmark = pytest.mark.lean

FIRST, SECOND = "1" * 40, "2" * 40
GOAL = "theorem t (n : Nat) : n = n := by\n  sorry\n"
DEPENDENCY = {
    "lakefile.toml": 'name = "dep"\n[[lean_lib]]\nname = "Dep"\n',
    "Dep.lean": "theorem of_dep : True := trivial\n",
}
Make = Callable[..., LakeProject]


def requirement(name: str, url: Path, revision: str = FIRST) -> str:
    return f'\n[[require]]\nname = "{name}"\ngit = "{url}"\nrev = "{revision}"\n'


def everything(folder: Path) -> Mapping[str, bytes]:
    """Every file of a folder, with its content."""
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("origin")
    for name, text in DEPENDENCY.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def project(lake_project: Make, origin: Path) -> LakeProject:
    """A built project that requires `dep`, from a folder."""
    lakefile = LAKEFILE + requirement("dep", origin)
    return lake_project(files={"lakefile.toml": lakefile, "Lib.lean": f"import Dep\n{GOAL}"})


def manifest(project: LakeProject) -> Any:
    return json.loads((project.root / "lake-manifest.json").read_text())


def write_manifest(project: LakeProject, **changes: Any) -> None:
    (project.root / "lake-manifest.json").write_text(json.dumps(manifest(project) | changes))


def change_package(project: LakeProject, **changes: Any) -> None:
    [listed] = manifest(project)["packages"]
    write_manifest(project, packages=[{**listed, **changes}])


def hide_checkout(project: LakeProject) -> None:
    checkout(project).rename(project.root / "elsewhere")


def hide_head(project: LakeProject) -> None:
    """Git itself would look above it, and Lake would then delete it."""
    (checkout(project) / ".git" / "HEAD").unlink()
    project.write({".git/HEAD": f"{FIRST}\n"})


def checkout(project: LakeProject) -> Path:
    return project.root / ".lake" / "packages" / "dep"


async def asked(project: LakeProject) -> str:
    """The target that a new session finds."""
    async with await LeanSession.start(project.root, project.toolchain) as session:
        return await target(session)


async def target(session: LeanSession, name: str = "Lib.lean") -> str:
    return (await session.goals_at(Path(name), None, Position(2, 2))).goals[0].target


async def refusal(project: LakeProject) -> ProjectBroken:
    """Why a session does not start; nothing in the project may change."""
    before = everything(project.root)
    with pytest.raises(ProjectBroken) as raised:
        await asked(project)
    assert everything(project.root) == before
    return raised.value


async def test_packages_as_the_manifest_has_them(project: LakeProject) -> None:
    before = everything(project.root)
    assert await asked(project) == "n = n"
    assert everything(project.root) == before
    hide_checkout(project)
    project.build()
    assert await asked(project) == "n = n"


REFUSED: dict[str, tuple[Callable[[LakeProject], object], str, str]] = {
    "a missing package": (hide_checkout, "dep is missing", "`lake build`"),
    "one of Mathlib's": (
        lambda project: change_package(project, name="mathlib"),
        "mathlib is missing",
        "`lake exe cache get`",
    ),
    "another revision": (
        lambda project: change_package(project, rev=SECOND),
        f"dep is at revision {FIRST[:10]} instead of {SECOND[:10]}",
        "",
    ),
    "a folder that is no checkout": (hide_head, "dep is not a Git checkout", ""),
    "a folder that is missing": (
        lambda project: change_package(project, type="path", dir="../nowhere"),
        "dep is missing",
        "correct the lakefile",
    ),
    "no manifest": (
        lambda project: (project.root / "lake-manifest.json").unlink(),
        "has no lake-manifest.json",
        "`lake update`",
    ),
    "a manifest without it, which Lake itself refuses": (
        lambda project: write_manifest(project, packages=[]),
        "dependency 'dep' not in manifest; use `lake update dep` to add it",
        "",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
async def test_what_lake_would_fetch(project: LakeProject, case: str) -> None:
    change, said, hint = REFUSED[case]
    change(project)
    error = await refusal(project)
    assert said in error.message and hint in error.hint


async def test_a_missing_package_for_the_other_commands_of_lake(project: LakeProject) -> None:
    hide_checkout(project)
    before, toolchain = everything(project.root), project.toolchain
    theorem = Theorem.stated(project.root / "Lib.lean", "import Dep", "theorem t : True")
    with pytest.raises(ProjectBroken, match="dep is missing"):
        await check_proof(theorem, ["trivial"], toolchain, project.root)
    with pytest.raises(ProjectBroken, match="dep is missing"):
        await ReplSession.start(project.root, [*toolchain.lean_command, "--server"])
    assert everything(project.root) == before


def test_a_manifest_of_another_name(project: LakeProject) -> None:
    (project.root / "lake-manifest.json").rename(project.root / "own.json")
    with pytest.raises(ProjectBroken, match=r"has no lake-manifest\.json"):
        refuse_fetching(project.root)
    text = (project.root / "lakefile.toml").read_text()
    project.write({"lakefile.toml": f'manifestFile = "own.json"\n{text}'})
    refuse_fetching(project.root)
    hide_checkout(project)
    with pytest.raises(ProjectBroken, match="dep is missing"):
        refuse_fetching(project.root)


async def test_lean_itself_runs_the_lake_beside_it(project: LakeProject) -> None:
    """And where there is none, nothing is refused."""
    (project.root / "lake-manifest.json").unlink()
    lean = resolve_lean(
        project.root, override=str(project.prefix / "bin" / "lean"), environment=project.environment
    )
    assert lean.kind == "path"
    with pytest.raises(ProjectBroken, match=r"has no lake-manifest\.json"):
        await LeanSession.start(project.root, lean)
    (project.prefix / "bin" / "lake").unlink()
    await (await LeanSession.start(project.root, lean)).close()


async def test_no_manifest_and_no_dependencies(lake_project: Make) -> None:
    """Lake would write one that lists nothing."""
    project = lake_project(files={"Lib.lean": f"\n{GOAL}"})
    (project.root / "lake-manifest.json").unlink()
    assert "`lake build`" in (await refusal(project)).hint
    project.build()
    assert await asked(project) == "n = n"


def test_what_overrides_the_manifest(project: LakeProject) -> None:
    hide_checkout(project)
    entry = {"name": "dep", "type": "path", "dir": "elsewhere", "inherited": False}
    overrides = {"schemaVersion": "1.1.0", "packages": [entry]}
    project.write({".lake/package-overrides.json": json.dumps(overrides)})
    refuse_fetching(project.root)


async def test_nothing_is_built_for_a_file_that_was_closed_to_make_room(lake_project: Make) -> None:
    text = f"import Lib.A\n{GOAL}"
    project = lake_project(files={"Lib.lean": text, "Lib/A.lean": "theorem of_a : True := trivial\n"})
    project.write({"Lib/A.lean": "theorem of_a : True := trivial\n\n"})
    before = everything(project.root)
    server = await LeanServer.start(project.root, project.toolchain, LeanLimits())
    try:
        await server.sync(project.root / "Lib.lean", text)
        for number in range(6):
            await server.sync(project.root / f"Other{number}.lean", GOAL)
            await server.wait_elaborated(project.root / f"Other{number}.lean")
        state = await server.wait_elaborated(project.root / "Lib.lean")
    finally:
        await server.close()
    assert state.fatal_error and everything(project.root) == before


async def test_packages_that_move_under_a_running_server(project: LakeProject) -> None:
    async with await LeanSession.start(project.root, project.toolchain) as session:
        assert await target(session) == "n = n"
        project.write({"New.lean": f"import Dep\n{GOAL}"})
        head = checkout(project) / ".git" / "HEAD"
        head.write_text(f"{SECOND}\n")
        with pytest.raises(ProjectBroken, match=f"at revision {SECOND[:10]} instead of {FIRST[:10]}"):
            await target(session, "New.lean")
        assert head.read_text() == f"{SECOND}\n"
        head.write_text(f"{FIRST}\n")
        assert await target(session, "New.lean") == "n = n"
