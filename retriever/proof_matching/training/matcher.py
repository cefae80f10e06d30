"""Matchers from checkpoints: opened to score statements and proofs, or what another run starts from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor

from lean_extract.common.errors import ModelError
from retriever.proof_matching.schema import Modality, StatementProof, Token
from retriever.proof_matching.training.config import MatchConfig, parse_match
from retriever.proof_matching.training.data import texts_of
from retriever.proof_matching.training.model import BertEncoder, Matcher, build_matcher
from retriever.training.model import fit_attention
from retriever.training.running.checkpoint import load_checkpoint
from retriever.training.running.config import Precision
from retriever.training.running.run_folder import check_run
from retriever.training.tokens import Ragged, open_tokenizer
from retriever.training.weights import fill, load_bert, take_over
from retriever.training.wordpiece import PAD

Text = Sequence[Token]
_CHUNK = 256
"""Texts encoded at a time."""


@dataclass(frozen=True, slots=True)
class OpenMatcher:
    """A run's matcher, ready to score; its texts are cut as in its training."""

    model: Matcher
    config: MatchConfig
    tokenizer: Tokenizer

    def matrix(
        self, pairs: Sequence[StatementProof], modality: Modality | None = None
    ) -> NDArray[np.float32]:
        """float32[pairs, pairs] Every statement with every proof; by default of the run's own tokens."""
        chosen = modality or self.config.modality
        return self._scores([pair.statement for pair in pairs], [pair.proof for pair in pairs], chosen)

    def scores(self, statements: Sequence[Text], proofs: Sequence[Text]) -> NDArray[np.float32]:
        """float32[statements, proofs] of any texts. Raises ValueError when there are none."""
        return self._scores(statements, proofs, self.config.modality)

    def _scores(
        self, statements: Sequence[Text], proofs: Sequence[Text], modality: Modality
    ) -> NDArray[np.float32]:
        lengths = self.config.lengths
        return matrix_of(
            self.model,
            texts_of(statements, self.tokenizer, lengths.statement, modality),
            texts_of(proofs, self.tokenizer, lengths.proof, modality),
            self.config.schedule.precision,
        )


def open_matcher(run: Path) -> OpenMatcher:
    """The matcher of a run folder, on a GPU where there is one. Raises ModelError."""
    check_run(run, "match")
    tokenizer = open_tokenizer(run / "tokenizer.json")
    model, config = _load_matcher(run, tokenizer.get_vocab_size(), tokenizer.token_to_id(PAD) or 0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if isinstance(model.encoder, BertEncoder):
        fit_attention(model.encoder.bert, device)
    return OpenMatcher(model.to(device).eval(), config, tokenizer)


def matrix_of(
    model: Matcher, statements: Ragged, proofs: Ragged, precision: Precision
) -> NDArray[np.float32]:
    """float32[statements, proofs] Every statement with every proof. Raises ValueError without texts."""
    with torch.no_grad():
        scores = model.score(_encoded(model, statements, precision), _encoded(model, proofs, precision))
    return np.asarray(scores.cpu().numpy(), dtype=np.float32)


def _encoded(model: Matcher, texts: Ragged, precision: Precision) -> Tensor:
    """[rows, d] Some hundreds at a time, in the precision of the training."""
    if not len(texts):
        raise ValueError("there is no text to encode")
    starts = range(0, len(texts), _CHUNK)
    with torch.autocast(model.weight.device.type, torch.bfloat16, enabled=precision == "bf16"):
        return torch.cat(
            [model.encoder(texts.take(np.arange(start, min(start + _CHUNK, len(texts))))) for start in starts]
        )


def _load_matcher(run: Path, vocabulary: int, pad: int = 0) -> tuple[Matcher, MatchConfig]:
    """A run's last matcher and its configuration. Raises ModelError when there is none."""
    saved = load_checkpoint(run)
    if saved is None or saved.kind != "match":
        raise ModelError(f"The run {run} has no checkpoint of kind match.", "Train it first.")
    config = parse_match(saved.config)
    model = build_matcher(config, vocabulary, pad)
    fill(model, saved.model, run)
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
    other, _ = _load_matcher(run, vocabulary)
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
