"""Draws batches of pairs for the objective. A batch is a pure function of (seed, step, rank)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from lean_extract.common.arrays import Int64s
from lean_extract.common.errors import BadRecords
from lean_extract.common.typed import read_typed
from lean_extract.records import Premise
from prover.generator.prompt import FIRST_EXTRA, encode_prompt, encode_tactic, premises_in
from prover.training.pairs import VERSION, PairsManifest, TacticPair
from prover.training.train import MixConfig, PromptConfig
from retriever.search.splits import Split

_AGAIN = "Build it with `python -m prover pairs RECORDS OUT`."
_QUALITY = 4.0
"""The most by which the simulated ranker of a prompt scores a positive premise above a negative one; Gumbel noise
is added to the scores."""
_BATCHES = 32
"""Batches that are drawn together and sorted by length, to reduce padding."""


@dataclass(frozen=True, slots=True)
class EncodedExample:
    """One prompt and its tactic, in symbols."""

    prompt: list[int]
    tactic: list[int]
    good: tuple[int, ...] = ()
    """The symbols of the prompt's premises that the tactic uses."""
    spelled: tuple[bool, ...] = ()
    """For each symbol of the tactic, whether it spells the name of a premise that is not in the prompt."""


class EncodedPairs:
    """The pairs of a split, in memory, and the premises by name and by module."""

    def __init__(self, folder: Path, split: Split) -> None:
        """Read the split. Raises BadRecords: the folder is unfinished, damaged or of another version."""
        self._folder = folder
        self.split = split
        self.manifest = read_manifest(folder)
        self.premises = [read_typed(Premise, values) for values in _lines(folder / "premises.jsonl")]
        _check(folder / "premises.jsonl", len(self.premises), self.manifest.premises)
        self.number = {premise.name: index for index, premise in enumerate(self.premises)}
        self.by_module: dict[str, list[int]] = defaultdict(list)
        for index, premise in enumerate(self.premises):
            self.by_module[premise.module].append(index)
        self.pairs = self._read(split)

    def of(self, split: Split) -> EncodedPairs:
        """The pairs of another split, with the same premises."""
        other = copy(self)
        other.split, other.pairs = split, self._read(split)
        return other

    def _read(self, split: Split) -> list[TacticPair]:
        path = self._folder / "pairs.jsonl"
        found = [read_typed(TacticPair, values) for values in _lines(path) if values.get("split") == split]
        kinds = ("lean", "tactic", "term")
        _check(path, len(found), sum(self.manifest.pairs.get(f"{split}/{kind}", 0) for kind in kinds))
        return found


def read_manifest(folder: Path) -> PairsManifest:
    """The manifest of a folder of pairs. Raises BadRecords."""
    try:
        values = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        manifest: PairsManifest = read_typed(PairsManifest, values)
    except (OSError, ValueError, TypeError) as error:
        raise BadRecords(f"{folder} is not a finished folder of pairs: {error}.", _AGAIN) from error
    if manifest.version != VERSION:
        raise BadRecords(f"{folder} holds pairs of version {manifest.version}, not {VERSION}.", _AGAIN)
    return manifest


def _lines(path: Path) -> Iterator[dict[str, object]]:
    number = 0
    try:
        with path.open(encoding="utf-8") as stream:
            for number, line in enumerate(stream, 1):
                values = json.loads(line)
                if not isinstance(values, dict):
                    raise BadRecords(f"{path}:{number} is not a JSON object.", _AGAIN)
                yield values
    except OSError as error:
        raise BadRecords(f"{path} cannot be read: {error.strerror}.", _AGAIN) from error
    except ValueError as error:
        raise BadRecords(f"{path}:{number} is damaged: {error}.", _AGAIN) from error


def _check(path: Path, found: int, expected: int) -> None:
    if found != expected:
        raise BadRecords(f"{path} has {found:,} of the {expected:,} rows that its manifest lists.", _AGAIN)


