"""Matchers from checkpoints, and what a run takes over from another."""

from __future__ import annotations

from pathlib import Path

from torch import Tensor

from lean_extract.common.errors import ModelError
from retriever.proof_matching.training.config import MatchConfig, parse_match
from retriever.proof_matching.training.model import BertEncoder, Matcher, build_matcher
from retriever.training.running.checkpoint import load_checkpoint
from retriever.training.weights import load_bert, take_over


def load_matcher(run: Path, vocabulary: int, pad: int = 0) -> tuple[Matcher, MatchConfig]:
    """A run's last matcher and its configuration. Raises ModelError when there is none."""
    saved = load_checkpoint(run)
    if saved is None or saved.kind != "match":
        raise ModelError(f"The run {run} has no checkpoint of kind match.", "Train it first.")
    config = parse_match(saved.config)
    model = build_matcher(config, vocabulary, pad)
    try:
        model.load_state_dict(saved.model)
    except RuntimeError as error:
        raise ModelError(f"The run {run} was trained with another tokenizer.", "Train it again.") from error
    return model, config


def start_from(model: Matcher, run: Path, vocabulary: int) -> None:
    """Start a matcher where a run ended: another matcher, or the BERT of any run.

    A matcher without layers gives its embeddings and its W; the new layers begin as the identity. Raises
    ModelError when there is no checkpoint, or one that does not fit.
    """
    saved = load_checkpoint(run)
    if saved is None or saved.kind != "match":
        if not isinstance(model.encoder, BertEncoder):
            raise ModelError(
                "An NPT has no pre-training to start from.", "Name a run of kind match, or none."
            )
        take_over(model.encoder.bert, load_bert(run, vocabulary))
        return
    other, _ = load_matcher(run, vocabulary)
    try:
        if isinstance(model.encoder, BertEncoder) and isinstance(other.encoder, BertEncoder):
            take_over(model.encoder.bert, other.encoder.bert)
            model.load_state_dict({**model.state_dict(), **_score_of(other)})
        else:
            layers = "encoder.layers."
            fresh = {name: part for name, part in model.state_dict().items() if name.startswith(layers)}
            given = other.state_dict()
            bag = not any(name.startswith(layers) for name in given)
            model.load_state_dict({**fresh, **given} if bag else given)
    except RuntimeError as error:
        hint = "Start from a run with the same encoder and the same width."
        raise ModelError(f"The run {run} has another shape.", hint) from error


def _score_of(model: Matcher) -> dict[str, Tensor]:
    return {"weight": model.weight.data, "bias": model.bias.data}
