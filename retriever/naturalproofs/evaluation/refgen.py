"""Write the reference sequences of a part's proofs with a trained model (NaturalProofs, section 6.1).

python -m retriever generate-references RUN CORPUS.json --out FILE.jsonl [--part valid|test|both]
    [--beam 20] [--length-penalty 1] [--top 5]

An autoregressive run writes by beam search; a joint or pairwise one gives its `--top` references in the order
of its scores (the retrieval-only baseline of Table 8). The theorem itself is never written. FILE is what
`python -m retriever naturalproofs-generation CORPUS.json --predictions FILE.jsonl` reads. Finished examples
are kept next to it, so a call that was stopped continues where it was.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from tqdm import tqdm

from lean_extract.common.arrays import Int64s
from lean_extract.common.errors import ModelError
from retriever.evaluation.trained_rankers import run_arrays, trained
from retriever.naturalproofs.backend import BACKEND, example_of
from retriever.naturalproofs.evaluation.generation import write_predictions
from retriever.search.backend import Collection
from retriever.search.splits import Split
from retriever.training.references.autoregressive import load_autoregressive
from retriever.training.references.autoregressive_model import Beam, beam_search
from retriever.training.references.objective import kind_of_run
from retriever.training.running.partial_results import partial_results

STOPPED = "Stopped. Run the same command again to continue."
Writer = Callable[[int, Int64s], list[int]]
"""(question, documents that may be written) to documents in order."""


def _writer_of(run: Path, collection: Collection, beam: Beam, top: int) -> Writer:
    """How a run writes. Raises ModelError."""
    kind, data = kind_of_run(run)
    if kind != "pairwise" and data != collection.digest:
        hint = "Take the corpus that it was trained on, or a pairwise run."
        raise ModelError(f"The run {run} writes references of another corpus.", hint)
    if kind == "autoregressive":
        config, model = load_autoregressive(run)
        arrays = run_arrays(run, collection, config.lengths)
        return lambda question, pool: beam_search(
            model, arrays.questions.take(np.array([question])), pool, beam, int(arrays.own[question])
        )
    ranker = trained(run, collection)

    def first(question: int, pool: Int64s) -> list[int]:
        own = collection.questions[question].own
        scores = ranker.table(np.array([question]), pool)[0]
        ranked = pool[np.argsort(-scores, kind="stable")[: top + 1]].tolist()
        return [document for document in ranked if document != own][:top]

    return first


def predict(collection: Collection, writer: Writer, splits: Sequence[Split], out: Path, about: str) -> int:
    """Write the file of predictions; returns how many examples it has.

    `about` says what they are made with: what an earlier call with the same left unfinished is continued.
    """
    chosen = [number for number, one in enumerate(collection.questions) if one.split in splits]
    pools = {split: np.array(collection.pools[split], dtype=np.int64) for split in splits}
    with partial_results(out, about) as (done, keep):
        for number in tqdm(chosen, desc="examples", disable=None):
            question = collection.questions[number]
            if question.key not in done:
                written = writer(number, pools[question.split])
                keep(question.key, [int(collection.documents[document].key) for document in written])
        questions = [collection.questions[number] for number in chosen]
        write_predictions(out, {example_of(one): tuple(done[one.key]) for one in questions})
    return len(chosen)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("run", type=Path, help="the run's folder")
    parser.add_argument("corpus", type=Path, help="a corpus file (JSON)")
    parser.add_argument("--out", type=Path, required=True, help="the file to write (JSONL)")
    parser.add_argument("--part", choices=("valid", "test", "both"), default="valid", help="default: valid")
    parser.add_argument("--beam", type=int, default=20, help="the beam's width; default: 20")
    parser.add_argument("--length-penalty", type=float, default=1.0, help="default: 1")
    parser.add_argument(
        "--top", type=int, default=5, help="references of a model that writes none; default: 5"
    )


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    splits: tuple[Split, ...] = ("valid", "test") if options.part == "both" else (options.part,)
    beam = Beam(options.beam, options.length_penalty)
    collection = BACKEND.read(options.corpus)
    writer = _writer_of(options.run, collection, beam, options.top)
    about = f"{options.run} {collection.digest} {options.part} {beam} {options.top}"
    count = predict(collection, writer, splits, options.out, about)
    print(f"{options.out}: {count:,} examples; corpus sha256 {collection.digest[:12]}")
