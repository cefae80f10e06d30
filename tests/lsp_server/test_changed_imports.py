"""An imported file that has changed since it was built: a running server and a new process say the same of it."""

from __future__ import annotations

import asyncio
import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from lean_extract.toolchains.packaged import PackagedLean
from tests.lake.projects import EMPTY_MANIFEST, LakeProject, make_toolchain
from tests.lsp_server.conftest import QUIET, Cli, Editor, answered, start_editor, stop_editor, write

pytestmark = pytest.mark.lean

GOOD = "theorem of_a (n : Nat) : n + 0 = n := by\n  rfl\n"
BROKEN = f"{GOOD}theorem bad (n : Nat) : n = n := by\n  exact no_such\n"
USE = "import A\n\ntheorem use (n : Nat) : n + 0 = n := by\n  sorry\n"
PLACE = (3, 2)
WARNING = (
    "A.lean has an error since it was last built (line 4: Unknown identifier `no_such`). Goals and verdicts are those"
    " of that build. Fix A.lean and save it."
)


@pytest.fixture
def library(tmp_path: Path, cli: Cli) -> Path:
    """Two files, one of which imports the other, indexed and compiled."""
    folder = tmp_path / f"lib-{tmp_path.name}"
    folder.mkdir()
    (folder / "lean-toolchain").write_text("leanprover/lean4:v4.35.0\n", encoding="utf-8")
    write(folder, A=GOOD, B=USE)
    assert cli("index", folder).returncode == 0
    return folder


async def asked(editor: Editor, name: str = "B.lean") -> Any:
    answer = await editor.suggest(name, *PLACE, tactics=True)
    assert answer["goal"].endswith("⊢ n + 0 = n")
    return answer


def asked_anew(cli: Cli, folder: Path, name: str = "B.lean") -> Any:
    """A new process asks."""
    line, column = PLACE
    at = ("--line", str(line + 1), "--column", str(column + 1))
    return answered(cli, "suggest", "--file", folder / name, *at, "--tactics")


def closing(answer: Any) -> bool:
    return any(tactic["status"] == "closes" for tactic in answer["tactics"])


@pytest.mark.parametrize("options", [{"index": {"auto": False}}, QUIET], ids=["kept fresh", "left alone"])
async def test_an_import_that_was_saved_with_an_error_is_told_everywhere(
    cli: Cli, library: Path, environment: dict[str, str], options: Any
) -> None:
    editor = await start_editor(library, environment, options=options)
    editor.open("B.lean")
    assert (await asked(editor))["warnings"] == []
    write(library, A=BROKEN)
    editor.client.text_document_did_save(
        types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(editor.uri("A.lean")))
    )
    answers = [await asked(editor), await asked(editor), asked_anew(cli, library)]
    assert [answer["warnings"] for answer in answers] == [[WARNING]] * 3
    assert all(map(closing, answers))
    write(library, A=GOOD)
    assert [(await asked(editor))["warnings"], asked_anew(cli, library)["warnings"]] == [[], []]
    await stop_editor(editor)


async def test_while_a_saved_file_is_compiled_and_loaded_lean_goes_on_to_answer(
    library: Path, environment: dict[str, str]
) -> None:
    editor = await start_editor(library, environment, options=QUIET)
    editor.open("B.lean")
    await asked(editor)
    names = (f"New{number}.lean" for number in count())
    for number in range(3):
        write(library, A=f"{GOOD}theorem more{number} : True := trivial\n")
        editor.client.text_document_did_save(
            types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(editor.uri("A.lean")))
        )
        compiled = asyncio.create_task(editor.indexed())
        while not compiled.done():
            name = next(names)
            editor.open(name, USE.removeprefix("import A\n\n"))  # what imports it waits until it is compiled
            answer = await editor.suggest(name, 1, 2, tactics=True)
            assert answer["warnings"] == [] and closing(answer)
    editor.open("C.lean", USE.replace("sorry", "have := more2\n  sorry"))
    answer = await editor.suggest("C.lean", 4, 2)
    assert answer["goal"].startswith("n : ℕ\nthis : True")
    await stop_editor(editor)


async def test_a_view_is_told_with_its_first_answer(library: Path, environment: dict[str, str]) -> None:
    """The view shows partial answers: the first one already has the warning."""
    editor = await start_editor(library, environment, options=QUIET)
    editor.open("B.lean")
    await asked(editor)
    write(library, A=BROKEN)
    await editor.suggest("B.lean", *PLACE, tactics=True, partialResultToken="parts")
    first = await editor.progress.get()
    assert first["tactics_status"] == "running" and first["warnings"] == [WARNING]
    await stop_editor(editor)


