"""Weights from one run to the next: what another run, of whatever kind, left in its checkpoint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from transformers import BertModel

from lean_extract.common.errors import ModelError
from retriever.training.model import build_bert
from retriever.training.running.checkpoint import Checkpoint, load_checkpoint
from retriever.training.running.config import ModelConfig

_PREFIX = "bert."
_POSITIONS = "embeddings.position_embeddings.weight"


def saved_run(run: Path) -> Checkpoint:
    """A run's last checkpoint. Raises ModelError when there is none, or a damaged one."""
    saved = load_checkpoint(run)
    if saved is None:
        raise ModelError(f"The run {run} has no checkpoint.", "Train it first.")
    return saved


def fill(model: nn.Module, weights: dict[str, Tensor], run: Path) -> None:
    """Give a model of a run's shape its weights. Raises ModelError: they are of another number of tokens."""
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:
        raise ModelError(f"The run {run} was trained with another tokenizer.", "Train it again.") from error


def load_bert(run: Path, vocabulary: int) -> BertModel:
    """The BERT of a run's last checkpoint. Every kind of run has it in its model as `bert`.

    Raises ModelError when there is no checkpoint, or one with another number of tokens.
    """
    saved = saved_run(run)
    bert = build_bert(ModelConfig(**saved.config["model"]), vocabulary)
    own = {
        name.removeprefix(_PREFIX): values for name, values in saved.model.items() if name.startswith(_PREFIX)
    }
    fill(bert, own, run)
    return bert


def take_over(target: BertModel, source: BertModel) -> None:
    """Start `target` where `source` ended.

    From a source with as many layers every weight is copied; positions that it does not have repeat those
    that it has (as Beltagy et al. 2020 do). From one without layers the embeddings are copied and the new
    layers made the identity: their residual branches give zero, the last layer norm is the source's and
    those before it are plain. Raises ModelError when the shapes do not fit.
    """
    kinds = {source.config.model_type, target.config.model_type}
    if len(kinds) == 1 and source.config.num_hidden_layers == target.config.num_hidden_layers:
        _copy(target, source)
        return
    widths = source.config.hidden_size, target.config.hidden_size
    if kinds != {"bert"} or source.config.num_hidden_layers or widths[0] != widths[1]:
        hint = "Start from a run with as many layers, or from one without layers and of the same width."
        raise ModelError("The run to start from has another shape.", hint)
    with torch.no_grad():
        for name, values in source.embeddings.named_parameters():
            own = target.embeddings.get_parameter(name)
            own.copy_(_stretched(values, len(own)) if f"embeddings.{name}" == _POSITIONS else values)
        layers: Any = target.encoder.layer
        last = layers[-1].output.LayerNorm
        last.weight.copy_(source.embeddings.LayerNorm.weight)
        last.bias.copy_(source.embeddings.LayerNorm.bias)
        target.embeddings.LayerNorm.reset_parameters()
        for layer in layers:
            for projection in (layer.attention.output.dense, layer.output.dense):
                projection.weight.zero_()
                projection.bias.zero_()


def _copy(target: BertModel, source: BertModel) -> None:
    values = dict(source.state_dict())
    if _POSITIONS in values:
        values[_POSITIONS] = _stretched(values[_POSITIONS], int(target.config.max_position_embeddings))
    try:
        target.load_state_dict(values)
    except RuntimeError as error:
        hint = "Give both runs the same model.hidden and model.intermediate."
        raise ModelError("The run to start from has another shape.", hint) from error


def _stretched(positions: Tensor, rows: int) -> Tensor:
    """[rows, h] The rows of a table of positions, begun again where it ends."""
    return positions[torch.arange(rows) % len(positions)]


def take_matching(target: BertModel, source: BertModel) -> None:
    """Copy every weight of `source` that `target` has in the same shape; the others stay fresh.

    Positions are stretched as `take_over` does it. Raises ModelError when not even the words' embeddings fit.
    """
    own, values = target.state_dict(), dict(source.state_dict())
    if values[_POSITIONS].shape[1] == own[_POSITIONS].shape[1]:
        values[_POSITIONS] = _stretched(values[_POSITIONS], len(own[_POSITIONS]))
    fitting = {
        name: given for name, given in values.items() if name in own and own[name].shape == given.shape
    }
    if "embeddings.word_embeddings.weight" not in fitting:
        hint = "Start from a run with the same model.hidden, or leave start_from out."
        raise ModelError("The run to start from is of another width.", hint)
    target.load_state_dict({**own, **fitting})
