"""The table of theorems that cases are split with: made of a library's proofs, and read by completion."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_extract.records import Header, Position, Premise, Proof, Span, TacticStep, write_records
from retriever.lean.case_splits import for_case_splits
from retriever.lean.eligibility import RankedPremise
from retriever.search.splits import split_of
from tests.commands import command
from tests.retriever.support import theorem

SPAN = Span(Position(0, 0), Position(0, 1))
EVERY = [f"user{number}" for number in range(400)]
USERS = [name for name in EVERY if split_of(name) == "train"]
HELD_OUT = next(name for name in EVERY if split_of(name) != "train")


def proof(user: str, tactic: str, *used: str) -> Proof:
    return Proof(user, "Lib", used, (TacticStep(tactic, SPAN, used),))


def written(folder: Path, proofs: list[Proof], *options: object) -> dict[str, float]:
    """The table of these proofs by the command."""
    premises: list[Premise | Proof] = [
        theorem(name, "Lib", "p") for name in ("split", "plain", "both", *EVERY)
    ]
    write_records(folder / "records.jsonl", Header("text", "r1"), [*premises, *proofs])
    out = folder / "table.txt"
    assert command("retriever case-splits")([folder / "records.jsonl", "--out", out, *options]) == 0
    about, *lines = out.read_text(encoding="utf-8").splitlines()
    assert about.startswith("# records r1: ")
    return {name: float(odds) for name, odds in (line.split() for line in lines)}


def test_theorems_count_by_how_proofs_use_them(tmp_path: Path) -> None:
    steps = ("obtain h | h := split a", "rcases both with x", "exact both", "exact plain")
    proofs = [
        proof(user, step, *(name for name in ("split", "both", "plain") if name in step))
        for user, step in zip(USERS, steps * 50, strict=False)
    ]
    found = written(tmp_path, proofs)
    assert found["split"] > found["both"] and found["split"] > 0.5
    assert "plain" not in found, "no case is split with it"


def test_held_out_proofs_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "without").write_text(f"{USERS[1]}\n", encoding="utf-8")
    proofs = [proof(USERS[0], "cases both", "both"), proof(USERS[1], "cases split a", "split")]
    proofs.append(proof(HELD_OUT, "cases plain a", "plain"))
    assert written(tmp_path, proofs, "--without", tmp_path / "without").keys() == {"both"}


def test_proofs_that_split_nothing_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = tmp_path / "records.jsonl"
    write_records(records, Header("text", "r1"), [theorem("plain", "Lib", "p")])
    assert command("retriever case-splits")([records, "--out", tmp_path / "table.txt"]) != 0
    assert "splits cases" in capsys.readouterr().err


def test_the_shipped_table_brings_what_splits_cases_forward() -> None:
    ranked = [
        RankedPremise(theorem(name, "Lib", "p"), score, None, None, None)
        for name, score in (("mul_comm", 1.0), ("le_total", 0.5), ("unknown", 0.4))
    ]
    assert for_case_splits(ranked)[0].premise.name == "le_total"
