"""The configuration of a training run: frozen dataclasses checked on creation."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from retriever.training.running.config_io import from_plain, read_values, require

Precision = Literal["fp32", "bf16", "auto"]
Threads = int | Literal["auto"]
"""CPU threads; `auto`: as many as there are processors that the run may use."""


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """The shape of the BERT (section 4.1.1). No layers: its embedding layer alone, a bag of words."""

    architecture: Literal["bert", "t5"] = "bert"
    """`t5`: the encoder of a T5 as ByT5 has it, with heads of 64; read bytes with it, as ReProver does."""
    layers: int = 6
    hidden: int = 768
    heads: int = 12
    intermediate: int = 3072
    positions: int = 512
    dropout: float = 0.1
    token_types: int = 2
    """4 for a re-ranker that also marks which tokens occur in both halves of a pair."""

    def __post_init__(self) -> None:
        require(self.layers >= 0, "model.layers must not be negative")
        require(self.heads > 0, "model.heads must be positive")
        fits = self.architecture == "t5" or self.hidden % self.heads == 0
        require(fits, "model.hidden must be a multiple of heads")
        require(self.architecture == "bert" or self.layers > 0, "a T5 needs layers")
        require(0 <= self.dropout < 1, "model.dropout must be in [0, 1)")
        require(self.positions >= 8, "model.positions must be at least 8")
        require(self.token_types in (2, 4), "model.token_types must be 2 or 4")

    def check_lengths(self, *lengths: int) -> None:
        """Raises BadSettings where texts of such a length would have tokens without a position."""
        require(max(lengths) <= self.positions, "lengths must not exceed model.positions")


@dataclass(frozen=True, slots=True)
class LengthConfig:
    """Where texts are cut, in tokens, [CLS] and [SEP] included."""

    state: int = 512
    premise: int = 256
    """For the premise's context and its goal, each."""

    def __post_init__(self) -> None:
        require(self.state >= 8 and self.premise >= 8, "lengths must be at least 8")


@dataclass(frozen=True, slots=True)
class LossConfig:
    """Equation (6)."""

    temperature: float = 0.02
    similarity: Literal["fine", "plain"] = "fine"
    """`fine`: eq. (3), context and goal of a premise encoded apart; `plain`: eq. (2)."""
    dimensions: tuple[int, ...] = ()
    """The loss is the mean over embeddings cut to each of these (Matryoshka); empty: the whole only."""

    def __post_init__(self) -> None:
        require(self.temperature > 0, "loss.temperature must be positive")
        require(all(size > 0 for size in self.dimensions), "loss.dimensions must be positive")


@dataclass(frozen=True, slots=True)
class Shares:
    """The shares of a batch's queries by origin. They add up to 1.

    An origin without training queries leaves its share to the others, in proportion to theirs.
    """

    statement: float = 0.0
    inner: float = 0.0
    """Goals stated inside proofs (`have`, `show`, ...)."""
    step: float = 0.0
    """States of tactics that are known from the text, or that Lean traced."""
    comment: float = 0.0
    """States of tactics with a target that Lean printed into a comment."""

    def __post_init__(self) -> None:
        _require_shares("batch.shares", (self.statement, self.inner, self.step, self.comment))

    def of(self, origin: str) -> float:
        """The share of one of `retriever.training.arrays.ORIGINS`."""
        return {
            "statement": self.statement,
            "inner": self.inner,
            "step": self.step,
            "comment": self.comment,
        }[origin]


@dataclass(frozen=True, slots=True)
class Labels:
    """The chances with which a step's positive is drawn from more and more of its proof. They add up to 1.

    A mixture is a graded label: what is drawn more often is the better answer. Statements and goals inside
    proofs have one set of premises, those of their whole proof.
    """

    step: float = 0.0
    """The premises of the step alone."""
    rest: float = 0.0
    """The premises of the step and of all that follow."""
    proof: float = 0.0
    """The premises of the whole proof."""

    def __post_init__(self) -> None:
        _require_shares("batch.labels", (self.step, self.rest, self.proof))


def _require_shares(name: str, values: tuple[float, ...]) -> None:
    require(all(value >= 0 for value in values), f"{name} must not be negative")
    require(abs(sum(values) - 1) < 1e-6, f"{name} must add up to 1")


def statements_and_inner() -> Shares:
    """The mixture where a preset names none."""
    return Shares(statement=0.8, inner=0.2)


