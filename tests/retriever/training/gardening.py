"""An invented corpus in NaturalProofs' layout, with something to learn, and the runs that learn it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from retriever.documents.schema import Corpus, DocumentProof, Statement
from retriever.documents.store import write_corpus
from retriever.naturalproofs.splits import make_splits
from tests.commands import command

PLANTS = ("rose", "tulip", "fern", "moss", "ivy", "sage", "thyme", "dill", "mint", "reed", "lily", "oak")
LAWS = {
    "grows": "Every {plant} in a bed of depth $n$ grows.",
    "blooms": "A {plant} that grows with $n > 2$ blooms.",
    "spreads": "If a {plant} blooms then it spreads along $x + y$.",
}
USES = {
    "border": ("A border of {plant} planted at depth $n$ is green.", ("grows",)),
    "bouquet": ("A bouquet of {plant} can be picked when $n = 3$.", ("grows", "blooms")),
    "meadow": ("In time a {plant} covers the meadow $x + y$.", ("blooms", "spreads")),
    "hedge": ("A hedge of {plant} closes the garden.", ("spreads", "grows")),
}


def gardening() -> Corpus:
    """Twelve plants, three laws of each, and four theorems of each whose proofs use them."""
    numbers: dict[str, int] = {}
    definitions, theorems = [], []
    for plant in PLANTS:
        for law, text in LAWS.items():
            label = f"{plant}-law-{law}"
            numbers[label] = len(numbers)
            definitions.append(_statement(numbers[label], label, text.format(plant=plant), "definition", ()))
    for plant in PLANTS:
        for use, (text, laws) in USES.items():
            label = f"{plant}-lemma-{use}"
            numbers[label] = len(numbers)
            refs = tuple(f"{plant}-law-{law}" for law in laws)
            proof = DocumentProof(("As is known.",), refs, tuple(numbers[ref] for ref in refs))
            theorems.append(_statement(numbers[label], label, text.format(plant=plant), "theorem", (proof,)))
    random.Random(0).shuffle(theorems)
    return Corpus(theorems=tuple(theorems), definitions=tuple(definitions))


def _statement(id: int, label: str, text: str, kind: Any, proofs: tuple[DocumentProof, ...]) -> Statement:
    return Statement(
        id=id,
        type=kind,
        label=label,
        title=label,
        contents=(text,),
        refs=(),
        ref_ids=(),
        proofs=proofs,
    )


PAIRWISE: dict[str, Any] = {"pairs": 64, "batch": {"questions": 16, "corpus_negatives": 8}}
"""The settings of a bag of words that learns the corpus."""


@dataclass(frozen=True, slots=True)
class Garden:
    """The corpus as a file, its tokenizer, and where runs go."""

    corpus: Path
    tokenizer: Path
    work: Path

    def values(self, kind: str, run: str, **settings: Any) -> dict[str, Any]:
        """A run of seconds."""
        shape = {"layers": 0, "hidden": 32, "heads": 2, "intermediate": 64, "positions": 64, "dropout": 0.0}
        schedule = {
            "steps": 40,
            "learning_rate": 3e-3,
            "warmup": 0.1,
            "evaluate_every": 20,
            "checkpoint_every": 20,
            "log_every": 20,
        }
        common: dict[str, Any] = {
            "kind": kind,
            "dataset": str(self.corpus),
            "tokenizer": str(self.tokenizer),
            "run": str(self.work / run),
            "model": shape,
            "lengths": {"query": 48, "document": 48},
            "schedule": schedule,
        }
        for name, value in settings.items():
            common[name] = {**common[name], **value} if isinstance(common.get(name), dict) else value
        return common

    def train(self, kind: str, run: str, *arguments: str, **settings: Any) -> Path:
        """Train to the end, through the command line; the run's folder."""
        return self.train_values(self.values(kind, run, **settings), *arguments)

    def train_values(self, values: dict[str, Any], *arguments: str) -> Path:
        """Train what a preset of these values says; the run's folder."""
        run = Path(values["run"])
        preset = run.with_suffix(".yaml")
        preset.write_text(yaml.safe_dump(values), encoding="utf-8")

        assert command("retriever train")([preset, *arguments]) == 0
        return run


def plant(work: Path) -> Garden:
    """Write corpus and tokenizer."""
    corpus = gardening()
    source, tokens = work / "gardening.json", work / "tokenizer.json"
    write_corpus(source, corpus, make_splits(corpus, 0))
    arguments = [source, tokens, "--backend", "naturalproofs", "--vocabulary", "300"]
    assert command("retriever tokenizer")(arguments) == 0
    return Garden(source, tokens, work)
