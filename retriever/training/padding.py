"""Measure how much of a preset's batches is padding.

    python -m retriever padding CONFIG [--batches N]

Texts of like length run together in chunks, on a GPU in larger ones. The batches are those that the run draws; only
their lengths count here, so the model is made with one layer.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch import nn
from transformers import BertModel, T5EncoderModel

from lean_extract.common.arrays import Int64s
from lean_extract.common.errors import UserError
from lean_extract.common.option_types import positive
from retriever.training.model import TOKENS_PER_CHUNK, chunks
from retriever.training.running.train import kind_of, load_run

_BATCHES = 10


def padded_share(lengths: Int64s, limit: int) -> float:
    """The share of padding where texts of these lengths run in chunks of at most `limit` tokens."""
    order = np.argsort(lengths, kind="stable")
    tokens = sum(len(rows) * int(lengths[rows[-1]]) for rows in chunks(order, lengths, limit))
    return 1.0 - float(lengths.sum()) / tokens


@contextmanager
def _lengths_read(model: nn.Module) -> Iterator[list[Int64s]]:
    """The lengths of the texts that the model's BERT reads in the block, a list of each call's."""
    read: list[Int64s] = []

    def count(module: nn.Module, positional: Any, named: dict[str, Any]) -> None:
        read.append(named["attention_mask"].sum(dim=1).cpu().numpy())

    towers = [module for module in model.modules() if isinstance(module, BertModel | T5EncoderModel)]
    hooks = [tower.register_forward_pre_hook(count, with_kwargs=True) for tower in towers]
    try:
        yield read
    finally:
        for hook in hooks:
            hook.remove()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("config", type=Path, help="a YAML file, or the name of a preset")
    parser.add_argument("--batches", type=positive, default=_BATCHES, help=f"how many ({_BATCHES})")


def run(options: argparse.Namespace) -> None:
    """Run the command. Raises BadSettings, ModelError, BadRecords; UserError for a model that pads nothing."""
    config = cast(Any, load_run(options.config))
    if config.model.layers == 0:
        raise UserError("A bag of words pads nothing.", "Name a preset with layers.")
    shallow = replace(config, model=replace(config.model, layers=1), start_from=None)
    objective = kind_of({"kind": config.kind}).make_objective(shallow, torch.device("cpu"))
    batches: list[Int64s] = []
    for step in range(options.batches):
        with torch.no_grad(), _lengths_read(objective.model) as read:
            objective.loss(objective.model, step, 0, 0)
        batches.append(np.concatenate(read))
    texts, tokens = (float(np.mean([function(batch) for batch in batches])) for function in (len, np.sum))
    print(
        f"{len(batches)} batches of {texts:,.0f} texts and {tokens:,.0f} tokens; data {objective.data[:16]}"
    )
    for device, limit in TOKENS_PER_CHUNK.items():
        share = np.mean([padded_share(batch, limit) for batch in batches])
        print(f"{device}: {100 * share:.1f}% padding in chunks of {limit:,} tokens")
