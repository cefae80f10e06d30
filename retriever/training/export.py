"""A run as a folder that `retriever.models.encoder`, `.reranker` or `.state_tower` loads.

    python -m retriever export RUN OUT [--max-length 256] [--fp32]

Weights are int8 unless `--fp32` is given; the word embeddings of a tower's and a re-ranker's layers are int4. A
re-ranker belongs into its encoder's folder, as `reranker/`, and a state tower, as `tower/`. Where a tower was trained
with the premises' terms, OUT is the folder of the encoder that they are, and the tower is written into it. The
encoder's card (README.md) is written by `python -m retriever card` once the evaluation has been run.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from pathlib import Path

from tokenizers import Tokenizer

from lean_extract.common.errors import BadSettings
from lean_extract.common.files.atomic import replacing
from retriever.models import encoder, reranker, state_tower, text
from retriever.models.bag import write_terms
from retriever.training.onnx_graphs import ExportedModel, export_onnx, export_texts, quantise
from retriever.training.reranking.crossencoder import load_crossencoder
from retriever.training.reranking.rerank_config import RerankConfig
from retriever.training.running.config import ModelConfig, TrainConfig
from retriever.training.running.run_folder import check_run_folder
from retriever.training.running.train import load_run
from retriever.training.state_tower import load_tower
from retriever.training.tokens import open_tokenizer
from retriever.training.tower_config import TermsConfig, TowerConfig
from retriever.training.weights import load_bert
from retriever.training.wordpiece import PAD

MAX_LENGTH = 256
_WORD_EMBEDDINGS = "embeddings.word_embeddings"
"""BERT's table, two thirds of a small tower's and re-ranker's bytes in int8."""


def export_run(run: Path, out: Path, *, max_length: int = MAX_LENGTH, int8: bool = True) -> Path:
    """Write the folder `out` of a bi-encoder's or cross-encoder's run; returns it.

    `fusion.json` and the card are not touched; a re-ranker's weight is 0 until it is fitted.
    Raises ModelError when the folder is not a run's or has no checkpoint, BadSettings when its configuration
    is damaged or of a kind that answers nothing by itself.
    """
    check_run_folder(run)
    config = load_run(run / "config.yaml")
    if not isinstance(config, TrainConfig | RerankConfig | TowerConfig):
        hint = "Train a bi-encoder, a state tower or a cross-encoder that starts from it, and export that."
        raise BadSettings(f"A run of kind {config.kind}, as in {run}, is not exported.", hint)
    tokenizer = open_tokenizer(run / "tokenizer.json")
    out.mkdir(parents=True, exist_ok=True)
    if isinstance(config, TowerConfig) and config.terms:
        _write_encoder(run, config.terms, tokenizer, out, max_length)
        out = out / state_tower.FOLDER
        out.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out, prefix=".export-") as folder:
        full, small = Path(folder) / "full.onnx", Path(folder) / "small.onnx"
        values = _write_graph(run, config, tokenizer, full)
        if int8:  # the bag of words is small, and its rows are all that it is
            quantise(full, small, int4="" if isinstance(config, TrainConfig) else _WORD_EMBEDDINGS)
        (small if int8 else full).replace(out / encoder.MODEL)
    if isinstance(config, TrainConfig):
        values["max_length"] = min(max_length, config.model.positions)
    if not isinstance(config, TowerConfig):  # that reads with the encoder's
        shutil.copyfile(run / "tokenizer.json", out / encoder.TOKENIZER)
    values |= {
        "text_version": text.VERSION,
        "pad_id": tokenizer.token_to_id(PAD) or 0,
        "weights": "int8" if int8 else "float32",
    }
    with replacing(out / encoder.CONFIG) as stream:
        stream.write(json.dumps({**values, **_shape(config.model)}, indent=2) + "\n")
    return out