@dataclass(frozen=True, slots=True)
class BatchConfig:
    """How a step is put together."""

    queries: int = 32
    corpus_negatives: int = 2048
    """Premises drawn at random from the whole corpus and encoded anew for every step."""
    shares: Shares = field(default_factory=statements_and_inner)
    """Where the queries come from."""
    labels: Labels = field(default_factory=lambda: Labels(step=1.0))
    """What counts as a step's positive. Other premises of its proof are never its negatives."""
    share: float = 1.0
    """The share of the training theorems learned from (section 4.4.2); a smaller sample is a part of a larger one."""
    varied: float = 0.0
    """The share of the queries whose state is augmented (`retriever.lean.augmentation.augment`)."""
    dropped: float = 0.0
    """The chance with which each hypothesis of a state inside a proof is left out."""
    unrelated: float = 0.0
    """The share of the queries that get the hypotheses of another query of the batch in addition to their own."""
    hard: Path | None = None
    """Mined candidates per query (`retriever.lean.training.mining`)."""
    hard_negatives: int = 0
    """How many of its mined candidates each query brings along."""

    def __post_init__(self) -> None:
        require(self.queries >= 2, "batch.queries must be at least 2")
        require(self.corpus_negatives >= 0, "batch.corpus_negatives must not be negative")
        require(0 < self.share <= 1, "batch.share must be in (0, 1]")
        require(0 <= self.varied <= 1, "batch.varied must be in [0, 1]")
        require(0 <= self.dropped < 1, "batch.dropped must be in [0, 1)")
        require(0 <= self.unrelated <= 1, "batch.unrelated must be in [0, 1]")
        require(self.hard_negatives >= 0, "batch.hard_negatives must not be negative")
        require(
            bool(self.hard_negatives) == (self.hard is not None), "batch.hard and hard_negatives go together"
        )


@dataclass(frozen=True, slots=True)
class ScheduleConfig:
    """How long and how fast."""

    steps: int = 10_000
    learning_rate: float = 2e-5
    embedding_learning_rate: float | None = None
    """For the word embeddings alone; like `learning_rate` where not given."""
    warmup: float = 0.05
    """The share of the steps in which the rate rises; it falls linearly to zero afterwards."""
    weight_decay: float = 0.01
    clip: float = 1.0
    precision: Precision = "fp32"
    """`auto`: bf16 where this machine computes it fast; settled when a run begins, and kept for it."""
    accumulate: int = 1
    """Batches whose gradients are averaged for one step."""
    evaluate_every: int = 500
    evaluation_queries: int = 500
    evaluation_pool: int = 20_000
    """Premises that the curve's recall is taken over, besides the gold ones: a sample, so it is too high."""
    checkpoint_every: int = 500
    log_every: int = 20

    def __post_init__(self) -> None:
        require(self.steps > 0, "schedule.steps must be positive")
        require(self.learning_rate > 0, "schedule.learning_rate must be positive")
        require(
            self.embedding_learning_rate is None or self.embedding_learning_rate > 0,
            "schedule.embedding_learning_rate must be positive",
        )
        require(0 <= self.warmup < 1, "schedule.warmup must be in [0, 1)")
        require(self.accumulate > 0, "schedule.accumulate must be positive")
        every = (self.evaluate_every, self.checkpoint_every, self.log_every)
        require(all(step > 0 for step in every), "schedule.*_every must be positive")
        require(self.evaluation_queries > 0, "schedule.evaluation_queries must be positive")
        require(self.evaluation_pool >= 0, "schedule.evaluation_pool must not be negative")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """What the runs of every kind are configured by. Paths are relative to the folder the command runs in."""

    dataset: Path
    """What is learned from: a folder or file that the kind's corpus reads."""
    run: Path
    """The folder that the run writes."""
    kind: str
    """A name in `retriever.training.running.kinds.KINDS`."""
    start_from: Path | None = None
    """The run whose weights are taken over, as far as the kind does that."""
    seed: int = 0
    """What fresh weights, batches and dropout are drawn from."""
    threads: Threads = 1
    """CPU threads."""
    schedule: ScheduleConfig = field(default_factory=ScheduleConfig)

    def __post_init__(self) -> None:
        require(self.threads == "auto" or self.threads > 0, "threads must be positive, or `auto`")

    @property
    def tokenizer_file(self) -> Path | None:
        """The tokenizer that the run keeps a copy of; None for a model of bytes."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRunConfig(RunConfig):
    """A run of a kind whose model has a BERT, or its embedding layer alone."""

    tokenizer: Path
    model: ModelConfig = field(default_factory=ModelConfig)

    def __post_init__(self) -> None:
        RunConfig.__post_init__(self)
        fits = self.model.architecture == "bert" or self.kind == "biencoder"
        require(fits, "model.architecture must be `bert` here")

    @property
    def tokenizer_file(self) -> Path | None:
        """The tokenizer's file."""
        return self.tokenizer


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainConfig(TextRunConfig):
    """One run of the bi-encoder. From a `start_from` without layers the new layers start as the identity."""

    kind: Literal["biencoder"] = "biencoder"
    lengths: LengthConfig = field(default_factory=LengthConfig)
    loss: LossConfig = field(default_factory=LossConfig)
    batch: BatchConfig = field(default_factory=BatchConfig)

    def __post_init__(self) -> None:
        TextRunConfig.__post_init__(self)
        self.model.check_lengths(self.lengths.state, self.lengths.premise)
        require(
            all(size <= self.model.hidden for size in self.loss.dimensions),
            "loss.dimensions must not exceed model.hidden",
        )

    @property
    def dimension(self) -> int:
        """How many numbers of an embedding are shipped: the smallest that the loss trains."""
        return min(self.loss.dimensions, default=self.model.hidden)


def load_config(path: Path) -> TrainConfig:
    """The bi-encoder's configuration in a YAML file or preset. Raises BadSettings."""
    return from_plain(TrainConfig, read_values(path))
