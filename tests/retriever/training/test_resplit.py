"""Splitting a dataset anew: what each strategy holds out, and that nothing of it is trained on."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lean_extract.records import (
    Goal,
    Header,
    InnerGoal,
    Module,
    Premise,
    Proof,
    ProofState,
    Record,
    TacticStep,
    write_records,
)
from retriever.lean.dataset.dataset import Dataset, build_dataset, load_dataset
from retriever.lean.dataset.queries import DatasetQuery
from retriever.lean.dataset.resplit import SplitPlan, resplit
from retriever.lean.dataset.strategies import STRATEGIES, Strategy, size_of
from tests.commands import command

FILES = ("corpus.jsonl", "queries.jsonl", "modules.jsonl", "manifest.json")


def name(number: int) -> str:
    return f"L.t{number}"


def theorem(number: int, source: int | None, is_private: bool) -> Premise:
    made = {} if source is None else {"generated_by": "to_additive", "generated_from": name(source)}
    return Premise(
        name(number), "theorem", "L", (f"(x{number} : S)",), f"x{number} = y", is_private=is_private, **made
    )


def proof(number: int, uses: list[int], steps: int) -> Proof:
    """A proof whose every part uses something: the whole, a goal inside, `steps` tactics."""
    names = tuple(name(used) for used in uses)
    inner = (InnerGoal("have", f"inner {number}", (), names[:1]),)
    tactics = tuple(
        TacticStep(f"rw {used}", None, (used,), ProofState((Goal((), f"before {number} {used}"),)))
        for used in (names * steps)[:steps]
    )
    return Proof(name(number), "L", names, tactics, inner, is_tactic=bool(tactics))


@st.composite
def libraries(draw: st.DrawFn) -> list[Record]:
    """A few dozen theorems: some private, some made from others in chains, most with a proof."""
    count, made, hidden = draw(st.integers(40, 60)), draw(st.integers(0, 4)), draw(st.integers(0, 2))
    generator = random.Random(draw(st.integers(0, 1000)))
    records: list[Record] = [Module("L", "L.lean")]
    for number in range(count):
        source = generator.randrange(number) if number and generator.randrange(10) < made else None
        records.append(theorem(number, source, generator.randrange(10) < hidden))
        uses = generator.sample(range(count), generator.choice((0, 1, 1, 1, 2, 3)))
        records.append(proof(number, uses, generator.randrange(5)))
    return records


def families(records: list[Record]) -> dict[str, str]:
    """By name, one name of all that are linked through what was generated from what."""
    linked = {record.name: record.name for record in records if isinstance(record, Premise)}
    for _ in linked:  # as often as a chain can be long
        for record in records:
            if isinstance(record, Premise) and record.generated_from:
                linked[record.name] = linked[record.generated_from]
    return linked


def written(folder: Path, records: list[Record]) -> tuple[Path, Path]:
    path = folder / "records.jsonl"
    write_records(path, Header("text", "small"), records)
    build_dataset(path, folder / "dataset")
    return path, folder / "dataset"


@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(libraries(), st.sampled_from(STRATEGIES), st.integers(0, 3))
def test_no_part_of_a_held_out_family_is_trained_on(
    tmp_path_factory: pytest.TempPathFactory, records: list[Record], strategy: Strategy, seed: int
) -> None:
    folder = tmp_path_factory.mktemp("library")
    path, source = written(folder, records)
    old = [record for record in records if isinstance(record, Premise)][::2]
    write_records(folder / "old.jsonl", Header("text", "before"), old)
    plan = SplitPlan(strategy, seed, records=path, older=folder / "old.jsonl")
    resplit(source, folder / "out", plan)
    loaded, before = load_dataset(folder / "out"), load_dataset(source)
    assert loaded.corpus == before.corpus

    linked = families(records)
    parts: dict[str, set[str]] = defaultdict(set)
    for query in loaded.queries:
        parts[linked[query.theorem]].add(query.split)
    assert all(len(found) == 1 for found in parts.values())

    everything = {query.theorem for query in before.queries}
    for part in ("valid", "test"):
        held = {query.theorem for query in loaded.queries if query.split == part}
        assert 1 <= len(held) <= max(len(everything) // 10, len(everything) // 2 * (strategy == "time"))
        for known in held:  # all of a held-out theorem's states are kept, with all they are to find
            assert states(before, known) == states(loaded, known)

    if strategy == "ri":
        golds = {part: used(loaded, part) for part in ("train", "valid", "test")}
        assert golds["train"].isdisjoint(golds["valid"] | golds["test"])
        counts = loaded.use_counts()
        assert all(counts[number] == 0 for number in golds["valid"] | golds["test"])
    if strategy == "time":
        older = {linked[premise.name] for premise in old}
        assert all((found == {"train"}) == (root in older) for root, found in parts.items())
    if strategy in ("rd", "pl", "pf"):
        assert {query.theorem for query in loaded.queries} == everything


def states(dataset: Dataset, known: str) -> list[tuple[str, Goal, tuple[int, ...]]]:
    return [(query.origin, query.goal, query.gold) for query in dataset.queries if query.theorem == known]


def used(dataset: Dataset, part: str) -> set[int]:
    return {number for query in dataset.queries if query.split == part for number in query.gold}


def plain_library(count: int = 400) -> list[Record]:
    """Theorem i has i % 8 + 1 steps (none for multiples of 8), each with one premise more every 50."""
    generator = random.Random(1)
    records: list[Record] = [Module("L", "L.lean")]
    for number in range(count):
        uses = generator.sample(range(number), 1 + number % 5) if number > 5 else []
        records += [theorem(number, None, False), proof(number, uses, number % 8)]
    return records


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_order_of_the_records_does_not_matter_and_the_seed_does(
    tmp_path: Path, strategy: Strategy
) -> None:
    records = plain_library(120)
    write_records(tmp_path / "old.jsonl", Header("text"), records[:120])
    outs = []
    for place, seed in enumerate((0, 0, 1)):
        folder = tmp_path / str(place)
        path, source = written(folder, records)
        resplit(source, folder / "out", SplitPlan(strategy, seed, 8, path, tmp_path / "old.jsonl"))
        outs.append([(folder / "out" / file).read_bytes() for file in FILES])
        random.Random(place).shuffle(records)
    assert outs[0] == outs[1]
    assert outs[0][0] == outs[2][0] and outs[0][1] != outs[2][1]


def test_the_manifest_tells_how_and_from_what(tmp_path: Path) -> None:
    path, source = written(tmp_path, plain_library(100))
    manifest = resplit(source, tmp_path / "out", SplitPlan("ri", 3, records=path))
    assert manifest == load_dataset(tmp_path / "out").manifest
    assert (manifest.strategy, manifest.seed) == ("ri", 3)
    assert manifest.made_from == load_dataset(source).manifest.digest != manifest.digest
    before, after = load_dataset(source).queries, load_dataset(tmp_path / "out").queries
    assert manifest.left_out == {
        "theorems": len({q.theorem for q in before}) - len({q.theorem for q in after}),
        "queries": len(before) - len(after),
        "gold": sum(len(q.gold) for q in before) - sum(len(q.gold) for q in after),
    }
    assert manifest.left_out["gold"] > 0
    assert "strategy" not in json.loads((source / "manifest.json").read_text())


def held_out(queries: tuple[DatasetQuery, ...]) -> set[str]:
    return {query.theorem for query in queries if query.split != "train"}


def test_long_proofs_and_many_premises_are_drawn_more_often(tmp_path: Path) -> None:
    records = plain_library()
    path, source = written(tmp_path, records)
    corpus = {record.name for record in records if isinstance(record, Premise)}
    sizes = {record.theorem: size_of(record, corpus) for record in records if isinstance(record, Proof)}
    means = {}
    for strategy in ("rd", "pl", "pf"):
        resplit(source, tmp_path / strategy, SplitPlan(strategy, records=path))
        found = [sizes[known] for known in held_out(load_dataset(tmp_path / strategy).queries)]
        means[strategy] = (
            sum(size.length for size in found) / len(found),
            sum(size.frequency for size in found) / len(found),
        )
    assert means["pl"][0] > means["rd"][0] + 0.5
    assert means["pf"][1] > means["rd"][1] + 0.2


def test_a_proof_is_measured_by_its_steps_and_a_term_is_one() -> None:
    corpus = {"a", "b", "t"}
    steps = (TacticStep("rw [a, b, a]", None, ("a", "b", "t", "someDef")), TacticStep("simp"))
    sized = size_of(Proof("t", "M", ("a", "b"), steps, is_tactic=True), corpus)
    assert (sized.length, sized.frequency, sized.is_tactic) == (2, 1.0, True)
    term = size_of(Proof("t", "M", ("a", "someDef", "b")), corpus)
    assert (term.length, term.frequency, term.is_tactic) == (1, 2.0, False)


def test_another_benchmarks_theorems_are_not_trained_on_whatever_part_they_fall_into(tmp_path: Path) -> None:
    records = plain_library(100)
    twin = replace(theorem(500, 40, False))
    _, source = written(tmp_path, [*records, twin, proof(500, [1, 2], 1)])
    (tmp_path / "names").write_text("L.t500\nL.t41\n")
    arguments = [str(source), str(tmp_path / "out"), "--strategy", "rd", "--without", str(tmp_path / "names")]
    assert command("retriever resplit")(arguments) == 0
    loaded = load_dataset(tmp_path / "out")
    trained = {query.theorem for query in loaded.queries if query.split == "train"}
    assert trained.isdisjoint({"L.t500", "L.t40", "L.t41"})
    assert "L.t42" in trained | held_out(loaded.queries)


def test_the_older_library_may_be_a_dataset(tmp_path: Path) -> None:
    records = plain_library(120)
    _, source = written(tmp_path / "new", records)
    _, older = written(tmp_path / "old", records[:140])
    arguments = ["--strategy", "time", "--older", str(older)]
    assert command("retriever resplit")([source, tmp_path / "out", *arguments]) == 0
    loaded = load_dataset(tmp_path / "out")
    assert loaded.manifest.older == load_dataset(older).manifest.digest
    assert {int(known[3:]) >= 70 for known in held_out(loaded.queries)} == {True}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--strategy", "pl"], "--records"),
        (["--strategy", "time"], "--older"),
        (["--strategy", "rd", "--size", "0"], "at least 1"),
        (["--strategy", "rd", "--without", "nowhere"], "cannot be read as a list of names"),
        (["--strategy", "time", "--older", "nowhere"], "cannot be read"),
        (["--strategy", "pl", "--records", "other.jsonl"], "of revision"),
    ],
)
def test_what_is_missing_is_named(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    _, source = written(tmp_path, plain_library(40))
    write_records(tmp_path / "other.jsonl", Header("text", "of another"), plain_library(40))
    assert command("retriever resplit")([source, "out", *arguments]) != 0
    assert message in capsys.readouterr().err
    assert not Path("out").exists()


def test_a_dataset_is_split_once_not_onto_itself_and_not_when_too_small(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, source = written(tmp_path, plain_library(60))
    out = tmp_path / "out"
    resplit(source, out, SplitPlan("rd", records=path))
    assert command("retriever resplit")([out, tmp_path / "again", "--strategy", "rd"]) == 2
    assert "split before, by rd" in capsys.readouterr().err
    assert command("retriever resplit")([source, source, "--strategy", "rd"]) == 2
    _, small = written(tmp_path / "small", plain_library(9))
    assert command("retriever resplit")([small, tmp_path / "again", "--strategy", "rd"]) == 1
    assert "Too few theorems" in capsys.readouterr().err
