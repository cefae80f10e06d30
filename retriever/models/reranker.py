"""The context-aware re-ranker at work (section 3.2.2): state and premise read together, eqs. (4) and (5).

A re-ranker's folder holds

    config.json      {"format": "premise-suggest-reranker", "version": 1,
                      "state_length": 96,      tokens read of a state, [CLS] and the first [SEP] included
                      "premise_length": 64,    tokens read of a premise, the second [SEP] included
                      "text_version": 1,       retriever.models.text.VERSION that it was trained on
                      "pad_id": 0,
                      "token_types": 2,        or 4, see below (2 where it is left out)
                      "weight": 0.4}           the logit's weight, the fused score's is 1;
                                               `python -m retriever fit-rerank` writes it (more keys are left
                                               for the model card)
    tokenizer.json   a `tokenizers` file with the tokens [CLS] and [SEP]
    model.onnx       inputs `input_ids`, `attention_mask`, `token_type_ids`: int64[batch, sequence];
                     output `logits`: float32[batch], the argument of eq. (5)'s sigmoid

The input is eq. (4)'s `[CLS] state [SEP] premise's context, premise's goal [SEP]`; token types mark its two halves
and, where there are four, the tokens in both halves, which a few layers take long to learn. A text that is too long
loses what is furthest from the goal: a state its beginning, a premise the beginning of its context, and only a
premise's goal that fills all the room alone its end. A document of another backend than Lean's is read as a goal
without context.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lean_extract.common.arrays import Floats, Int64s
from lean_extract.common.devices import Device
from lean_extract.common.errors import ModelError
from lean_extract.common.files.atomic import replacing
from lean_extract.common.files.json_text import read_json
from lean_extract.common.onnx_runtime import open_session
from lean_extract.common.tokenizer import open_tokenizer
from lean_extract.records import Goal, Premise
from retriever.limits import MAX_CHARACTERS_PER_TOKEN
from retriever.models import text as texts
from retriever.models.encoder import CONFIG, MODEL, TOKENIZER
from retriever.models.runtime import (
    REINSTALL,
    check_form,
    digest_of,
    packed,
    padded,
    read_settings,
    reading_model,
    reading_settings,
    whole,
)

FORMAT = "premise-suggest-reranker"
VERSION = 1
FOLDER = "reranker"
"""Where an encoder's folder has its re-ranker: the weight is fitted to that encoder and its fusion."""
DEPTH = 20
"""How many of the best premises are re-ranked by default (section 4.1.1)."""
_CLS, _SEP = "[CLS]", "[SEP]"
INPUTS = ("input_ids", "attention_mask", "token_type_ids")

_TOKENS_PER_BATCH = 1024
"""Few enough that texts of like length stay together: twenty pairs make three or four batches."""


@dataclass(frozen=True, slots=True)
class PairLengths:
    """How much of a pair is read, in tokens."""

    state: int
    """[CLS] and the first [SEP] included."""
    premise: int
    """Context and goal together, the second [SEP] included."""


@dataclass(frozen=True, slots=True)
class RerankerConfig:
    """What config.json says."""

    lengths: PairLengths
    pad_id: int
    token_types: int
    weight: float


def cut_state(ids: Sequence[int], lengths: PairLengths, cls: int, sep: int) -> list[int]:
    """`[CLS] state [SEP]`: the state's last tokens, where its goal is. `ids` has no special tokens."""
    return [cls, *ids[max(0, len(ids) - (lengths.state - 2)) :], sep]


def cut_premise(context: Sequence[int], goal: Sequence[int], lengths: PairLengths, sep: int) -> list[int]:
    """`context goal [SEP]`: the goal's first tokens and, in what room they leave, the context's last."""
    room = lengths.premise - 1
    kept = goal[:room]
    return [*context[max(0, len(context) - (room - len(kept))) :], *kept, sep]


def token_types(ids: Int64s, mask: Int64s, states: Int64s, types: int) -> Int64s:
    """int64[n, longest]: 0 in the state, 1 in the premise; of four types, 2 and 3 for tokens that are in both.

    Args:
        ids: int64[n, longest], padded pairs.
        mask: int64[n, longest], 0 where padded.
        states: int64[n], how many of a row's tokens, the first ones, are the state's.
        types: 2 or 4.
    """
    in_premise = (np.arange(ids.shape[1])[None, :] >= states[:, None]) & (mask > 0)
    in_state = (mask > 0) & ~in_premise
    found = in_premise.astype(np.int64)
    if types == 2:
        return found
    rows = np.broadcast_to(np.arange(len(ids))[:, None], ids.shape)
    occurs = np.zeros((2, len(ids), int(ids.max(initial=0)) + 1), dtype=np.bool_)
    for half, here in enumerate((in_state, in_premise)):
        occurs[half, rows[here], ids[here]] = True
    in_both = (occurs[0] & occurs[1])[rows, ids] & (mask > 0)
    return np.asarray(found + 2 * in_both, dtype=np.int64)


