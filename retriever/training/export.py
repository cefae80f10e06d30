"""A run as a folder that `retriever.models.encoder`, `.reranker` or `.state_tower` loads.

    python -m retriever export RUN OUT [--max-length 256] [--fp32]

Weights are int8 unless `--fp32` is given; the word embeddings of a tower's and a re-ranker's layers are int4. A
re-ranker belongs into its encoder's folder, as `reranker/`, and a state tower, as `tower/`. The encoder's card
(README.md) is written by `python -m retriever card` once the evaluation has been run.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from pathlib import Path

from torch import Tensor, nn

from lean_extract.common.errors import BadSettings
from lean_extract.common.files.atomic import replacing
from retriever.models import encoder, reranker, state_tower, text
from retriever.training.onnx_graphs import export_graph, export_onnx, quantise
from retriever.training.reranking.crossencoder import CrossEncoder, load_crossencoder
from retriever.training.reranking.rerank_config import RerankConfig
from retriever.training.running.config import ModelConfig, TrainConfig
from retriever.training.running.run_folder import check_run_folder
from retriever.training.running.train import load_run
from retriever.training.state_tower import StateTower, load_tower
from retriever.training.tokens import open_tokenizer
from retriever.training.tower_config import TowerConfig
from retriever.training.weights import load_bert
from retriever.training.wordpiece import PAD

MAX_LENGTH = 256
_WORD_EMBEDDINGS = "embeddings.word_embeddings"
"""BERT's table, two thirds of a small tower's and re-ranker's bytes in int8."""


class ExportedReranker(nn.Module):
    """The re-ranker's graph: eq. (5) without its sigmoid."""

    def __init__(self, model: CrossEncoder) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """[batch]"""
        return self.model.logits(input_ids, attention_mask, token_type_ids)


class ExportedTower(nn.Module):
    """The state tower's graph."""

    def __init__(self, model: StateTower) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """[batch, d]"""
        return self.model.vectors(input_ids, attention_mask)


def export_tower_onnx(model: StateTower, path: Path) -> None:
    """Write the graph with float32 weights, as `retriever.models.state_tower` describes it."""
    model.bert.set_attn_implementation("eager")
    export_graph(ExportedTower(model), path, state_tower.INPUTS, state_tower.OUTPUT, {0: "batch"})


def export_reranker_onnx(model: CrossEncoder, path: Path) -> None:
    """Write the graph with float32 weights: inputs and output as `retriever.models.reranker` describes them."""
    model.bert.set_attn_implementation("eager")
    export_graph(ExportedReranker(model), path, reranker.INPUTS, "logits", {0: "batch"})


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
    vocabulary = tokenizer.get_vocab_size()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out, prefix=".export-") as folder:
        full, small = Path(folder) / "full.onnx", Path(folder) / "small.onnx"
        if isinstance(config, TrainConfig):
            export_onnx(load_bert(run, vocabulary), config.dimension, full)
        elif isinstance(config, TowerConfig):
            tower, encoder_fingerprint = load_tower(run, tokenizer)
            export_tower_onnx(tower, full)
            own = _tower_values(tower, encoder_fingerprint)
        else:
            export_reranker_onnx(load_crossencoder(run, vocabulary), full)
        if int8:  # the bag of words is small, and its rows are all that it is
            quantise(full, small, int4="" if isinstance(config, TrainConfig) else _WORD_EMBEDDINGS)
        (small if int8 else full).replace(out / encoder.MODEL)
    if isinstance(config, TrainConfig):
        own = _encoder_values(config, max_length)
    elif isinstance(config, RerankConfig):
        own = _reranker_values(config)
    if not isinstance(config, TowerConfig):  # that reads with the encoder's
        shutil.copyfile(run / "tokenizer.json", out / encoder.TOKENIZER)
    shared = {
        "text_version": text.VERSION,
        "pad_id": tokenizer.token_to_id(PAD) or 0,
        "weights": "int8" if int8 else "float32",
    }
    with replacing(out / encoder.CONFIG) as stream:
        stream.write(json.dumps({**own, **shared, **_shape(config.model)}, indent=2) + "\n")
    return out


def _encoder_values(config: TrainConfig, max_length: int) -> dict[str, object]:
    return {
        "format": encoder.FORMAT,
        "version": encoder.VERSION,
        "dimension": config.dimension,
        "max_length": min(max_length, config.model.positions),
        "similarity": config.loss.similarity,
    }


def _reranker_values(config: RerankConfig) -> dict[str, object]:
    return {
        "format": reranker.FORMAT,
        "version": reranker.VERSION,
        "state_length": config.lengths.state,
        "premise_length": config.lengths.premise,
        "token_types": config.model.token_types,
        "weight": 0.0,
    }


def _tower_values(model: StateTower, encoder_fingerprint: str) -> dict[str, object]:
    return {
        "format": state_tower.FORMAT,
        "version": state_tower.VERSION,
        "encoder": encoder_fingerprint,
        "dimension": model.words.embedding_dim,
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

    A tower cannot be loaded without its encoder, which need not lie around it yet.
    """
    values = json.loads((folder / encoder.CONFIG).read_text(encoding="utf-8"))
    if values["format"] == state_tower.FORMAT:
        if (folder.parent / encoder.CONFIG).is_file():
            return state_tower.StateTower.load(folder, encoder.Encoder.load(folder.parent)).fingerprint
        return f"beside the encoder {values['encoder']}"
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
