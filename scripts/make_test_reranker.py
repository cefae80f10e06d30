"""Writes the tiny re-ranker that the retriever's tests run: the real format, the real runtime, no training.

    python scripts/make_test_reranker.py [FOLDER]

Its graph gives four times the cosine of the two halves' bags of tokens, with the vectors of the test encoder.
Needs `onnx` (the `train` extra).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import onnx
from make_test_encoder import FOLDER as ENCODER
from make_test_encoder import make_tokenizer
from onnx import TensorProto, helper, numpy_helper

from retriever.models import text
from retriever.models.encoder import CONFIG, MODEL, TOKENIZER
from retriever.models.reranker import FORMAT, INPUTS, VERSION

FOLDER = ENCODER.parent / "reranker"


def make_graph(table: np.ndarray) -> onnx.ModelProto:
    axes = ["batch", "sequence"]

    def half(name: str, weights: str) -> list[onnx.NodeProto]:
        return [
            helper.make_node("Unsqueeze", [weights, "last"], [f"{name}_wide"]),
            helper.make_node("Mul", ["vectors", f"{name}_wide"], [f"{name}_vectors"]),
            helper.make_node("ReduceSum", [f"{name}_vectors", "middle"], [f"{name}_sum"], keepdims=0),
            helper.make_node("ReduceL2", [f"{name}_sum"], [f"{name}_norm"], axes=[1], keepdims=0),
        ]

    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["table", "input_ids"], ["vectors"]),
            helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
            helper.make_node("Cast", ["token_type_ids"], ["second"], to=TensorProto.FLOAT),
            helper.make_node("Sub", ["mask", "second"], ["first"]),
            *half("state", "first"),
            *half("premise", "second"),
            helper.make_node("Mul", ["state_sum", "premise_sum"], ["products"]),
            helper.make_node("ReduceSum", ["products", "middle"], ["inner"], keepdims=0),
            helper.make_node("Mul", ["state_norm", "premise_norm"], ["norms"]),
            helper.make_node("Div", ["inner", "norms"], ["cosine"]),
            helper.make_node("Mul", ["cosine", "four"], ["logits"]),
        ],
        "test-reranker",
        [helper.make_tensor_value_info(name, TensorProto.INT64, axes) for name in INPUTS],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch"])],
        [
            numpy_helper.from_array(table, "table"),
            numpy_helper.from_array(np.array([2], dtype=np.int64), "last"),
            numpy_helper.from_array(np.array([1], dtype=np.int64), "middle"),
            numpy_helper.from_array(np.array(4.0, dtype=np.float32), "four"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, metavar="FOLDER")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    [table] = [
        numpy_helper.to_array(tensor)
        for tensor in onnx.load(ENCODER / MODEL).graph.initializer
        if tensor.name == "table"
    ]
    (folder / TOKENIZER).write_text(make_tokenizer().to_str(), encoding="utf-8")
    (folder / MODEL).write_bytes(make_graph(table).SerializeToString())
    config = {
        "format": FORMAT,
        "version": VERSION,
        "state_length": 32,
        "premise_length": 32,
        "text_version": text.VERSION,
        "pad_id": 0,
        "weight": 2.0,
    }
    (folder / CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