class Reranker:
    """A re-ranker loaded from its folder; safe to use from several threads."""

    def __init__(self, session: Any, tokenizer: Any, config: RerankerConfig, fingerprint: str) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._config = config
        self._fingerprint = fingerprint
        self._cls, self._sep = tokenizer.token_to_id(_CLS), tokenizer.token_to_id(_SEP)

    @classmethod
    def load(cls, folder: Path, *, threads: int = 1, device: Device = "cpu") -> Reranker:
        """Load a folder onto a device, with this many threads an operator of the CPU. Raises ModelError."""
        config = read_config(folder)
        with reading_model("re-ranker", folder):
            session = open_session(folder / MODEL, threads, device)
            tokenizer = open_tokenizer(folder / TOKENIZER)
            reranker = cls(session, tokenizer, config, _fingerprint_of(folder, config))
        reranker._check(folder)
        return reranker

    @classmethod
    def of_model(cls, model_folder: Path, *, threads: int = 1, device: Device = "cpu") -> Reranker | None:
        """The re-ranker in an encoder's folder; None if it has none. Raises ModelError when it is damaged."""
        folder = model_folder / FOLDER
        return cls.load(folder, threads=threads, device=device) if folder.is_dir() else None

    @property
    def fingerprint(self) -> str:
        """Hash of graph, tokenizer, lengths and text form: equal fingerprints, equal logits."""
        return self._fingerprint

    @property
    def weight(self) -> float:
        """The logit's weight relative to the fused score; 0 until it is fitted."""
        return self._config.weight

    def scores(self, goal: Goal, premises: Sequence[Premise]) -> Floats:
        """float32[n]: the logit of eq. (5) for each premise; NaN for one whose statement is not known."""
        found = [texts.premise_texts(premise) if premise.conclusion else ("", "") for premise in premises]
        return self.pair_scores(texts.state_text(goal), found)

    def pair_scores(self, query: str, documents: Sequence[tuple[str, str]]) -> Floats:
        """float32[n]: the logit for each document, given as (context, text); NaN for one without text."""
        result = np.full(len(documents), np.nan, dtype=np.float32)
        readable = [index for index, (_, text) in enumerate(documents) if text]
        if not readable:
            return result
        state = self._query_ids(query)
        rows = self._document_ids([documents[index] for index in readable])
        for batch in packed(rows, max(1, _TOKENS_PER_BATCH - len(state))):
            chosen = [readable[index] for index in batch]
            result[chosen] = self._run(state, [rows[index] for index in batch])
        return result

    def _query_ids(self, query: str) -> list[int]:
        lengths = self._config.lengths
        text = query[-lengths.state * MAX_CHARACTERS_PER_TOKEN :]
        ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        return cut_state(ids, lengths, self._cls, self._sep)

    def _document_ids(self, pairs: Sequence[tuple[str, str]]) -> list[list[int]]:
        lengths = self._config.lengths
        limit = lengths.premise * MAX_CHARACTERS_PER_TOKEN
        sentences = [part for context, goal in pairs for part in (context[-limit:], goal[:limit])]
        encoded = self._tokenizer.encode_batch_fast(sentences, add_special_tokens=False)
        ids = [encoding.ids for encoding in encoded]
        return [
            cut_premise(context, goal, lengths, self._sep)
            for context, goal in zip(ids[::2], ids[1::2], strict=True)
        ]

    def _run(self, state: list[int], premises: list[list[int]]) -> Floats:
        ids, mask = padded([state + row for row in premises], self._config.pad_id)
        states = np.full(len(ids), len(state), dtype=np.int64)
        types = token_types(ids, mask, states, self._config.token_types)
        values = dict(zip(INPUTS, (ids, mask, types), strict=True))
        return np.asarray(self._session.run(["logits"], values)[0], dtype=np.float32)

    def _check(self, folder: Path) -> None:
        """One short pair must come out as one finite number."""
        if self._cls is None or self._sep is None:
            raise ModelError(f"The tokenizer in {folder} has no {_CLS} or no {_SEP}.", REINSTALL)
        try:
            logits = self.scores(Goal((), "a = a"), [Premise("a", "theorem", "A", (), "a = a")])
        except Exception as error:  # whatever onnxruntime raises for a graph of another form
            raise ModelError(f"The re-ranker in {folder} does not run: {error}.", REINSTALL) from error
        if not np.isfinite(logits).all():
            raise ModelError(f"The re-ranker in {folder} gives {logits[0]} for a pair.", REINSTALL)


def read_config(folder: Path) -> RerankerConfig:
    """What a re-ranker's config.json says. Raises ModelError."""
    path = folder / CONFIG
    with reading_settings("re-ranker", path):
        values = read_settings(path)
        check_form(values, FORMAT, VERSION)
        lengths = PairLengths(whole(values, "state_length", 8), whole(values, "premise_length", 8))
        types = whole({"token_types": 2, **values}, "token_types", 2, 4)
        config = RerankerConfig(lengths, whole(values, "pad_id", 0), types, float(values["weight"]))
        if not np.isfinite(config.weight):
            raise ValueError("the weight is not a finite number")
        return config


def write_weight(folder: Path, weight: float, fitted_on: str) -> None:
    """Put the fitted weight, and in words what it was fitted on, into a folder's config.json."""
    read_config(folder)
    values = read_json(folder / CONFIG)
    values |= {"weight": weight, "weight_fitted_on": fitted_on}
    with replacing(folder / CONFIG) as stream:
        stream.write(json.dumps(values, indent=2, ensure_ascii=False) + "\n")


def blend(fused: Floats, logits: Floats, weight: float) -> Floats:
    """float32[n]: `fused + weight * logit`, the logits counted from their mean; as fused where NaN.

    Only differences of logits mean anything (they come of a softmax over one state's candidates), so those
    without a logit are ranked like a premise of average fit.
    """
    known = np.isfinite(logits)
    if not known.any():
        return fused
    centred = np.where(known, logits - logits[known].mean(), 0.0)
    return np.asarray(fused + weight * centred, dtype=np.float32)


def _fingerprint_of(folder: Path, config: RerankerConfig) -> str:
    """16 hexadecimal digits over all that decides a logit."""
    lengths = config.lengths
    settings = f"{lengths.state} {lengths.premise} {config.pad_id} {texts.VERSION}"
    if config.token_types != 2:
        settings += f" {config.token_types}"
    return digest_of(folder, (MODEL, TOKENIZER), settings)
