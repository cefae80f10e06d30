"""What is counted of an evaluation's rows, and what its index and its problems leave out."""

from __future__ import annotations

import json
import subprocess
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.commands.eval_premises import without_owners
from lsp_server.commands.eval_report import (
    figures_of,
    markdown,
    notes,
    pass_at,
    picture,
    plain,
    read_run,
    table,
    to_json,
)
from prover.search.problems import Problem
from prover.search.run_folder import ProblemRow, RunDescription, opened
from prover.search.sets import composed, minicore_set
from retriever.search.index.proof_columns import ProofRows, hash_names
from tests.forked import program

SETTINGS = {
    "problems": "p",
    "data": "d",
    "retriever": "bm25",
    "tactics_from": "both",
    "generator": "",
    "seconds": 1,
}


def row(
    name: str, number: int = 1, *, proved: bool = True, level: str = "1", seconds: float = 1.0
) -> ProblemRow:
    return ProblemRow(
        name, number, "proved" if proved else "limit", level, seconds=seconds, nodes=3, tactics=30
    )


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.data())
def test_pass_at_k_is_what_counting_all_draws_gives(found: list[bool], drawn: st.DataObject) -> None:
    k = drawn.draw(st.integers(1, len(found)))
    draws = [any(one) for one in combinations(found, k)]
    assert pass_at(found, k) == pytest.approx(sum(draws) / len(draws))


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(1, 2), st.booleans()), min_size=1))
def test_rates_are_shares_of_problems(asked: list[tuple[str, int, bool]]) -> None:
    rows = [row(name, number, proved=proved) for name, number, proved in asked]
    figures = figures_of(rows)
    first: dict[tuple[str, int], bool] = {}
    for name, number, proved in asked:
        first.setdefault((name, number), proved)
    names = {name for name, _ in first}
    assert figures.rows == len(first)
    assert figures.proved == sum(first.values())
    assert figures.pass_1 is not None
    assert figures.pass_1.problems == len(names)
    shares = [np.mean([value for (one, _), value in first.items() if one == name]) for name in names]
    assert figures.pass_1.percent.mean == pytest.approx(100 * float(np.mean(shares)))
    assert (
        0 <= figures.pass_1.percent.low <= figures.pass_1.percent.mean <= figures.pass_1.percent.high <= 100
    )


def test_what_failed_counts_as_not_proved() -> None:
    figures = figures_of(
        [row("a", seconds=4.0), ProblemRow("b", 1, "failed", "2", error="no"), row("c", proved=False)]
    )
    assert figures.pass_1 is not None
    assert figures.pass_1.percent.mean == pytest.approx(100 / 3)
    assert (figures.failed, figures.proof_seconds, figures.seconds) == (1, 4.0, 2.5)
    assert figures.levels["2"].percent.mean == 0
    long = ProblemRow("d", 1, "proved", proof=("a", "b", "c"), seconds=9.0, memory_mb=70, processes=5)
    mixed = figures_of([row("a", seconds=4.0), row("b", seconds=1.0), row("c", proved=False), long])
    assert (mixed.short_seconds, mixed.proof_seconds, mixed.memory_mb, mixed.processes) == (2.5, 4.0, 70, 5)
    nothing = figures_of([])
    assert (nothing.pass_1, nothing.seconds, nothing.passes) == (None, None, 0)


def written(folder: Path, rows: list[ProblemRow], **settings: str) -> Path:
    passes = max(row.pass_number for row in rows)
    asked = RunDescription({**SETTINGS, **settings}, len({row.name for row in rows}) + 1, passes)
    with opened(folder, asked, resume=False) as results:
        for one in rows:
            results.append(one)
    return folder


