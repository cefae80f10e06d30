"""A trained matcher, opened to score statements and proofs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer

from retriever.proof_matching.schema import Modality, StatementProof, Token
from retriever.proof_matching.training.config import MatchConfig
from retriever.proof_matching.training.data import texts_of
from retriever.proof_matching.training.model import BertEncoder, Matcher
from retriever.proof_matching.training.objective import matrix_of
from retriever.proof_matching.training.weights import load_matcher
from retriever.training.model import fit_attention
from retriever.training.running.past import check_run
from retriever.training.tokens import open_tokenizer
from retriever.training.wordpiece import PAD

Text = Sequence[Token]


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
    model, config = load_matcher(run, tokenizer.get_vocab_size(), tokenizer.token_to_id(PAD) or 0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if isinstance(model.encoder, BertEncoder):
        fit_attention(model.encoder.bert, device)
    return OpenMatcher(model.to(device).eval(), config, tokenizer)
