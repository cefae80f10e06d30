"""The sentence encoder at work: tokenise, run the ONNX graph, pool, eqs. (2) and (3).

A model folder holds

    config.json      {"format": "premise-suggest-encoder", "version": 1,
                      "dimension": d,          length of an embedding
                      "max_length": 256,       tokens, with [CLS] and [SEP]
                      "text_version": 1,       retriever.models.text.VERSION that it was trained on
                      "pad_id": 0,
                      "similarity": "fine"}    eq. (3), the default; or "plain", eq. (2)
                                               (more keys are left for the model card)
    tokenizer.json   a `tokenizers` file whose post-processor adds [CLS] and [SEP]; <VAR> and <GOAL> are
                     special tokens; no truncation and no padding set (this module does both)
    model.onnx       inputs `input_ids`, `attention_mask`: int64[batch, sequence];
                     output `last_hidden_state`: float32[batch, sequence, d]. A projection to d dimensions, if
                     there is one, is linear and inside the graph (then it commutes with the mean).
    terms.npz        in its place, where config.json has "architecture": "WeighedTerms" and how many "pairs":
                     see `retriever.models.bag`. Such an encoder reads a premise as `name [SEP] context goal`.
    fusion.json      see `retriever.search.fusion`
    README.md        the model card

An embedding is the mean of `last_hidden_state` over all tokens that the mask admits ([CLS] and [SEP]
included), divided by its Euclidean norm. A premise's vector is the mean of its context's and its goal's
embedding (eq. 3), so its norm may be less than 1: the inner product with a state's embedding *is* eq. (3).
A premise without binders has no context vector, only its goal's embedding. With eq. (2) a
premise is embedded whole. To the embedding of a state that of its target is added, by how much of the context
has nothing to do with it (`retriever.models.text.unrelated_share`); the paper has nothing like it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from lean_extract.common.arrays import Floats, Int64s
from lean_extract.common.devices import Device, Place
from lean_extract.common.errors import ModelError
from lean_extract.common.onnx_runtime import open_session, place_of
from lean_extract.common.tokenizer import open_tokenizer
from lean_extract.records import Goal, Premise
from retriever.limits import MAX_CHARACTERS_PER_TOKEN
from retriever.models import text as texts
from retriever.models.bag import MARK, TERMS, WeighedTerms
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

FORMAT = "premise-suggest-encoder"
VERSION = 1
CONFIG, TOKENIZER, MODEL = "config.json", "tokenizer.json", "model.onnx"
TERMS_ARCHITECTURE = "WeighedTerms"
"""The `architecture` of an encoder that is a table of terms in place of a graph."""


_TOKENS_PER_BATCH = 4096
_GOAL_WEIGHT = 0.25
"""The weight of a state's target alone relative to the whole state, where none of the context is related to it."""


@dataclass(frozen=True, slots=True)
class FittedState:
    """A state's text cut to what the encoder reads."""

    text: str
    dropped: tuple[str, ...] = ()
    """The hypotheses left out, as texts."""
    goal_cut: bool = False
    """The target itself was too long; its end was cut off."""
    unknown: float = 0.0
    """Which share of the text's tokens the vocabulary does not have, marks not counted."""


class PremiseEncoder(Protocol):
    """What the index and the service need of an encoder."""

    @property
    def dimension(self) -> int:
        """Length d of an embedding."""

    @property
    def fingerprint(self) -> str:
        """Equal fingerprints, equal embeddings."""

    def encode_premises(self, premises: Sequence[Premise]) -> Floats:
        """float32[n, d], eq. (2) or (3) as the model has it."""

    def encode_state(self, goal: Goal) -> Floats:
        """float32[d], eq. (2)."""

    def encode_states(self, goals: Sequence[Goal]) -> Floats:
        """float32[n, d]: the same for several."""

    def fit(self, goal: Goal) -> FittedState:
        """What is read of a goal, and what had to be left out."""