def test_tables_and_the_picture_name_every_run(tmp_path: Path) -> None:
    one = written(tmp_path / "one", [row("a"), row("b", proved=False, level="2")])
    two = written(
        tmp_path / "two", [row("a"), row("a", 2), row("b", 2, proved=False, level="2")], retriever="<ours>"
    )
    runs = [read_run(one), read_run(two), read_run(one)]
    lines = table(runs)
    assert [line[0] for line in lines[1:]] == ["bm25, both (one)", "<ours>, both", "bm25, both (one)"]
    assert lines[0][2:6] == ["pass@1 %", "pass@2 %", "level 1", "level 2"]
    assert lines[1][4:6] == ["100.0% of 1", "0.0% of 1"]
    assert len({len(line) for line in plain(lines).splitlines()}) == 1
    assert markdown(lines).count("\n") == 4
    assert any("2 of 3 searches" in note for note in notes(runs))
    assert not any("different problems" in note for note in notes(runs))
    other = read_run(written(tmp_path / "three", [row("a")], data="e"))
    assert "These runs are over different problems." in notes([runs[0], other])
    assert json.loads(json.dumps(to_json(runs)))[0]["figures"]["proved"] == 1
    svg = ElementTree.fromstring(picture(runs))
    texts = [item.text for item in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert {"level 1", "level 2", "all", "<ours>, both"} <= set(texts)


def test_proofs_of_the_problems_neither_vote_nor_count() -> None:
    rows = ProofRows.of_names({"held.out": ["a", "b"], "other": ["b", "c"], "third": ["c"]})
    uses, kept = without_owners({"a": 1, "b": 2, "c": 2}, rows, ["held.out", "unknown"])
    assert uses == {"a": 0, "b": 1, "c": 2}
    lengths, used = kept.aligned(hash_names(["held.out", "other", "third"]))
    assert lengths.tolist() == [0, 2, 1]
    assert used.tolist() == hash_names(["b", "c", "c"]).tolist()
    uses, kept = without_owners({"a": 1}, rows, [])
    assert uses == {"a": 1}
    assert kept.owners.tolist() == rows.owners.tolist()


def test_the_mini_core_s_problems_stand_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    library, problems = tmp_path / "library", tmp_path / "problems"
    (library / "Lib").mkdir(parents=True)
    (problems / "Problems").mkdir(parents=True)
    (library / "lakefile.toml").write_text('name = "lib"\n', encoding="utf-8")
    (library / "Lib" / "A.lean").write_text("theorem fact : True := trivial\n", encoding="utf-8")
    text = "import Lib.A\n/-- level 1 -/\ntheorem one : True := fact\n"
    text += "/-- level 2 -/\ntheorem two : True := one\n"
    (problems / "Problems" / "P.lean").write_text(text, encoding="utf-8")
    found = minicore_set(library, problems)
    assert found.library == library
    assert found.project == composed(library, problems) != library
    one, two = found.posed
    assert isinstance(one, Problem)
    assert isinstance(two, Problem)
    assert (one.level, two.level, two.module) == ("1", "2", "Problems.P")
    assert "one" not in two.theorem.text
    assert "fact" not in one.theorem.text
    (problems / "Problems" / "P.lean").write_text(text.replace("two", "three"), encoding="utf-8")
    assert composed(library, problems) != found.project


def test_what_cannot_be_written_is_said(environment: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with opened(folder, RunDescription(SETTINGS, problems=1, passes=1), resume=False) as results:
        results.append(row("a"))
    (tmp_path / "file").touch()
    asked = [program(), "eval", "report", str(folder)]
    for svg, code, said in [
        (tmp_path, 2, "is a folder"),
        ("", 2, "is a folder"),
        (tmp_path / "file" / "out.svg", 1, "could not be written"),
        ("/proc/out.svg", 1, "could not be written"),
    ]:
        done = subprocess.run(
            [*asked, "--svg", str(svg)], capture_output=True, text=True, env=environment, timeout=60
        )
        assert done.returncode == code, done.stderr
        assert said in done.stderr
        assert "Traceback" not in done.stderr
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            asked, stdout=full, stderr=subprocess.PIPE, text=True, env=environment, timeout=60
        )
    assert done.returncode == 1
    assert done.stderr.startswith("error: The results could not be printed: No space left on device.")
    assert len(done.stderr.splitlines()) == 2
