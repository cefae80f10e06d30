"""Augmentation of training states: variables renamed, notation off, or both; printed as a newer Lean does.

A model trained on augmented states does not depend on what a goal looks like.

    python -m retriever augment DATASET TOKENIZER

The tokens are kept next to the dataset (`variants-*.npz`), one row for each query and kind. A held-out
query's row is its own state, since nothing is trained on it.
"""

from __future__ import annotations

import argparse
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from random import Random

import numpy as np
from tqdm import tqdm

from lean_extract.common.errors import ModelError
from lean_extract.common.files.atomic import replacing_bytes
from lean_extract.records import Goal
from lean_extract.syntax.inaccessible import without_marks
from lean_extract.syntax.operators import NULLARY
from lean_extract.syntax.placed import range_of
from lean_extract.syntax.statement_syntax import placed_words, words_of
from lean_extract.syntax.symbol_terms import syntax_of
from lean_extract.syntax.terms import SyntaxNode
from lean_extract.syntax.without_notation import functional
from retriever.lean.augmentation.renaming import renamed
from retriever.lean.dataset.dataset import load_dataset, read_manifest
from retriever.lean.dataset.queries import DatasetQuery, goal_to_read
from retriever.models import text as texts
from retriever.training.tokens import Ragged, encode_states, open_tokenizer

VERSION = 4
_Augmentation = Callable[[Goal, Random], Goal]

KINDS: dict[str, _Augmentation] = {
    "renamed": renamed,
    "notation_off": lambda goal, random: goal.rewritten(functional),
    "both": lambda goal, random: renamed(goal, random).rewritten(functional),
    "dotted": lambda goal, random: dotted(goal),
    "shortened": lambda goal, random: dotted(shortened(goal, random)),
}
"""The kinds of augmentation, in the order of what `load_augmented` returns."""


def augmented(kind: str, query: DatasetQuery) -> Goal:
    """The query's goal, augmented; always the same for the same theorem and goal. A held-out one stays as it is."""
    if query.split != "train":
        return query.goal
    return KINDS[kind](goal_to_read(query), Random(f"{kind} {query.theorem} {query.goal.target}"))


def load_augmented(dataset: Path, tokenizer: Path) -> tuple[Ragged, ...]:
    """For each of KINDS the states of all queries, [queries]; from the cache, or made now and kept there.

    Raises ModelError, BadRecords.
    """
    path = _cache(dataset, tokenizer)
    if path.is_file():
        with np.load(path) as values:
            return tuple(Ragged(values[f"{kind}.flat"], values[f"{kind}.offsets"]) for kind in KINDS)
    return _make_augmented(dataset, tokenizer, path)


def _make_augmented(dataset: Path, tokenizer: Path, path: Path) -> tuple[Ragged, ...]:
    """Augment and tokenise every training state, and keep the tokens at `path`."""
    queries = load_dataset(dataset).queries
    model = open_tokenizer(tokenizer)
    model.no_truncation()
    model.no_padding()
    found = {kind: encode_states(model, _texts(kind, queries)) for kind in KINDS}
    parts = {f"{kind}.flat": rows.flat for kind, rows in found.items()}
    starts = {f"{kind}.offsets": rows.offsets for kind, rows in found.items()}
    with replacing_bytes(path) as stream:
        np.savez(stream, **parts, **starts)  # type: ignore[arg-type]
    return tuple(found.values())


def _texts(kind: str, queries: Iterable[DatasetQuery]) -> Iterable[str]:
    bar = tqdm(queries, desc=kind, unit=" states", mininterval=2, disable=None)
    return (texts.state_text(augmented(kind, query)) for query in bar)


def _cache(dataset: Path, tokenizer: Path) -> Path:
    if not tokenizer.is_file():
        raise ModelError(f"There is no tokenizer {tokenizer}.", "Train one, or name another.")
    key = f"{read_manifest(dataset).digest} {texts.VERSION} {VERSION} {tokenizer.read_text(encoding='utf-8')}"
    return dataset / f"variants-{hashlib.sha256(key.encode()).hexdigest()[:16]}.npz"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("dataset", type=Path, help="a dataset folder")
    parser.add_argument("tokenizer", type=Path, help="a tokenizer.json")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    rows = load_augmented(options.dataset, options.tokenizer)
    print(f"{len(rows[0])} states, {len(rows)} augmentations of each")