async def test_an_import_through_another_file_is_told_and_one_that_is_not_imported_is_not(
    cli: Cli, library: Path, environment: dict[str, str]
) -> None:
    far, alone_text = USE.replace("import A", "import Between"), USE.removeprefix("import A\n\n")
    write(library, Between="import A\n", Far=far, Alone=alone_text)
    editor = await start_editor(library, environment, options=QUIET)
    for name in ("Far.lean", "Alone.lean"):
        editor.open(name)
    assert (await asked(editor, "Far.lean"))["warnings"] == []
    write(library, A=BROKEN)
    assert (await asked(editor, "Far.lean"))["warnings"] == [WARNING]
    assert asked_anew(cli, library, "Far.lean")["warnings"] == [WARNING]
    alone = await editor.suggest("Alone.lean", 1, 2, tactics=True)
    assert alone["warnings"] == [] and closing(alone)
    await stop_editor(editor)


async def test_a_change_among_many_reaches_the_running_lean(
    library: Path, environment: dict[str, str]
) -> None:
    """More files change than are read into the index before an answer."""
    editor = await start_editor(library, environment, options={"index": {"auto": False}})
    editor.open("B.lean")
    await asked(editor)
    write(library, **{f"Other{number}": f"theorem o{number} : True := trivial\n" for number in range(70)})
    write(library, A=BROKEN)
    assert WARNING in (await asked(editor))["warnings"]
    await stop_editor(editor)


async def test_a_file_that_did_not_exist_is_compiled_for_who_imports_it(
    library: Path, environment: dict[str, str]
) -> None:
    write(library, B=USE.replace("import A", "import New"))
    editor = await start_editor(library, environment, options=QUIET)
    editor.open("B.lean")
    with pytest.raises(Exception, match="no such file in the project"):
        await asked(editor)
    write(library, New=GOOD)
    assert closing(await asked(editor))
    await stop_editor(editor)


async def test_imports_that_became_a_cycle_are_told(
    cli: Cli, library: Path, environment: dict[str, str]
) -> None:
    write(library, C="import A\n", B=USE.replace("import A", "import C"))
    editor = await start_editor(library, environment, options=QUIET)
    editor.open("B.lean")
    assert (await asked(editor))["warnings"] == []
    write(library, A=f"import C\n{GOOD}")
    [said] = (await asked(editor))["warnings"]
    assert (
        said.startswith("The imports form a cycle: ")
        and "Goals and verdicts are those of the last good build." in said
    )
    assert asked_anew(cli, library)["warnings"] == [said]
    await stop_editor(editor)


# With Lake.


@pytest.fixture
def built(packaged_lean: PackagedLean, library: Path, tmp_path: Path) -> LakeProject:
    """The library as a Lake package that has been built."""
    made = LakeProject(library, make_toolchain(tmp_path / "toolchain", "4.35.0", packaged_lean))
    lakefile = 'name = "lib"\n\n[[lean_lib]]\nname = "Lib"\nroots = ["A", "B"]\n'
    made.write({"lakefile.toml": lakefile, "lake-manifest.json": json.dumps(EMPTY_MANIFEST)})
    made.build()
    return made


def variables(built: LakeProject) -> dict[str, str]:
    return {"PATH": built.environment["PATH"]}


OUTDATED = "A.lean has changed since it was last built"


def closers(answer: Any) -> str:
    return "; ".join(one["tactic"] for one in answer["tactics"] if one["status"] == "closes")


async def test_what_lake_has_not_built_again_is_told_and_what_it_has_is_loaded(
    cli: Cli, built: LakeProject, environment: dict[str, str]
) -> None:
    """A new process cannot load what is out of date, as Lake refuses it: it gives the same reason."""
    editor = await start_editor(
        built.root, {**environment, **variables(built)}, options={"index": {"auto": False}}
    )
    editor.open("B.lean")
    found = await asked(editor)
    assert found["warnings"] == [] and "of_a" in closers(found)
    write(built.root, A=GOOD.replace("of_a", "renamed"))
    found = await asked(editor)
    assert found["warnings"] == [
        f"{OUTDATED}. Goals and verdicts are those of that build. Build the project with `lake build`."
    ]
    assert closing(found) and "renamed" not in closers(found)
    refused = cli("suggest", "--file", built.root / "B.lean", "--line", "4", **variables(built))
    assert refused.returncode == 1 and OUTDATED in refused.stderr and "lake build" in refused.stderr
    built.build()
    found = await asked(editor)
    assert found["warnings"] == [] and "renamed" in closers(found)
    await stop_editor(editor)


async def test_an_error_that_lake_has_not_built_is_named_by_a_new_process(
    cli: Cli, built: LakeProject
) -> None:
    write(built.root, A=BROKEN)
    refused = cli("suggest", "--file", built.root / "B.lean", "--line", "4", **variables(built))
    assert refused.returncode == 1
    assert "A.lean:4:9: Unknown identifier `no_such`. B.lean imports this file" in refused.stderr


async def test_what_was_only_touched_is_not_told(built: LakeProject, environment: dict[str, str]) -> None:
    editor = await start_editor(built.root, {**environment, **variables(built)}, options=QUIET)
    editor.open("B.lean")
    await asked(editor)
    write(built.root, A=BROKEN)
    write(built.root, A=GOOD)
    assert (await asked(editor))["warnings"] == []
    await stop_editor(editor)
