"""A little library with something to learn, and the debug run on it."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from pathlib import Path

from lean_extract.records import (
    Import,
    InnerGoal,
    Module,
    Position,
    Premise,
    Proof,
    Record,
    Span,
)
from retriever.training.running.config import TrainConfig, load_config

OPERATIONS = [
    "join",
    "meet",
    "mix",
    "fold",
    "glue",
    "twist",
    "span",
    "cut",
    "braid",
    "stack",
    "weave",
    "pair",
]
LAWS = {
    "comm": ("(x y : S)", "{op} x y = {op} y x"),
    "assoc": ("(x y z : S)", "{op} ({op} x y) z = {op} x ({op} y z)"),
    "unit": ("(x : S)", "{op} x unit = x"),
    "idem": ("(x : S)", "{op} x x = x"),
    "cancel": ("(x y z : S) (h : {op} x y = {op} x z)", "y = z"),
}
USES = {
    "swap_last": ("(p q r : S)", "{op} ({op} p q) r = {op} ({op} p r) q", ("comm", "assoc")),
    "drop_unit": ("(p q : S)", "{op} p ({op} q unit) = {op} p q", ("unit",)),
    "twice": ("(p q : S)", "{op} ({op} p q) ({op} p q) = {op} p q", ("idem",)),
    "left": ("(p q r : S) (e : {op} p q = {op} p r)", "q = r", ("cancel",)),
    "rotate": ("(p q r : S)", "{op} p ({op} q r) = {op} r ({op} p q)", ("comm", "assoc")),
}


def _premise(name: str, module: str, line: int, context: str, conclusion: str) -> Premise:
    binders = tuple(f"({part}" for part in context.strip("(").split(" (") if part)
    span = Span(Position(line, 0), Position(line + 1, 0))
    return Premise(name, "theorem", module, ("{S : Type*}", *binders), conclusion, span)


def library() -> list[Record]:
    """Twelve operations, five laws of each, and theorems that use them: small, with something to learn."""
    records: list[Record] = []
    for place, operation in enumerate(OPERATIONS):
        module = f"Little.{operation.capitalize()}"
        imports = (Import(f"Little.{OPERATIONS[place - 1].capitalize()}"),) if place else ()
        records.append(Module(module, f"{module.replace('.', '/')}.lean", imports))
        for line, (law, (context, conclusion)) in enumerate(LAWS.items()):
            name = f"Little.{operation}_{law}"
            records.append(
                _premise(name, module, line, context.format(op=operation), conclusion.format(op=operation))
            )
        for line, (use, (context, conclusion, laws)) in enumerate(USES.items(), start=len(LAWS)):
            name = f"Little.{operation}_{use}"
            records.append(
                _premise(name, module, line, context.format(op=operation), conclusion.format(op=operation))
            )
            premises = tuple(f"Little.{operation}_{law}" for law in laws)
            inner = InnerGoal(
                "have", f"{operation} p unit = p", ("{S : Type*}", "(p : S)"), (f"Little.{operation}_unit",)
            )
            records.append(Proof(name, module, premises, (), (inner,), is_tactic=True))
    random.Random(0).shuffle(records)
    return records


@dataclass(frozen=True)
class DebugData:
    """A dataset folder and a tokenizer of the little library."""

    dataset: Path
    tokenizer: Path

    def config(self, run: Path) -> TrainConfig:
        """The debug preset of the retriever on it."""
        return replace(load_config(Path("debug")), dataset=self.dataset, tokenizer=self.tokenizer, run=run)
