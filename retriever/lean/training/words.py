"""Word vectors for searches in words, trained on pairs of English and declaration (`word-pairs`)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from lean_extract.common.arrays import Bools, Int64s
from lean_extract.common.errors import BadRecords
from lean_extract.common.files.atomic import replacing
from lean_extract.records import Premise, read_header, read_records
from retriever.lean.dataset.word_pairs import WordPair, read_pairs
from retriever.lean.words.fields import FIELDS
from retriever.lean.words.vocabulary import word_tokens
from retriever.lean.words.word_fields import field_words
from retriever.search.splits import SPLITS
from retriever.training.losses import contrastive_loss
from retriever.training.model import groups_of
from retriever.training.running.config import RunConfig
from retriever.training.running.config_io import from_plain
from retriever.training.tokens import Ragged, ragged
from retriever.training.word_towers import WORDS, WordsConfig, WordTowers

_DOC = FIELDS.index("doc")


def parse(values: Mapping[str, Any]) -> WordsConfig:
    """The run's configuration. Raises BadSettings."""
    return from_plain(WordsConfig, values)


@dataclass(frozen=True, slots=True)
class WordCorpus:
    """What is learned from, as numbers of words and of premises."""

    words: list[str]
    fields: tuple[Ragged, ...]
    """By FIELDS, of each premise."""
    drawn: Int64s
    """The premises that negatives are drawn from: those that nothing generated."""
    queries: Ragged
    gold: Int64s
    """The premise of each query."""
    splits: Int64s
    """[queries] Index in SPLITS."""

    @classmethod
    def of(cls, premises: Sequence[Premise], pairs: Sequence[WordPair], rarest: int) -> WordCorpus:
        """Of a library's premises; words of fewer than `rarest` of them are left out. Raises BadRecords."""
        ordered = sorted(premises, key=lambda premise: premise.module)
        texts: list[tuple[list[str], ...]] = []
        for _, own in groupby(ordered, key=lambda premise: premise.module):
            texts += field_words([*own])
        frequencies = Counter(word for fields in texts for word in set().union(*fields))
        words = sorted(word for word, count in frequencies.items() if count >= rarest)
        numbers = {word: number for number, word in enumerate(words)}
        places = {premise.name: place for place, premise in reversed([*enumerate(ordered)])}
        known = [pair for pair in pairs if pair.name in places]
        queries = _numbered((dict.fromkeys(word_tokens(pair.query)) for pair in known), numbers)
        some = np.flatnonzero(queries.lengths)
        if not len(some):
            raise BadRecords(
                "No pair is about a premise of the records.", "Make the pairs from the same records."
            )
        return cls(
            words,
            tuple(_numbered((fields[one] for fields in texts), numbers) for one in range(len(FIELDS))),
            np.flatnonzero([premise.generated_by is None for premise in ordered]),
            queries.take(some),
            np.array([places[pair.name] for pair in known])[some],
            np.array([SPLITS.index(pair.split) for pair in known])[some],
        )

    def premises(self, rows: Int64s, without_doc: Bools) -> list[Ragged]:
        """The fields of premises, of some of them (bool[rows]) without what is written about them."""
        fields = [field.take(rows) for field in self.fields]
        fields[_DOC] = _kept(fields[_DOC], np.repeat(~without_doc, fields[_DOC].lengths))
        return fields


def _numbered(texts: Iterable[Iterable[str]], numbers: Mapping[str, int]) -> Ragged:
    return ragged([[numbers[word] for word in words if word in numbers] for words in texts])


def _kept(rows: Ragged, kept: Bools) -> Ragged:
    """Rows without some of their numbers."""
    before = np.concatenate([[0], np.cumsum(kept)])
    return Ragged(rows.flat[kept], before[rows.offsets])


def make_objective(config: RunConfig, device: torch.device) -> WordsObjective:
    """The objective over the run's records and pairs. Raises BadRecords."""
    own = cast(WordsConfig, config)
    premises = [record for record in read_records(own.dataset) if isinstance(record, Premise)]
    corpus = WordCorpus.of(premises, read_pairs(own.pairs), own.rarest)
    digest = hashlib.sha256(own.pairs.read_bytes()).hexdigest()[:16]
    with replacing(own.run / WORDS) as stream:
        stream.write("\n".join(corpus.words) + "\n")
    return WordsObjective(own, corpus, f"{read_header(own.dataset).revision} {digest}", device)


class WordsObjective:
    """Queries against the premises of the batch, and others drawn at random."""

    def __init__(self, config: WordsConfig, corpus: WordCorpus, data: str, device: torch.device) -> None:
        self._config, self._corpus, self.data = config, corpus, data
        self._train = np.flatnonzero(corpus.splits == SPLITS.index("train"))
        self.model = WordTowers(len(corpus.words), config.dimension, len(FIELDS)).to(device)

    def parameter_groups(self) -> list[dict[str, Any]]:
        """One rate for all; only the words' vectors decay."""
        return groups_of(self.model, self._config.schedule)

    def loss(self, model: nn.Module, step: int, micro: int, rank: int) -> Tensor:
        """Equation (6); a scalar."""
        config, corpus = self._config, self._corpus
        generator = np.random.default_rng([config.seed, step, micro, rank])
        asked = generator.choice(self._train, min(config.queries, len(self._train)), replace=False)
        queries = corpus.queries.take(asked)
        queries = _kept(queries, generator.random(len(queries.flat)) >= config.dropped_words)
        gold = corpus.gold[asked]
        rows = np.concatenate([gold, generator.choice(corpus.drawn, config.negatives)])
        own, others = model(queries, corpus.premises(rows, generator.random(len(rows)) < config.dropped_docs))
        positives = np.arange(len(gold))
        excluded = rows[None, :] == gold[:, None]
        excluded[positives, positives] = False
        right, never = (torch.from_numpy(values).to(own.device) for values in (positives, excluded))
        return contrastive_loss(own, others, right, never, config.temperature)

    def validate(self) -> dict[str, float]:
        """R@10 of valid pairs over a sample of premises, the right ones without what is written about them."""
        config, corpus = self._config, self._corpus
        generator = np.random.default_rng(0)
        valid = np.flatnonzero(corpus.splits == SPLITS.index("valid"))
        asked = generator.permutation(valid)[: config.schedule.evaluation_queries]
        pool = generator.permutation(corpus.drawn)[: config.schedule.evaluation_pool]
        rows = np.unique(np.concatenate([corpus.gold[asked], pool]))
        premises = self.model.encode_premises(corpus.premises(rows, np.isin(rows, corpus.gold[asked])))
        scores = self.model.encode_queries(corpus.queries.take(asked)) @ premises.T
        best = scores.topk(min(10, len(rows)), dim=1).indices.cpu().numpy()
        found = (rows[best] == corpus.gold[asked][:, None]).any(axis=1)
        return {"recall_at_10": float(found.mean()) if len(found) else 0.0}
