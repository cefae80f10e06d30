"""Writes the tiny encoder that the retriever's tests run: the real format, the real runtime, no training.

    python scripts/make_test_encoder.py [FOLDER]

Its graph looks up one fixed random vector a token, so an embedding is a bag of tokens: enough for texts that
share operators to lie close, and small enough to be kept with the tests. Needs `onnx` (the `train` extra).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, processors

from retriever.lean.features import FEATURES
from retriever.models import text
from retriever.models.encoder import CONFIG, FORMAT, MODEL, TOKENIZER, VERSION
from retriever.search.bm25 import Bm25Parameters
from retriever.search.fusion import Fusion, Lists

FOLDER = Path(__file__).parent.parent / "tests" / "retriever" / "fixtures" / "encoder"
DIMENSION = 32
MAX_LENGTH = 64
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", text.VAR, text.GOAL]
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'_.αβγι"
SYMBOLS = "+-*/^=≠≤<≥>∣∧∨¬↔→∃∀∈∉⊆∪∩∅∘⁻¹•()[]{},:⟨⟩ℕℤℚℝ↦⊢|"
WORDS = (
    "Type succ pred zero add mul Group Monoid List map length append reverse Set Finset card fun max min gcd"
)
WEIGHTS = {
    "dense": 4.0,
    "lexical": 3.0,
    "dense_rank": 0.5,
    "lexical_rank": 0.5,
    "in_scope": 1.0,
    "use_count": 0.1,
}


def make_tokenizer() -> Tokenizer:
    pieces = [*SPECIAL, *LETTERS, *SYMBOLS, *WORDS.split(), *(f"##{letter}" for letter in LETTERS)]
    vocabulary = {piece: index for index, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.add_special_tokens(SPECIAL)
    symbol = Regex(f"[{''.join(chr(92) + symbol for symbol in SYMBOLS)}]")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Split(symbol, "isolated")]
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])],
    )
    return tokenizer


def make_graph(tokenizer: Tokenizer) -> onnx.ModelProto:
    random = np.random.default_rng(0)
    table = random.normal(size=(tokenizer.get_vocab_size(), DIMENSION)).astype(np.float32)
    for piece, index in tokenizer.get_vocab().items():
        if piece in SPECIAL or piece in LETTERS or piece.startswith("##"):
            table[index] *= 0.2  # Variables and punctuation of the form should not decide.
    axes = ["batch", "sequence"]
    graph = helper.make_graph(
        [
            helper.make_node("Gather", ["table", "input_ids"], ["vectors"]),
            helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", ["mask", "last"], ["wide_mask"]),
            helper.make_node("Mul", ["vectors", "wide_mask"], ["last_hidden_state"]),
        ],
        "test-encoder",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, axes)
            for name in ("input_ids", "attention_mask")
        ],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*axes, DIMENSION])],
        [
            numpy_helper.from_array(table, "table"),
            numpy_helper.from_array(np.array([2], dtype=np.int64), "last"),
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
    tokenizer = make_tokenizer()
    (folder / TOKENIZER).write_text(tokenizer.to_str(), encoding="utf-8")
    (folder / MODEL).write_bytes(make_graph(tokenizer).SerializeToString())
    config = {
        "format": FORMAT,
        "version": VERSION,
        "dimension": DIMENSION,
        "max_length": MAX_LENGTH,
        "text_version": text.VERSION,
        "pad_id": 0,
    }
    (folder / CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    weights = tuple(WEIGHTS.get(feature, 0.0) for feature in FEATURES)
    Fusion(
        FEATURES, weights, Lists(16, 16, 16, 16, 16), Bm25Parameters(), "chosen by hand for the tests"
    ).save(folder)


if __name__ == "__main__":
    main()