class Encoder:
    """An encoder loaded from a model folder; safe to use from several threads."""

    def __init__(
        self, model: _Graph | WeighedTerms, tokenizer: Any, config: _Config, fingerprint: str
    ) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._config = config
        self._fingerprint = fingerprint
        unknown = getattr(tokenizer.model, "unk_token", None)
        self._unknown_id = tokenizer.token_to_id(unknown) if unknown else None

    @classmethod
    def load(cls, folder: Path, *, threads: int = 1, device: Device = "cpu") -> Encoder:
        """Load a model folder onto a device, with this many threads an operator of the CPU. Raises ModelError."""
        config = _read_config(folder)
        with reading_model("model", folder):
            tokenizer = open_tokenizer(folder / TOKENIZER)
            model: _Graph | WeighedTerms
            if config.has_terms:
                model = WeighedTerms.load(folder, tokenizer, config.pairs)
            else:
                model = _Graph(open_session(folder / MODEL, threads, device), config.pad_id)
        encoder = cls(model, tokenizer, config, fingerprint_of(folder))
        encoder._check(folder)
        return encoder

    @property
    def dimension(self) -> int:
        """Length of an embedding."""
        return self._config.dimension

    @property
    def place(self) -> Place:
        """Where it runs."""
        return place_of(self._model.session) if isinstance(self._model, _Graph) else "cpu"

    @property
    def max_length(self) -> int:
        """The most tokens that are read of one text, special ones included."""
        return self._config.max_length

    @property
    def fingerprint(self) -> str:
        """Hash of graph, tokenizer, reading length and text form: equal fingerprints, equal embeddings."""
        return self._fingerprint

    def encode(self, sentences: Sequence[str]) -> Floats:
        """float32[n, d], each row of norm 1. Texts over `max_length` tokens lose their end."""
        result = np.empty((len(sentences), self.dimension), dtype=np.float32)
        for chosen, ids in self._batches(sentences):
            result[chosen] = self._model.embed(ids)
        return result

    def encode_state(self, goal: Goal) -> Floats:
        """float32[d], the state's side of eq. (2)."""
        return np.asarray(self.encode_states([goal])[0])

    def encode_states(self, goals: Sequence[Goal]) -> Floats:
        """float32[n, d], each row of norm 1.

        Where part of the context has nothing to do with the target, as inside a proof, the target's own
        embedding is added, weighed by how large that part is.
        """
        goals = [self._in_known_words(goal) for goal in goals]
        vectors = self.encode([self.fit(goal).text for goal in goals])
        weights = np.array([_GOAL_WEIGHT * texts.unrelated_share(goal) for goal in goals], dtype=np.float32)
        rows = np.flatnonzero(weights)
        if len(rows):
            targets = self.encode([texts.goal_text(goals[row]) for row in rows.tolist()])
            vectors[rows] += weights[rows, None] * targets
            vectors[rows] /= np.maximum(np.linalg.norm(vectors[rows], axis=1, keepdims=True), 1e-12)
        return vectors

    def encode_premises(self, premises: Sequence[Premise]) -> Floats:
        """float32[n, d], the premises' side of eq. (3), whose norms are at most 1, or of eq. (2)."""
        if self._config.has_terms:
            named = map(texts.named_texts, premises)
            return self.encode([f"{name} {MARK} {context} {goal}" for name, context, goal in named])
        pairs = [texts.premise_texts(premise) for premise in premises]
        if self._config.similarity == "plain":
            return self.encode([f"{context} {goal}".strip() for context, goal in pairs])
        return _combine(self.encode, pairs)

    def fit(self, goal: Goal) -> FittedState:
        """The state's text within `max_length` tokens.

        The target stays; hypotheses go where they do not fit, those first that the target does not
        mention, directly or through others, and among these the ones furthest from it.
        """
        goal = self._in_known_words(goal)
        target = texts.goal_text(goal)
        limit = self.max_length * MAX_CHARACTERS_PER_TOKEN
        room = self.max_length - 2
        hypotheses = [f"{texts.VAR} {text}" for text in texts.hypothesis_texts(goal)]
        if len(target) + sum(map(len, hypotheses)) <= limit:
            whole = " ".join([*hypotheses, target])
            [ids] = self._token_ids([whole])
            if len(ids) <= room:
                return FittedState(whole, unknown=self._unknown_share(ids))
        left = room - self._lengths([target[:limit]])[0]
        lengths = self._lengths([text[:limit] for text in hypotheses])
        kept: set[int] = set()
        for index in _by_relevance(goal):
            if lengths[index] <= left:
                kept.add(index)
                left -= lengths[index]
        text = " ".join([*(hypotheses[index] for index in sorted(kept)), target[:limit]])
        dropped = tuple(hypotheses[index] for index in range(len(hypotheses)) if index not in kept)
        [ids] = self._token_ids([text])
        return FittedState(text, dropped, left < 0 or len(target) > limit, self._unknown_share(ids[:room]))

    def _in_known_words(self, goal: Goal) -> Goal:
        """The goal without namespaces that the vocabulary does not have: their pieces say nothing."""
        return texts.without_namespaces(goal, lambda part: self._tokenizer.token_to_id(part) is not None)

    def token_vectors(self) -> Floats:
        """float32[vocabulary, d]: what an encoder without layers has of each token. Raises ModelError."""
        size = self._tokenizer.get_vocab_size()
        if isinstance(self._model, WeighedTerms):
            return self._model.vectors(np.arange(size))
        if not self._config.is_bag:
            raise ModelError("The encoder has layers.", "Name a bag of words as `encoder`.")
        ids = np.arange(size, dtype=np.int64)[:, None]
        return self._model.run(ids, np.ones_like(ids))[:, 0]

    def state_ids(self, goal: Goal) -> list[int]:
        """The tokens that are read of a state, special ones included."""
        [encoding] = self._tokenizer.encode_batch_fast([self.fit(goal).text])
        return self._cut(encoding.ids)

    def count_tokens(self, goal: Goal) -> int:
        """How many tokens the state's whole text has, special ones included."""
        return self._lengths([texts.state_text(goal)])[0] + 2

    def _lengths(self, sentences: Sequence[str]) -> list[int]:
        return list(map(len, self._token_ids(sentences)))

    def _token_ids(self, sentences: Sequence[str]) -> list[list[int]]:
        encodings = self._tokenizer.encode_batch_fast(list(sentences), add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def _unknown_share(self, ids: Sequence[int]) -> float:
        """The share of `[UNK]` among a text's tokens that are not marks; 0 if all are marks."""
        marks = {self._tokenizer.token_to_id(mark) for mark in (texts.VAR, texts.GOAL)}
        content = [number for number in ids if number not in marks]
        return sum(number == self._unknown_id for number in content) / max(len(content), 1)

    def _batches(self, sentences: Sequence[str]) -> Iterator[tuple[list[int], list[list[int]]]]:
        """(positions, token ids) of texts of like length, so that little is padded."""
        limit = self.max_length * MAX_CHARACTERS_PER_TOKEN
        for start in range(0, len(sentences), 4096):
            part = [sentence[:limit] for sentence in sentences[start : start + 4096]]
            ids = [self._cut(encoding.ids) for encoding in self._tokenizer.encode_batch_fast(part)]
            for batch in packed(ids, _TOKENS_PER_BATCH):
                yield [start + index for index in batch], [ids[index] for index in batch]

    def _cut(self, ids: list[int]) -> list[int]:
        """At most `max_length` tokens, the last ([SEP]) always among them."""
        return ids if len(ids) <= self.max_length else [*ids[: self.max_length - 1], ids[-1]]

    def _check(self, folder: Path) -> None:
        """One short text must come out in the shape that config.json says."""
        try:
            shape = self.encode([f"{texts.GOAL} a = a"]).shape
        except Exception as error:  # whatever onnxruntime raises for a graph of another form
            raise ModelError(f"The model in {folder} does not run: {error}.", REINSTALL) from error
        if shape != (1, self.dimension):
            raise ModelError(f"The model in {folder} gives embeddings of shape {shape}.", REINSTALL)


@dataclass(frozen=True, slots=True)
class _Graph:
    """An ONNX graph whose hidden states are averaged."""

    session: Any
    pad_id: int

    def embed(self, ids: Sequence[Sequence[int]]) -> Floats:
        """float32[n, d], each row of norm 1."""
        input_ids, mask = padded(ids, self.pad_id)
        return mean_pool(self.run(input_ids, mask), mask)

    def run(self, input_ids: Int64s, mask: Int64s) -> Floats:
        """float32[n, longest, d] The hidden states."""
        values = {"input_ids": input_ids, "attention_mask": mask}
        return np.asarray(self.session.run(["last_hidden_state"], values)[0], dtype=np.float32)


def mean_pool(hidden: Floats, mask: Int64s) -> Floats:
    """float32[b, d]: the mean over the masked positions of float32[b, s, d], divided by its norm."""
    weights = mask.astype(np.float32)
    summed = np.einsum("bsd,bs->bd", hidden, weights)
    mean = summed / np.maximum(weights.sum(axis=1, keepdims=True), 1.0)
    return np.asarray(mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-12), dtype=np.float32)


