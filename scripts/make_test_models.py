"""Writes the tiny models that tests run, in the real formats, for the real runtime. Needs the `train` extra.

python scripts/make_test_models.py encoder|reranker|generator [FOLDER]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, processors
from transformers import T5Config, T5ForConditionalGeneration

from lean_extract.goals import parse_goal
from lean_extract.records import Premise
from prover.generator.prompt import PAD, SIZE, encode_prompt, encode_tactic
from prover.training.export import export_model
from retriever.lean.features import FEATURES
from retriever.models import encoder, reranker, text
from retriever.models.encoder import CONFIG, MODEL, TOKENIZER
from retriever.search.bm25 import Bm25Parameters
from retriever.search.fusion import Fusion, Lists

TESTS = Path(__file__).parent.parent / "tests"
FOLDERS = {
    "encoder": TESTS / "retriever" / "fixtures" / "encoder",
    "reranker": TESTS / "retriever" / "fixtures" / "reranker",
    "generator": TESTS / "prover" / "generator" / "fixture",
}
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


def encoder_graph(tokenizer: Tokenizer) -> onnx.ModelProto:
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


def write_encoder(folder: Path) -> None:
    """A graph that looks up one fixed random vector a token, so an embedding is a bag of tokens: enough for texts that
    share operators to lie close, and small enough to be kept with the tests."""
    tokenizer = make_tokenizer()
    (folder / TOKENIZER).write_text(tokenizer.to_str(), encoding="utf-8")
    (folder / MODEL).write_bytes(encoder_graph(tokenizer).SerializeToString())
    config = {
        "format": encoder.FORMAT,
        "version": encoder.VERSION,
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


def reranker_graph(table: np.ndarray) -> onnx.ModelProto:
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
        [helper.make_tensor_value_info(name, TensorProto.INT64, axes) for name in reranker.INPUTS],
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


def write_reranker(folder: Path) -> None:
    """A graph that gives four times the cosine of the two halves' bags of tokens, with the test encoder's vectors."""
    [table] = [
        numpy_helper.to_array(tensor)
        for tensor in onnx.load(FOLDERS["encoder"] / MODEL).graph.initializer
        if tensor.name == "table"
    ]
    (folder / TOKENIZER).write_text(make_tokenizer().to_str(), encoding="utf-8")
    (folder / MODEL).write_bytes(reranker_graph(table).SerializeToString())
    config = {
        "format": reranker.FORMAT,
        "version": reranker.VERSION,
        "state_length": 32,
        "premise_length": 32,
        "text_version": text.VERSION,
        "pad_id": 0,
        "weight": 2.0,
    }
    (folder / CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


MAX_PROMPT_BYTES = 256
STEPS = 400
PREMISES = (
    Premise("Nat.add_comm", "theorem", "Init", ("(n m : ℕ)",), "n + m = m + n"),
    Premise("And.intro", "theorem", "Init", ("{a b : Prop}", "(ha : a)", "(hb : b)"), "a ∧ b"),
)
LESSONS = (
    ("n m : ℕ\n⊢ n + m = m + n", ("exact Nat.add_comm n m", "rw [Nat.add_comm]", "apply Nat.add_comm")),
    ("p q : Prop\nh : p ∧ q\n⊢ q ∧ p", ("exact ⟨h.2, h.1⟩", "exact And.intro h.2 h.1", "cases h")),
    ("⊢ ∀ (n : ℕ), n = n", ("intro n", "intros", "simp")),
    ("a : ℕ\n⊢ a = a", ("rfl", "exact rfl", "simp")),
    ("p : Prop\n⊢ p → p", ("intro h", "exact id", "simp")),
)
"""Goals, and tactics for each, the likeliest first."""


def untaught_generator() -> T5ForConditionalGeneration:
    torch.manual_seed(5)
    torch.set_num_threads(1)
    config = T5Config(
        vocab_size=SIZE,
        d_model=32,
        d_kv=16,
        d_ff=64,
        num_layers=2,
        num_decoder_layers=2,
        num_heads=2,
        feed_forward_proj="gated-gelu",
        decoder_start_token_id=PAD,
        dropout_rate=0.0,
        tie_word_embeddings=True,
    )
    return T5ForConditionalGeneration(config)


def learn(model: T5ForConditionalGeneration) -> float:
    prompts, tactics, weights = [], [], []
    for goal, answers in LESSONS:
        for place, tactic in enumerate(answers):
            prompts.append(encode_prompt("numbered", [parse_goal(goal)], PREMISES, MAX_PROMPT_BYTES))
            tactics.append(encode_tactic("numbered", tactic, PREMISES)[0])
            weights.append(1 / (1 + place))
    ids, labels = padded(prompts, PAD), padded(tactics, -100)
    optimiser = torch.optim.AdamW(model.parameters(), lr=5e-3)
    weight = torch.tensor(weights)[:, None]
    for step in range(STEPS):
        optimiser.param_groups[0]["lr"] = 5e-3 * (1 - step / STEPS)
        logits = model(input_ids=ids, attention_mask=(ids != PAD).long(), labels=labels).logits
        each = torch.nn.functional.cross_entropy(logits.transpose(1, 2), labels, reduction="none")
        loss = (each * weight).sum() / weight.sum()
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    return float(loss.detach())


def padded(rows: list[list[int]], fill: int) -> torch.Tensor:
    width = max(map(len, rows))
    return torch.tensor([row + [fill] * (width - len(row)) for row in rows])


def write_generator(folder: Path) -> None:
    """A T5 that learns LESSONS by heart in some seconds, in the numbered form, and is exported as any other."""
    model = untaught_generator()
    print(f"loss {learn(model):.3f}")
    export_model(model, "numbered", folder, max_prompt_bytes=MAX_PROMPT_BYTES, int8=False)
    print(f"{folder}: {sum(file.stat().st_size for file in folder.iterdir()) / 1e3:.0f} kB")


WRITERS = {"encoder": write_encoder, "reranker": write_reranker, "generator": write_generator}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model", choices=WRITERS)
    parser.add_argument("folder", nargs="?", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    folder = options.folder or FOLDERS[options.model]
    folder.mkdir(parents=True, exist_ok=True)
    WRITERS[options.model](folder)


if __name__ == "__main__":
    main()
