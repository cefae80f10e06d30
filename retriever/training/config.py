"""What a training run is told: frozen dataclasses checked on creation, read from YAML presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, cast

import yaml

from lean_extract.errors import BadSettings

PRESETS = Path(__file__).parent / "configs"


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise BadSettings(f"Training configuration: {message}.", "Correct the preset and start again.")


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """The shape of the BERT (section 4.1.1). No layers: its embedding layer alone, a bag of words."""

    layers: int = 6
    hidden: int = 768
    heads: int = 12
    intermediate: int = 3072
    positions: int = 512
    dropout: float = 0.1

    def __post_init__(self) -> None:
        _require(self.layers >= 0, "model.layers must not be negative")
        _require(self.heads > 0 and self.hidden % self.heads == 0, "model.hidden must be a multiple of heads")
        _require(0 <= self.dropout < 1, "model.dropout must lie in [0, 1)")
        _require(self.positions >= 8, "model.positions must be at least 8")


@dataclass(frozen=True, slots=True)
class LengthConfig:
    """Where texts are cut, in tokens, [CLS] and [SEP] included."""

    state: int = 512
    premise: int = 256
    """For the premise's context and its goal, each."""

    def __post_init__(self) -> None:
        _require(self.state >= 8 and self.premise >= 8, "lengths must be at least 8")


@dataclass(frozen=True, slots=True)
class LossConfig:
    """Equation (6)."""

    temperature: float = 0.02
    similarity: Literal["fine", "plain"] = "fine"
    """`fine`: eq. (3), context and goal of a premise encoded apart; `plain`: eq. (2)."""
    dimensions: tuple[int, ...] = ()
    """The loss is the mean over embeddings cut to each of these (Matryoshka); empty: the whole only."""

    def __post_init__(self) -> None:
        _require(self.temperature > 0, "loss.temperature must be positive")
        _require(self.similarity in ("fine", "plain"), "loss.similarity must be `fine` or `plain`")
        _require(all(size > 0 for size in self.dimensions), "loss.dimensions must be positive")


@dataclass(frozen=True, slots=True)
class BatchConfig:
    """How a step is put together."""

    queries: int = 32
    corpus_negatives: int = 2048
    """Premises drawn at random from the whole corpus and encoded anew for every step."""
    inner_goal_share: float = 0.2
    """The share of queries that are goals stated inside proofs."""

    def __post_init__(self) -> None:
        _require(self.queries >= 2, "batch.queries must be at least 2")
        _require(self.corpus_negatives >= 0, "batch.corpus_negatives must not be negative")
        _require(0 <= self.inner_goal_share <= 1, "batch.inner_goal_share must lie in [0, 1]")


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
    precision: Literal["fp32", "bf16"] = "fp32"
    evaluate_every: int = 500
    evaluation_queries: int = 500
    evaluation_pool: int = 20_000
    """Premises that the curve's recall is taken over, besides the gold ones: a sample, so it is too high."""
    checkpoint_every: int = 500
    log_every: int = 20

    def __post_init__(self) -> None:
        _require(self.steps > 0, "schedule.steps must be positive")
        _require(self.learning_rate > 0, "schedule.learning_rate must be positive")
        _require(
            self.embedding_learning_rate is None or self.embedding_learning_rate > 0,
            "schedule.embedding_learning_rate must be positive",
        )
        _require(0 <= self.warmup < 1, "schedule.warmup must lie in [0, 1)")
        _require(self.precision in ("fp32", "bf16"), "schedule.precision must be `fp32` or `bf16`")
        every = (self.evaluate_every, self.checkpoint_every, self.log_every)
        _require(all(step > 0 for step in every), "schedule.*_every must be positive")
        _require(self.evaluation_queries > 0, "schedule.evaluation_queries must be positive")
        _require(self.evaluation_pool >= 0, "schedule.evaluation_pool must not be negative")


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """One run of the bi-encoder. Paths are relative to the folder the command runs in."""

    dataset: Path
    tokenizer: Path
    run: Path
    start_from: Path | None = None
    """The run whose weights are taken over. From one without layers the new layers start as the identity."""
    seed: int = 0
    threads: int = 1
    model: ModelConfig = field(default_factory=ModelConfig)
    lengths: LengthConfig = field(default_factory=LengthConfig)
    loss: LossConfig = field(default_factory=LossConfig)
    batch: BatchConfig = field(default_factory=BatchConfig)
    schedule: ScheduleConfig = field(default_factory=ScheduleConfig)

    def __post_init__(self) -> None:
        _require(self.threads > 0, "threads must be positive")
        longest = max(self.lengths.state, self.lengths.premise)
        _require(longest <= self.model.positions, "lengths must not exceed model.positions")
        _require(
            all(size <= self.model.hidden for size in self.loss.dimensions),
            "loss.dimensions must not exceed model.hidden",
        )

    @property
    def dimension(self) -> int:
        """How many numbers of an embedding are shipped: the smallest that the loss trains."""
        return min(self.loss.dimensions, default=self.model.hidden)


_SECTIONS: dict[str, type[Any]] = {
    "model": ModelConfig,
    "lengths": LengthConfig,
    "loss": LossConfig,
    "batch": BatchConfig,
    "schedule": ScheduleConfig,
}
_PATHS = ("dataset", "tokenizer", "run", "start_from")


def parse_config(values: Mapping[str, Any]) -> TrainConfig:
    """A run from plain YAML values. Raises BadSettings on unknown names, missing paths and bad values."""
    top = _known(TrainConfig, values, "")
    for name, section in _SECTIONS.items():
        if name in top:
            top[name] = section(**_known(section, cast(Mapping[str, Any], top[name]), f"{name}."))
    for name in _PATHS:
        if top.get(name) is not None:
            top[name] = Path(top[name])
    missing = [name for name in ("dataset", "tokenizer", "run") if name not in top]
    _require(not missing, f"`{missing[0] if missing else ''}` is missing")
    return TrainConfig(**top)


def _known(kind: type[Any], values: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    _require(isinstance(values, Mapping), f"`{prefix or 'the file'}` must hold names and values")
    names = {item.name for item in fields(kind)}
    unknown = sorted(set(values) - names)
    _require(not unknown, f"unknown setting `{prefix}{unknown[0] if unknown else ''}`")
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}


def load_config(path: Path) -> TrainConfig:
    """The configuration of a YAML file; a bare name stands for a preset of this package.

    Raises BadSettings when there is no such file, when it is not YAML, or when its values do not fit.
    """
    file = path if path.exists() else PRESETS / path.with_suffix(".yaml").name
    try:
        values = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        names = ", ".join(sorted(preset.stem for preset in PRESETS.glob("*.yaml")))
        raise BadSettings(f"There is no configuration {path}.", f"The presets are: {names}.") from error
    except yaml.YAMLError as error:
        raise BadSettings(f"{file} is not YAML: {error}.", "Correct it and start again.") from error
    return parse_config(values)


def to_plain(config: TrainConfig) -> dict[str, Any]:
    """The configuration as YAML values; `parse_config` gives it back."""
    values = asdict(config)
    for name in _PATHS:
        values[name] = None if values[name] is None else str(values[name])
    values["loss"]["dimensions"] = list(config.loss.dimensions)
    return values