def _write_encoder(run: Path, terms: TermsConfig, tokenizer: Tokenizer, out: Path, max_length: int) -> None:
    """Write the encoder that a tower's terms are."""
    tower, _ = load_tower(run, tokenizer)
    assert tower.bag is not None
    table = tower.bag.table().detach().float().numpy()
    write_terms(out, table)
    shutil.copyfile(run / "tokenizer.json", out / encoder.TOKENIZER)
    values = {
        "format": encoder.FORMAT,
        "version": encoder.VERSION,
        "architecture": encoder.TERMS_ARCHITECTURE,
        "dimension": table.shape[1],
        "max_length": max_length,
        "pairs": terms.pairs,
        "text_version": text.VERSION,
        "pad_id": tokenizer.token_to_id(PAD) or 0,
        "weights": "int8",
    }
    with replacing(out / encoder.CONFIG) as stream:
        stream.write(json.dumps(values, indent=2) + "\n")


def _write_graph(
    run: Path, config: TrainConfig | RerankConfig | TowerConfig, tokenizer: Tokenizer, path: Path
) -> dict[str, object]:
    """Write the graph of a run's model with float32 weights; returns what only its kind has in config.json."""
    vocabulary = tokenizer.get_vocab_size()
    if isinstance(config, TrainConfig):
        export_onnx(load_bert(run, vocabulary), config.dimension, path)
        return {
            "format": encoder.FORMAT,
            "version": encoder.VERSION,
            "dimension": config.dimension,
            "max_length": config.model.positions,
            "similarity": config.loss.similarity,
        }
    if isinstance(config, TowerConfig):
        tower, encoder_fingerprint = load_tower(run, tokenizer)
        if config.terms:
            encoder_fingerprint = encoder.fingerprint_of(path.parents[2])
        tower.bert.set_attn_implementation("eager")
        graph = ExportedModel(tower, tower.vectors)
        export_texts(graph, path, state_tower.INPUTS, state_tower.OUTPUT, {0: "batch"})
        return {
            "format": state_tower.FORMAT,
            "version": state_tower.VERSION,
            "encoder": encoder_fingerprint,
            "dimension": tower.words.embedding_dim,
        }
    model = load_crossencoder(run, vocabulary)
    model.bert.set_attn_implementation("eager")
    export_texts(ExportedModel(model, model.logits), path, reranker.INPUTS, "logits", {0: "batch"})
    return {
        "format": reranker.FORMAT,
        "version": reranker.VERSION,
        "state_length": config.lengths.state,
        "premise_length": config.lengths.premise,
        "token_types": config.model.token_types,
        "weight": 0.0,
    }


def _shape(model: ModelConfig) -> dict[str, object]:
    return {
        "architecture": "BertModel" if model.architecture == "bert" else "T5EncoderModel",
        "num_hidden_layers": model.layers,
        "hidden_size": model.hidden,
        "num_attention_heads": model.heads,
        "intermediate_size": model.intermediate,
    }


def _fingerprint(folder: Path) -> str:
    """An exported folder's fingerprint, once it has been seen to load. Raises ModelError.

    A tower cannot be loaded without its encoder, which need not be there yet.
    """
    values = json.loads((folder / encoder.CONFIG).read_text(encoding="utf-8"))
    if values["format"] == state_tower.FORMAT:
        if (folder.parent / encoder.CONFIG).is_file():
            return state_tower.StateTower.load(folder, encoder.Encoder.load(folder.parent)).fingerprint
        return f"for the encoder {values['encoder']}"
    if values["format"] == reranker.FORMAT:
        return reranker.Reranker.load(folder).fingerprint
    return encoder.Encoder.load(folder).fingerprint


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("run", type=Path, help="a run folder")
    parser.add_argument("out", type=Path, help="the model folder to write")
    parser.add_argument("--max-length", type=int, default=MAX_LENGTH, help="tokens read of a text")
    parser.add_argument("--fp32", action="store_true", help="keep float32 weights")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    export_run(options.run, options.out, max_length=options.max_length, int8=not options.fp32)
    fingerprint = _fingerprint(options.out)
    size = sum(file.stat().st_size for file in options.out.iterdir() if file.is_file()) / 1e6
    print(f"{options.out}: fingerprint {fingerprint}, {size:.1f} MB")