@dataclass(frozen=True, slots=True)
class Examples:
    """Makes examples of pairs: chooses the premises of their prompts, and writes both as symbols."""

    known: EncodedPairs
    config: PromptConfig
    mix: MixConfig

    def of(
        self, pair: TacticPair, generator: np.random.Generator, offered: Sequence[str] | None = None
    ) -> EncodedExample:
        """A pair as the model sees it. A share `mix.retrieved` of those that the retriever has ranked premises for
        gets these (`offered`); otherwise, premises are drawn."""
        config = self.config
        if offered is not None and generator.random() < self.mix.retrieved:
            premises = self._offered(offered, generator)
        else:
            premises = self._drawn(pair, generator)
        is_term = pair.kind == "term"
        prompt = encode_prompt(config.form, [pair.goal], premises, config.max_prompt, term=is_term)
        listed = premises_in(config.form, prompt, premises)
        # A premise that is not in the prompt is spelled out. If this makes the tactic too long, its end is cut.
        tactic, spelled = encode_tactic(config.form, pair.tactic, listed, pair.gold)
        tactic, spelled = tactic[: config.max_tactic], spelled[: config.max_tactic]
        if config.form != "numbered":
            return EncodedExample(prompt, tactic)
        gold = set(pair.gold)
        good = tuple(FIRST_EXTRA + index for index, premise in enumerate(listed) if premise.name in gold)
        return EncodedExample(prompt, tactic, good, tuple(spelled))

    def _offered(self, names: Sequence[str], generator: np.random.Generator) -> list[Premise]:
        """The retriever's premises, as in serving. The share `mix.bare` of prompts has none."""
        if generator.random() < self.mix.bare:
            return []
        known = self.known
        return [known.premises[known.number[name]] for name in names if name in known.number][
            : self.config.premises
        ]

    def _drawn(self, pair: TacticPair, generator: np.random.Generator) -> list[Premise]:
        """Draw the premises of a prompt: at least one positive, the rest negatives (section 3.3.3).

        Half of the negatives come from the positive's module. The total, at most `config.premises`, is drawn, too.
        The share `mix.bare` of prompts has no premises, and the share `mix.missed` of the others no positive. The
        premises are ordered as by a ranker of random quality, from chance to nearly perfect, since in serving the best
        come first.
        """
        known, mix, most = self.known, self.mix, self.config.premises
        if generator.random() < mix.bare or not most:
            return []
        gold = [known.number[name] for name in pair.gold if name in known.number]
        total = int(generator.integers(1, most + 1))
        positives = min(len(gold), total) if generator.random() >= mix.missed else 0
        kept = int(generator.integers(1, positives + 1)) if positives else 0
        chosen = [gold[index] for index in generator.permutation(len(gold))[:kept]]
        module = known.premises[chosen[0]].module if chosen else pair.module
        near = known.by_module.get(module, [])
        taken = set(gold)
        for count in range(total - kept):
            pool = near if count % 2 == 0 and near else range(len(known.premises))
            number = int(pool[generator.integers(len(pool))])
            if number not in taken:
                taken.add(number)
                chosen.append(number)
        quality = generator.uniform(0, _QUALITY)
        ranks = [-quality * (number in gold) - generator.gumbel() for number in chosen]
        return [known.premises[chosen[index]] for index in np.argsort(ranks)]


class Draws:
    """Assigns pairs to batches."""

    def __init__(
        self,
        known: EncodedPairs,
        config: PromptConfig,
        mix: MixConfig,
        seed: int,
        offered: Mapping[int, Sequence[str]] | None = None,
    ) -> None:
        """`offered`: the retriever's premises by index of the pair. If given, only those of the steps known from
        text are drawn for which the retriever has ranked premises."""
        self._examples, self._seed = Examples(known, config, mix), seed
        self._offered = offered or {}
        kept = [
            index
            for index, pair in enumerate(known.pairs)
            if _fits(pair, config) and (offered is None or index in offered or pair.kind != "tactic")
        ]
        self._by_kind = {
            kind: np.array([index for index in kept if known.pairs[index].kind == kind], dtype=np.int64)
            for kind in ("lean", "tactic", "term")
        }
        self._epoch = lru_cache(maxsize=2)(self._make_epoch)
        self._batches = lru_cache(maxsize=2)(self._make_batches)

    @property
    def size(self) -> int:
        """Pairs per epoch."""
        return len(self._epoch(0, 0))

    def batch(self, step: int, rank: int) -> list[EncodedExample]:
        """The examples of one batch. `step` counts batches, over all epochs."""
        group, index = divmod(step, _BATCHES)
        return self._batches(group, rank)[index]

    def _make_batches(self, group: int, rank: int) -> list[list[EncodedExample]]:
        """A group of batches; the prompts of each batch have similar lengths."""
        size = self._examples.mix.pairs
        draws = np.random.default_rng([self._seed, group, rank, 1])
        rows = [self._row(group * _BATCHES * size + offset, rank) for offset in range(_BATCHES * size)]
        examples = [self._example(row, draws) for row in rows]
        examples.sort(key=lambda example: len(example.prompt))
        order = draws.permutation(_BATCHES)
        return [examples[index * size : (index + 1) * size] for index in order]

    def _example(self, row: int, draws: np.random.Generator) -> EncodedExample:
        return self._examples.of(self._examples.known.pairs[row], draws, self._offered.get(row))

    def _row(self, index: int, rank: int) -> int:
        epoch, offset = divmod(index, self.size)
        return int(self._epoch(epoch, rank)[offset])

    def _make_epoch(self, epoch: int, rank: int) -> Int64s:
        generator = np.random.default_rng([self._seed, epoch, rank, 2])
        terms, mix = self._by_kind["term"], self._examples.mix
        some = generator.permutation(len(terms))[: round(mix.terms * len(terms))]
        rows = [self._by_kind["tactic"], terms[some], *[self._by_kind["lean"]] * mix.lean]
        every = np.concatenate(rows)
        if not len(every):
            raise BadRecords("No pair is short enough for training.", "Raise prompt.max_tactic.")
        return every[generator.permutation(len(every))]


def _fits(pair: TacticPair, config: PromptConfig) -> bool:
    spelled = pair.tactic
    if config.form == "numbered":
        for name in pair.gold:
            spelled = spelled.replace(name, "@")
    return len(spelled.encode()) < config.max_tactic
