"""Training, validation and test examples from the leaves of the reference graph (section 4, Table 4).

python -m retriever naturalproofs-split CORPUS.json [--seed N] [--share 0.16] [--whole] [--out FILE.json]

Prints Table 4's figures of the split that the file has, or else of one that is made here; --out writes the
corpus with it.

Evaluation theorems are theorems that nothing refers to, so that none of them is a reference of a training
example. As in the authors' own split, all such theorems are taken where they are at most --share of the
theorems with an example (Stacks), else so many of them are drawn (ProofWiki). Half are for validation, half
for test. What training ranks is every statement but the evaluation theorems; an evaluation ranks them all.
With --whole every example is a test example, as for the textbooks in Table 4.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from lean_extract.common.errors import BadSettings, UserError
from retriever.documents.schema import Corpus, Example, Split, Splits
from retriever.documents.store import read_corpus, write_corpus
from retriever.metrics.bootstrap import table
from retriever.naturalproofs.graph import build_graph

_SHARE = 0.16
"""The authors wanted 2,200 of ProofWiki's 13,597 theorems with an example; Stacks has 1,551 of 10,573."""


def examples_of(corpus: Corpus) -> tuple[Example, ...]:
    """Every proof that refers to a statement of the corpus."""
    return tuple(
        (theorem.id, number)
        for theorem in corpus.theorems
        for number, proof in enumerate(theorem.proofs)
        if proof.ref_ids
    )


def make_splits(corpus: Corpus, seed: int = 0, share: float = _SHARE) -> Splits:
    """The split of the module's docstring; the same seed gives the same one.

    Raises BadSettings when `share` is not between 0 and 1, UserError when the corpus has no example.
    """
    if not 0 < share < 1:
        raise BadSettings(f"The share of evaluation theorems is {share}.", "Choose one between 0 and 1.")
    examples = _some(examples_of(corpus))
    theorems = dict.fromkeys(id for id, _ in examples)
    leaves = [id for id in build_graph(corpus).leaves if id in theorems]
    drawn = np.random.default_rng(seed).permutation(leaves).tolist()[: int(share * len(theorems))]
    valid, test = set(drawn[: len(drawn) // 2]), set(drawn[len(drawn) // 2 :])
    ids = [statement.id for statement in corpus.statements]
    train = [id for id in ids if id not in valid and id not in test]
    return Splits(
        _split(examples, set(train), train), _split(examples, valid, ids), _split(examples, test, ids)
    )


def whole_for_test(corpus: Corpus) -> Splits:
    """Every example for test, as for the textbooks. Raises UserError when the corpus has none."""
    examples = _some(examples_of(corpus))
    ids = tuple(statement.id for statement in corpus.statements)
    return Splits(train=Split((), ()), valid=Split((), ids), test=Split(examples, ids))


def leaks(corpus: Corpus, splits: Splits) -> tuple[tuple[int, int], ...]:
    """(training theorem, evaluation theorem that it refers to), all of them; section 4 wants none."""
    evaluated = {id for split in (splits.valid, splits.test) for id, _ in split.examples}
    used = build_graph(corpus).refers_to
    trained = dict.fromkeys(id for id, _ in splits.train.examples)
    return tuple((id, other) for id in trained for other in sorted(used[id] & evaluated))


def table_4(corpus: Corpus, splits: Splits) -> str:
    """Table 4's rows: examples, what is ranked, references an example (distinct ones, and as written)."""
    proofs = {theorem.id: theorem.proofs for theorem in corpus.theorems}
    lines = []
    for name, split in (("train", splits.train), ("valid", splits.valid), ("test", splits.test)):
        found = [proofs[id][number].ref_ids for id, number in split.examples]
        lines.append(
            [
                name,
                f"{len(split.examples):,}",
                f"{len(split.ref_ids):,}",
                _mean(len(set(ids)) for ids in found),
                _mean(len(ids) for ids in found),
            ]
        )
    return table(["", "Examples", "Refs", "Refs/Ex, distinct", "as written"], lines)


def _mean(counts: Iterable[int]) -> str:
    values = list(counts)
    return f"{sum(values) / len(values):.2f}" if values else "-"


def _some(examples: tuple[Example, ...]) -> tuple[Example, ...]:
    if not examples:
        raise UserError(
            "No proof of the corpus refers to one of its statements.", "Check how its references were read."
        )
    return examples


def _split(examples: Iterable[Example], theorems: set[int], ids: Iterable[int]) -> Split:
    return Split(tuple(example for example in examples if example[0] in theorems), tuple(ids))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("corpus", type=Path, help="a corpus file (JSON)")
    parser.add_argument("--out", type=Path, help="write the corpus with its split here")
    add_split_arguments(parser)


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    corpus, splits, origin = open_splits(options)
    if options.out:
        write_corpus(options.out, corpus, splits)
    print(f"{origin}\n\n{table_4(corpus, splits)}\n")
    print(f"references of a training example to an evaluation theorem: {len(leaks(corpus, splits)):,}")


def add_split_arguments(parser: argparse.ArgumentParser) -> None:
    """What `open_splits` reads."""
    parser.add_argument("--seed", type=int, help="draw a split with this seed, whatever the file has")
    share_help = f"draw a split with at most this share of evaluation theorems ({_SHARE})"
    parser.add_argument("--share", type=float, help=share_help)
    parser.add_argument("--whole", action="store_true", help="every example is a test example")


def open_splits(chosen: argparse.Namespace) -> tuple[Corpus, Splits, str]:
    """The corpus, its split, and in words where that comes from. Raises PremiseSuggestError."""
    corpus, splits = read_corpus(chosen.corpus)
    if chosen.whole:
        return corpus, whole_for_test(corpus), "every example is for test"
    if splits is not None and chosen.seed is None and chosen.share is None:
        return corpus, splits, "the file's own split"
    seed = chosen.seed or 0
    made = make_splits(corpus, seed, _SHARE if chosen.share is None else chosen.share)
    return corpus, made, f"split made here from the leaves, seed {seed}"
