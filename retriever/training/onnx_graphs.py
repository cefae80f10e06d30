"""Torch models as ONNX graphs, and their int8 and int4 quantisation."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
from onnxruntime.quantization.shape_inference import quant_pre_process
from torch import Tensor, nn
from transformers import BertModel

_OPSET = 17
_BLOCK = 128
"""Numbers of an int4 row that share a scale."""


class _ExportedEncoder(nn.Module):
    """The graph that is shipped: BERT, cut to its first `dimension` hidden numbers, zero where masked."""

    def __init__(self, bert: BertModel, dimension: int) -> None:
        super().__init__()
        self.bert, self.dimension = bert, dimension

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """[batch, sequence, dimension]"""
        hidden = self.bert(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        cut: Tensor = hidden[:, :, : self.dimension]
        return cut * attention_mask.unsqueeze(2).to(hidden.dtype)


class ExportedModel(nn.Module):
    """The graph of one function of a model."""

    def __init__(self, model: nn.Module, function: Callable[..., Tensor]) -> None:
        super().__init__()
        self.model, self._function = model, function

    def forward(self, *inputs: Tensor) -> Tensor:
        """What the function gives."""
        return self._function(*inputs)


def export_onnx(bert: BertModel, dimension: int, path: Path) -> None:
    """Write the graph with float32 weights: inputs and output as `retriever.models.encoder` describes them."""
    bert.set_attn_implementation("eager")
    names = ["input_ids", "attention_mask"]
    export_texts(
        _ExportedEncoder(bert, dimension), path, names, "last_hidden_state", {0: "batch", 1: "sequence"}
    )


def export_texts(
    graph: nn.Module, path: Path, inputs: Sequence[str], output: str, output_axes: dict[int, str]
) -> None:
    """Write a graph of int64[batch, sequence] inputs: ids, mask and, as a third one, token types."""
    ids = torch.tensor([[2, 5, 3, 0], [2, 6, 5, 3]])
    mask = torch.tensor([[1, 1, 1, 0], [1, 1, 1, 1]])
    types = torch.tensor([[0, 0, 1, 0], [0, 0, 1, 1]])
    axes = {name: {0: "batch", 1: "sequence"} for name in inputs} | {output: output_axes}
    export_graph(graph, (ids, mask, types)[: len(inputs)], path, inputs, [output], axes)


def export_graph(
    graph: nn.Module,
    inputs: tuple[Tensor, ...],
    path: Path,
    input_names: Sequence[str],
    output_names: Sequence[str],
    axes: Mapping[str, dict[int, str]],
) -> None:
    """Write a graph with float32 weights. `axes` names those of inputs and outputs that vary in length."""
    with torch.no_grad(), warnings.catch_warnings():
        # The exporter warns that it is the old one, and about constants that it cannot fold.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            graph.eval(),
            inputs,
            str(path),
            input_names=list(input_names),
            output_names=list(output_names),
            dynamic_axes=dict(axes),
            opset_version=_OPSET,
            dynamo=False,
        )


def quantise(
    source: Path, target: Path, *, operators: Sequence[str] = ("MatMul", "Gather"), int4: str = ""
) -> None:
    """Quantise weights to int8, with matrix products in int8 (dynamic), and an embedding table to int4.

    Args:
        source: a graph with float32 weights.
        target: where the quantised graph is written.
        operators: those whose weights are quantised.
        int4: what the table's name has in it, none by default; its rows are quantised in blocks.
    """
    with tempfile.TemporaryDirectory() as folder:
        prepared = Path(folder) / "prepared.onnx"
        quant_pre_process(str(source), str(prepared), skip_symbolic_shape=True)
        if int4:
            _quantise_rows(prepared, int4)
        quantize_dynamic(
            str(prepared),
            str(target),
            op_types_to_quantize=list(operators),
            weight_type=QuantType.QInt8,
            per_channel=True,
        )


def _quantise_rows(path: Path, table: str) -> None:
    """Rewrite a graph so that the rows of a table are int4."""
    model = onnx.load(path)
    others = [
        node.name for node in model.graph.node if node.op_type == "Gather" and table not in node.input[0]
    ]
    quantiser = MatMulNBitsQuantizer(
        model,
        block_size=_BLOCK,
        is_symmetric=False,
        op_types_to_quantize=("Gather",),
        nodes_to_exclude=others,
    )
    quantiser.process()
    quantiser.model.save_model_to_file(str(path))
