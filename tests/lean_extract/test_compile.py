"""Headers and import order, without Lean."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import ProjectBroken
from lean_extract.toolchains.compile import (
    CompilationStopped,
    compile_folder,
    header_imports,
    import_order,
    read_sources,
)
from tests.files import write_modules

MODULE_NAMES = st.lists(
    st.sampled_from(["A", "B.C", "Mathlib.Order.Basic", "«x y»".replace(" ", "_")]), max_size=4
)
FILLER = st.sampled_from(
    ["", "\n", "-- import Wrong\n", "/- import Wrong -/", "/-- a\nimport Wrong -/\n", "  "]
)


def test_only_files_of_the_folder_are_compiled(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "build").mkdir(parents=True)
    (folder / "build" / "A.lean").write_text("import B\n")
    (folder / "B.lean").write_text("-- in it\n")
    (tmp_path / "Out.lean").write_text("-- out of it\n")
    (folder / "Out.lean").symlink_to("../Out.lean")
    (folder / "Within.lean").symlink_to("B.lean")
    (folder / "Elsewhere").symlink_to(tmp_path)
    os.mkfifo(folder / "Pipe.lean")
    (folder / os.fsdecode(b"caf\xe9.lean")).write_text("")
    assert list(read_sources(folder)) == ["B", "Within", "build.A"]


@given(MODULE_NAMES, st.lists(FILLER, min_size=6, max_size=6), st.booleans())
def test_imports_are_read_through_comments(names: list[str], filler: list[str], is_prelude: bool) -> None:
    text = filler[4] + ("prelude\n" if is_prelude else "")
    for name, gap in zip(names, filler, strict=False):
        text += f"{gap}import {name}\n"
    text += filler[5] + "\ntheorem import_ : True := trivial\n"
    assert header_imports(text) == (() if is_prelude else ("Init",)) + tuple(names)


def test_imports_of_the_module_system() -> None:
    header = "module\n\npublic import A.B\nimport all C\npublic meta import D -- why\nmeta import E\n"
    text = header + "\npublic section\nimport F"
    assert header_imports(text) == ("Init", "A.B", "C", "D", "E")


def test_a_word_that_begins_like_a_keyword_ends_the_header() -> None:
    assert header_imports("import A\nimportant B") == ("Init", "A")
    assert header_imports("preludes\nimport A") == ("Init",)


def test_modules_come_behind_their_imports(tmp_path: Path) -> None:
    write_modules(tmp_path, A="import B.C\nimport Elsewhere", B__C="import D", D="")
    assert [source.module for source in import_order(read_sources(tmp_path))] == ["D", "B.C", "A"]


def test_a_circle_of_imports_is_named(tmp_path: Path) -> None:
    write_modules(tmp_path, A="import B", B="import A")
    with pytest.raises(ProjectBroken, match=r"A -> B -> A|B -> A -> B") as raised:
        import_order(read_sources(tmp_path))
    assert raised.value.hint


def test_the_lean_that_compiles_is_killed_when_nobody_wants_it(tmp_path: Path) -> None:
    """A Lean that tells its process by a pipe and then never ends."""
    begun, sources = tmp_path / "begun", tmp_path / "sources"
    os.mkfifo(begun)
    sources.mkdir()
    (sources / "Slow.lean").write_text("prelude\n")
    program = tmp_path / "lean.py"
    program.write_text(
        "import os, signal, sys\n"
        f"with open({str(begun)!r}, 'w') as pipe: pipe.write(str(os.getpid()))\n"
        "signal.pause()\n"
    )
    stop = Event()
    with ThreadPoolExecutor(1) as pool:
        compiling = pool.submit(
            compile_folder,
            sources,
            tmp_path / "out",
            lean_command=(sys.executable, str(program)),
            environment={},
            identity="",
            rejected=lambda error: None,
            stop=stop,
        )
        process = int(begun.read_text())
        stop.set()
        with pytest.raises(CompilationStopped):
            compiling.result(20)
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    assert not list((tmp_path / "out").rglob("*.olean"))