def _combine(encode: Callable[[Sequence[str]], Floats], pairs: Sequence[tuple[str, str]]) -> Floats:
    """Eq. (3) over (context text, goal text) pairs: float32[n, d]. Equal texts are encoded once."""
    distinct = sorted({text for pair in pairs for text in pair if text})
    vectors = encode(distinct)
    row_of = {text: index for index, text in enumerate(distinct)}
    goals = vectors[[row_of[goal] for _, goal in pairs]] if pairs else vectors[:0]
    contexts = np.array(
        [row_of[context] if context else row_of[goal] for context, goal in pairs], dtype=np.int64
    )
    return np.asarray((goals + vectors[contexts]) / 2, dtype=np.float32)


def fingerprint_of(folder: Path) -> str:
    """16 hexadecimal digits over all that decides an embedding in a model folder. Raises ModelError."""
    config = _read_config(folder)
    identity = f"{config.max_length} {config.pad_id} {texts.VERSION}"
    if config.similarity != "fine":
        identity += f" {config.similarity}"
    try:
        return digest_of(folder, (TERMS if config.has_terms else MODEL, TOKENIZER), identity)
    except OSError as error:
        raise ModelError(f"{error.filename} cannot be read: {error.strerror}.", REINSTALL) from error


@dataclass(frozen=True, slots=True)
class _Config:
    dimension: int
    max_length: int
    pad_id: int
    similarity: str
    is_bag: bool
    has_terms: bool
    pairs: int


