"""A run's weights as a model folder that `retriever.encoder` loads: ONNX, int8, tokenizer, configuration.

    python -m retriever.training.export RUN OUT [--max-length 256] [--fp32]

The model card (README.md) is written by `retriever.training.card` once the evaluation has been run.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path

import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.shape_inference import quant_pre_process
from torch import Tensor, nn
from transformers import BertModel

from lean_extract.atomic import replacing
from lean_extract.errors import PremiseSuggestError
from retriever import encoder, text
from retriever.training.biencoder import load_weights
from retriever.training.config import TrainConfig, load_config
from retriever.training.tokenizer import PAD
from retriever.training.tokens import open_tokenizer

OPSET = 17
MAX_LENGTH = 256


class ExportedEncoder(nn.Module):
    """The graph that is shipped: BERT, cut to its first `dimension` hidden numbers, zero where masked."""

    def __init__(self, bert: BertModel, dimension: int) -> None:
        super().__init__()
        self.bert, self.dimension = bert, dimension

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """[batch, sequence, dimension]"""
        hidden = self.bert(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        cut: Tensor = hidden[:, :, : self.dimension]
        return cut * attention_mask.unsqueeze(2).to(hidden.dtype)


def export_onnx(bert: BertModel, dimension: int, path: Path) -> None:
    """Write the graph with float32 weights: inputs and output as `retriever.encoder` describes them."""
    bert.set_attn_implementation("eager")
    graph = ExportedEncoder(bert, dimension).eval()
    ids = torch.tensor([[2, 5, 3, 0], [2, 6, 5, 3]])
    mask = torch.tensor([[1, 1, 1, 0], [1, 1, 1, 1]])
    axes = {
        name: {0: "batch", 1: "sequence"} for name in ("input_ids", "attention_mask", "last_hidden_state")
    }
    torch.onnx.export(
        graph,
        (ids, mask),
        str(path),
        input_names=["input_ids", "attention_mask"],
        output_names=["last_hidden_state"],
        dynamic_axes=axes,
        opset_version=OPSET,
        dynamo=False,
    )


def quantise(source: Path, target: Path) -> None:
    """Dynamic int8 quantisation of all weights, the embeddings among them."""
    with tempfile.TemporaryDirectory() as folder:
        prepared = Path(folder) / "prepared.onnx"
        quant_pre_process(str(source), str(prepared), skip_symbolic_shape=True)
        quantize_dynamic(
            str(prepared),
            str(target),
            op_types_to_quantize=["MatMul", "Gather"],
            weight_type=QuantType.QInt8,
            per_channel=True,
        )


def export_run(run: Path, out: Path, *, max_length: int = MAX_LENGTH, int8: bool = True) -> Path:
    """Write the model folder `out` of a run; returns it. `fusion.json` and the card are not touched.

    Raises ModelError when the run has no checkpoint, BadSettings when its configuration is damaged.
    """
    config = load_config(run / "config.yaml")
    tokenizer = open_tokenizer(run / "tokenizer.json")
    model = load_weights(run, tokenizer.get_vocab_size())
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out, prefix=".export-") as folder:
        full, small = Path(folder) / "full.onnx", Path(folder) / "small.onnx"
        export_onnx(model.bert, config.dimension, full)
        if int8:
            quantise(full, small)
        (small if int8 else full).replace(out / encoder.MODEL)
    shutil.copyfile(run / "tokenizer.json", out / encoder.TOKENIZER)
    length = min(max_length, config.model.positions)
    _write_config(out, config, length, tokenizer.token_to_id(PAD) or 0, int8=int8)
    return out


def _write_config(out: Path, config: TrainConfig, length: int, pad_id: int, *, int8: bool) -> None:
    values = {
        "format": encoder.FORMAT,
        "version": encoder.VERSION,
        "dimension": config.dimension,
        "max_length": length,
        "text_version": text.VERSION,
        "pad_id": pad_id,
        "architecture": "BertModel",
        "num_hidden_layers": config.model.layers,
        "hidden_size": config.model.hidden,
        "num_attention_heads": config.model.heads,
        "intermediate_size": config.model.intermediate,
        "weights": "int8" if int8 else "float32",
    }
    with replacing(out / encoder.CONFIG) as stream:
        stream.write(json.dumps(values, indent=2) + "\n")


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m retriever.training.export", description=__doc__)
    parser.add_argument("run", type=Path, help="a run folder")
    parser.add_argument("out", type=Path, help="the model folder to write")
    parser.add_argument("--max-length", type=int, default=MAX_LENGTH, help="tokens read of a text")
    parser.add_argument("--fp32", action="store_true", help="keep float32 weights")
    chosen = parser.parse_args(arguments)
    try:
        export_run(chosen.run, chosen.out, max_length=chosen.max_length, int8=not chosen.fp32)
        fingerprint = encoder.fingerprint_of(chosen.out)
    except PremiseSuggestError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    size = sum(file.stat().st_size for file in chosen.out.iterdir()) / 1e6
    print(f"{chosen.out}: fingerprint {fingerprint}, {size:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
