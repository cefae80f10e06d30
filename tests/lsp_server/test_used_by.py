"""Who uses a lemma, and what it uses: the command, and what Lean itself records of the example library."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from lean_extract.common.errors import UserError
from lean_extract.traced.ilean import read_ilean
from lsp_server.commands.demo import EXAMPLE
from lsp_server.engine.engine import Engine
from tests.lsp_server.conftest import Cli, answered, indexed_example, succeed, write

LIBRARY = """\
namespace Own
theorem key (n : Nat) : n = n := rfl
@[deprecated key (since := "2026-01-01")] theorem old (n : Nat) : n = n := key n
theorem first (n : Nat) : n = n := key n
theorem second (n : Nat) : n = n := by exact (first n).trans (key n)
def stated (n : Nat) (_ : key n = key n) : Nat := n
end Own
"""


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory, cli: Cli) -> Path:
    """An indexed project of a few theorems."""
    folder = tmp_path_factory.mktemp("uses")
    (folder / "lakefile.toml").write_text('name = "Own"\n\n[[lean_lib]]\nname = "Own"\n', encoding="utf-8")
    write(folder, Own=LIBRARY)
    succeed(cli, "index", folder)
    return folder


def test_the_proofs_that_use_a_lemma_and_what_it_uses_are_listed_with_their_places(
    own: Path, cli: Cli
) -> None:
    found = answered(cli, "uses", "Own.key", "--project", own)
    places = [(one["name"], one["path"], one["line"]) for one in found["used_by"]]
    file = str(own / "Own.lean")
    assert places == [("Own.old", file, 3), ("Own.first", file, 4), ("Own.second", file, 5)]
    assert found["used_by"][0]["deprecated"] and not found["used_by"][1]["deprecated"]
    assert (found["used_by_count"], [one["name"] for one in found["uses"]]) == (3, ["rfl"])
    found = answered(cli, "uses", "Own.second", cwd=own)
    assert [one["name"] for one in found["uses"]][:2] == ["Own.key", "Own.first"]


def test_a_person_reads_what_replaced_a_lemma_and_how_many_more_there_are(own: Path, cli: Cli) -> None:
    old = succeed(cli, "uses", "`Own.old`", cwd=own).stdout
    assert "deprecated: use key" in old and "No known proof names it" in old
    text = succeed(cli, "uses", "Own.key", "--k", "1", cwd=own).stdout
    assert f"Used by 3 proofs\n  Own.old  {own / 'Own.lean'}:3  (deprecated)\n  and 2 more\n" in text


def test_a_name_that_is_not_there_is_answered_with_near_ones(own: Path, cli: Cli) -> None:
    done = cli("uses", "Own.kye", cwd=own)
    assert done.returncode == 2
    assert done.stderr.startswith(
        "error: There is no declaration `Own.kye` in the index.\nhint: The nearest are "
    )


PROTECTED = ("Nat.monotone_of_le_succ", "Nat.le_trans", "le_trans")
"""A proof, what it is taken to use, and what it does use: that the former is protected, only its own file says."""


@dataclass(frozen=True)
class Recorded:
    """A use of one theorem in another's proof, as Lean records it."""

    user: str
    used: str
    is_by_name: bool
    """Whether the text gives the used theorem's name there, and not only a field after a dot."""


def recorded(oleans: Path) -> Iterator[Recorded]:
    """The uses in the proofs of the example library."""
    for path in sorted(EXAMPLE.rglob("*.lean")):
        text = path.read_text(encoding="utf-8")
        ilean = read_ilean(oleans / path.relative_to(EXAMPLE).with_suffix(".ilean"), text)
        lines = text.split("\n")
        mentions = ilean.mentions()
        for user in ilean.declared.keys() & mentions.keys():
            name = ilean.declared[user].name.end
            for place, used in mentions[user]:
                statement = "\n".join([*lines[name.line : place.line], lines[place.line][: place.column]])
                is_in_proof = re.search(r":=|\n *\|", statement[name.column :]) is not None
                if is_in_proof and used != user:
                    yield Recorded(user, used, lines[place.line][place.column - 1 : place.column] != ".")


async def test_what_lean_records_of_the_example_library_is_found(
    tmp_path: Path,
    cli: Cli,
    environment: dict[str, str],
    example_oleans: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root = indexed_example(tmp_path / "example", cli)
    for variable in ("PREMISE_SUGGEST_INDEX", "PREMISE_SUGGEST_MODEL", "XDG_CACHE_HOME"):
        monkeypatch.setenv(variable, environment[variable])
    lean = [*recorded(example_oleans)]
    engine = Engine(root)
    found: set[tuple[str, str]] = set()
    theorems: set[str] = set()
    try:
        for name in sorted({one for use in lean for one in (use.user, use.used)}):
            with suppress(UserError):  # of Lean's core, which the example library does not declare
                answer = await engine.uses(name, k=1000)
                theorems |= {name} if answer.premise.kind in ("theorem", "lemma") else set()
                found |= {(one.name, name) for one in answer.used_by}
    finally:
        await engine.close()
    wanted = [use for use in lean if use.user in theorems and use.used in theorems]
    named = {(use.user, use.used) for use in wanted if use.is_by_name}
    dotted = {(use.user, use.used) for use in wanted} - named
    both = {pair for pair in found if theorems.issuperset(pair)}
    assert len(named) > 900 and len(dotted) > 100
    assert named - found <= {(PROTECTED[0], PROTECTED[2])}
    assert len(dotted & found) > len(dotted) // 2, "a type before a dot is not always known from the text"
    assert both - named - dotted <= {(PROTECTED[0], PROTECTED[1])}