def _read_config(folder: Path) -> _Config:
    path = folder / CONFIG
    with reading_settings("model", path):
        values = read_settings(path)
        check_form(values, FORMAT, VERSION)
        similarity = values.get("similarity", "fine")
        if similarity not in ("fine", "plain"):
            raise ValueError(f"similarity {similarity!r} is neither fine nor plain")
        sizes = (whole(values, "dimension", 1), whole(values, "max_length", 8), whole(values, "pad_id", 0))
        has_terms = values.get("architecture") == TERMS_ARCHITECTURE
        pairs = whole(values, "pairs", 0) if has_terms else 0
        return _Config(*sizes, similarity, values.get("num_hidden_layers") == 0, has_terms, pairs)


def _by_relevance(goal: Goal) -> list[int]:
    """Hypotheses in the order in which they deserve room: mentioned by the target (or by what it mentions)
    first, propositions about mentioned variables next, then the rest; each from the target backwards."""
    words = [set(texts.normal_form(hypothesis.type).split()) for hypothesis in goal.hypotheses]
    bare = [{word.strip("()[]{},:⟨⟩") for word in group} | group for group in words]
    wanted = {word.strip("()[]{},:⟨⟩") for word in texts.normal_form(goal.target).split()}
    mentioned: list[int] = []
    backwards = range(len(goal.hypotheses) - 1, -1, -1)
    for index in backwards:
        if any(texts.bare_name(name) in wanted for name in goal.hypotheses[index].names):
            mentioned.append(index)
            wanted |= bare[index]
    chosen = set(mentioned)
    about = [index for index in backwards if index not in chosen and bare[index] & wanted]
    chosen.update(about)
    return [*mentioned, *about, *(index for index in backwards if index not in chosen)]
