"""A general sentence encoder of the smallest size: as Hugging Face lays one out, with random weights."""

from __future__ import annotations

import json
from pathlib import Path

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

VOCABULARY = 99
SHAPE = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
CONFIG = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-12,
    "max_position_embeddings": 64,
    "hidden_dropout_prob": 0.1,
    "vocab_size": VOCABULARY,
    **SHAPE,
}


def _tokenizer() -> Tokenizer:
    """Like the one of an uncased BERT: letters, `##` letters, and rows that nothing uses."""
    letters = "abcdefghijklmnopqrstuvwxyz0123456789=+*()_.,:"
    names = ["[PAD]", "[unused0]", "[unused1]", "[UNK]", "[CLS]", "[SEP]", "⊢", "<", ">"]
    names += [*letters, *(f"##{letter}" for letter in letters)]
    tokenizer = Tokenizer(models.WordPiece({name: row for row, name in enumerate(names)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair=None, special_tokens=[("[CLS]", 4), ("[SEP]", 5)]
    )
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    tokenizer.enable_padding(length=24)
    tokenizer.enable_truncation(24)
    return tokenizer


def write_general_encoder(path: Path) -> Path:
    """Write the folder, with a pooler and an old buffer such as published ones have."""
    import torch
    from safetensors.torch import save_file
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    bert = BertModel(BertConfig(vocab_size=VOCABULARY, max_position_embeddings=64, **SHAPE))
    weights = {name: values.contiguous() for name, values in bert.state_dict().items()}
    save_file({**weights, "embeddings.position_ids": torch.arange(64)[None]}, path / "model.safetensors")
    (path / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    _tokenizer().save(str(path / "tokenizer.json"))
    return path
