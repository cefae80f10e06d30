"""A pairwise run as a folder that `retriever.models.towers` loads.

    python -m retriever export-towers RUN OUT

Two encoders, of queries and of documents: bags of terms in int8, or ONNX graphs where the run has layers.
What BM25, the vectors and the known proofs' votes weigh in the sum is fitted on the valid questions.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from pathlib import Path

from torch import nn

from lean_extract.common.errors import BadSettings, ModelError
from retriever.models import encoder, text
from retriever.models.bag import write_bag
from retriever.models.towers import DOCUMENT, QUERY, Towers, write_card
from retriever.search.backends import find_backend
from retriever.search.collections.index import fused_for_evaluation
from retriever.search.collections.measure import fit_weights
from retriever.training.model import BiEncoder
from retriever.training.onnx_graphs import export_onnx, quantise
from retriever.training.references.config import PairwiseConfig
from retriever.training.references.pairwise import load_pairwise
from retriever.training.references.pairwise_model import Bag
from retriever.training.tokens import open_tokenizer
from retriever.training.wordpiece import PAD


def _export_towers(run: Path, out: Path) -> dict[str, float]:
    """Write the folder `out` of a run; returns the fitted weights.

    Raises ModelError when the run has no validated weights, BadSettings when its vectors are not of length 1,
    and what reading its data raises.
    """
    config, model = load_pairwise(run)
    if not config.loss.normalised:
        raise BadSettings("Only vectors of length 1 are served.", "Train with loss.normalised: true.")
    out.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}."))
    try:
        for part, tower, length in (
            (QUERY, model.question, config.lengths.query),
            (DOCUMENT, model.reference, config.lengths.document),
        ):
            (new / part).mkdir()
            _write_tower(new / part, tower, run / "tokenizer.json", config, length)
        write_card(new, config.backend, {})
        weights = _fitted(new, config)
        write_card(new, config.backend, weights)
        if out.exists():
            shutil.rmtree(out)
        new.rename(out)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return weights


def _write_tower(
    folder: Path, tower: nn.Module, tokenizer: Path, config: PairwiseConfig, length: int
) -> None:
    if isinstance(tower, Bag):
        table = tower.word_embeddings.weight * tower.log_weights.exp()[:, None]
        words = tokenizer.read_text(encoding="utf-8")
        write_bag(folder, words, table.detach().float().numpy(), max_length=length, pairs=config.pairs)
        return
    if not isinstance(tower, BiEncoder):
        raise ModelError("This run has no encoder that can be exported.", "Export a run of kind pairwise.")
    full = folder / "full.onnx"
    export_onnx(tower.bert, config.model.hidden, full)
    quantise(full, folder / encoder.MODEL)
    full.unlink()
    shutil.copyfile(tokenizer, folder / encoder.TOKENIZER)
    values = {
        "format": encoder.FORMAT,
        "version": encoder.VERSION,
        "dimension": config.model.hidden,
        "max_length": length,
        "similarity": "plain",
        "text_version": text.VERSION,
        "pad_id": open_tokenizer(tokenizer).token_to_id(PAD) or 0,
    }
    (folder / encoder.CONFIG).write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")


def _fitted(folder: Path, config: PairwiseConfig) -> dict[str, float]:
    """The weights that do best on the valid questions of the run's data; the training ones' proofs vote."""
    backend, towers = find_backend(config.backend), Towers.load(folder)
    collection = backend.read(config.dataset)
    return fit_weights(backend, collection, fused_for_evaluation(backend, collection, towers).rankers)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("run", type=Path, help="the folder of a run of kind pairwise")
    parser.add_argument("out", type=Path, help="the model folder to write")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    weights = _export_towers(options.run, options.out)
    fingerprint = Towers.load(options.out).fingerprint
    size = sum(file.stat().st_size for file in options.out.rglob("*") if file.is_file()) / 1e6
    listed = ", ".join(f"{name} {weight:g}" for name, weight in weights.items())
    print(f"{options.out}: fingerprint {fingerprint}, {size:.1f} MB; weights {listed}")