_OPERATIONS = frozenset("+-*/%^∪∩\\⊔⊓") | {"++"}
"""Operators whose value is of the type of their operands."""
_FULL_NAME = re.compile(r"(?<![\w.'!?»])[^\W\d_a-zα-ω][\w'!?]*(?:\.[^\W\d][\w'!?]*)+")


def dotted(goal: Goal) -> Goal:
    """The goal with the applications in dot notation that are known to be printed so.

    Since Lean 4.8 `Nat.Even n` is printed as `n.Even` (generalised field notation): if the first explicit argument is
    of a type `N …`, and the function is `N.f`. Types are known of hypotheses, and of operations on them.
    """
    types = {
        without_marks(name): head
        for hypothesis in goal.hypotheses
        if (head := _head_of(hypothesis.type))
        for name in hypothesis.names
    }
    return goal.rewritten(lambda text: _Printed(text, types).text)


def shortened(goal: Goal, random: Random) -> Goal:
    """The goal with a name's first namespaces left out, the same in all of its texts, as where they are opened."""
    chosen: dict[str, str] = {}

    def short(found: re.Match[str]) -> str:
        parts = found[0].split(".")
        return chosen.setdefault(found[0], ".".join(parts[random.randrange(len(parts)) :]))

    return goal.rewritten(lambda text: _FULL_NAME.sub(short, text))


def _head_of(type_: str) -> str:
    """The constant that a type is an application of; empty if it is not one."""
    node = syntax_of(words_of(type_))
    first = node.parts[0] if node.kind == "applied" else node
    return NULLARY.get(first.text, first.text) if first.kind == "name" else ""


class _Printed:
    """One text in dot notation. `types`: the constants that the types of local names are applications of."""

    def __init__(self, text: str, types: Mapping[str, str]) -> None:
        self._original, self._types = text, types
        self._tokens = placed_words(text)
        root = syntax_of(words_of(text))
        if root.end == len(self._tokens) and root.end:
            start, end = range_of(root, self._tokens)
            self.text = text[:start] + self._written(root) + text[end:]
        else:
            self.text = text

    def _written(self, node: SyntaxNode) -> str:
        inner = [part for part in node.parts if part.end > part.start]
        if node.kind == "applied" and len(inner) == len(node.parts) and self._is_field(*node.parts[:2]):
            _, receiver, *others = map(self._written, node.parts)
            field = node.parts[0].text.rpartition(".")[2]
            return " ".join([f"{receiver}.{field}", *others])
        start, end = range_of(node, self._tokens)
        written, at = "", start
        for part in inner:
            begin, part_end = range_of(part, self._tokens)
            written += self._original[at:begin] + self._written(part)
            at = part_end
        written += self._original[at:end]
        return written[1:-1] if self._is_in_needless_brackets(node, written) else written

    def _is_in_needless_brackets(self, node: SyntaxNode, written: str) -> bool:
        """Whether brackets were around an application that has become one name: `f (Nat.succ n)`, `f n.succ`."""
        return _is_round(node) and node.parts[0].kind == "applied" and " " not in written

    def _is_field(self, function: SyntaxNode, receiver: SyntaxNode) -> bool:
        namespace, dot, _ = function.text.rpartition(".")
        owner = self._type(receiver)
        is_one = receiver.kind == "name" or (_is_round(receiver) and receiver.parts[0].kind != "applied")
        return function.kind == "name" and bool(dot and owner) and is_one and _agree(namespace, owner)

    def _type(self, node: SyntaxNode) -> str:
        """The constant that the type of a term is an application of; empty where that is not known."""
        if node.kind == "name":
            return self._types.get(node.text, "")
        if _is_round(node):
            return self._type(node.parts[0])
        if node.kind == "infix" and node.text in _OPERATIONS:
            left, right = node.parts
            return self._type(left) or ("" if node.text == "^" else self._type(right))
        return ""


def _is_round(node: SyntaxNode) -> bool:
    """Whether a node is round brackets around one term, without its type."""
    return (
        node.kind == "brackets"
        and node.text == "("
        and len(node.parts) == 1
        and node.parts[0].end == node.end - 1
    )


def _agree(one: str, other: str) -> bool:
    """Whether two names may be the same, one without its first namespaces."""
    return f".{one}".endswith(f".{other}") or other.endswith(f".{one}")
