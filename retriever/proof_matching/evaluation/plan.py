"""Which runs the tables of the thesis are made of, and how each is trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from retriever.evaluation.experiments import stage_config
from retriever.proof_matching.schema import LEVELS, Level, Modality
from retriever.training.running.config import RunConfig
from retriever.training.running.config_io import read_values

Encoder = Literal["npt", "bert"]
Scale = Literal["cpu", "gpu"]

_STAGES: Mapping[tuple[Scale, Encoder], tuple[str, ...]] = MappingProxyType(
    {
        ("cpu", "npt"): ("match-cpu-npt-bag", "match-cpu-npt"),
        ("cpu", "bert"): ("match-cpu-bert-bag", "match-cpu-bert"),
        ("gpu", "npt"): ("match-npt",),
        ("gpu", "bert"): ("match-mlm", "match-bert"),
    }
)
"""The presets of local training, each of which starts where the one before it ended."""
_GLOBAL: Mapping[tuple[Scale, Encoder], str] = MappingProxyType(
    {
        ("cpu", "npt"): "match-cpu-npt-hybrid",
        ("cpu", "bert"): "match-cpu-bert-hybrid",
        ("gpu", "npt"): "match-npt-hybrid",
        ("gpu", "bert"): "match-bert-hybrid",
    }
)
"""The preset that goes on from local training with the global objective."""


@dataclass(frozen=True, slots=True)
class Planned:
    """One matcher of the tables."""

    encoder: Encoder
    level: Level
    modality: Modality = "both"
    hybrid: bool = False
    """Trained on with the global objective; else local training alone."""

    @property
    def name(self) -> str:
        """Of its run and its row."""
        return "-".join([self.encoder, self.level, self.modality, *(["hybrid"] if self.hybrid else [])])

    @property
    def tested(self) -> tuple[Level, ...]:
        """The levels that it is tested on: all for Table 7.3, its own for the others."""
        return LEVELS if self.modality == "both" and not self.hybrid else (self.level,)


def all_runs() -> list[Planned]:
    """Those of Tables 7.1 to 7.3, the levels of Table 7.2 first.

    Words are the same at every level, so what reads text alone is trained once.
    """
    encoders: tuple[Encoder, ...] = ("npt", "bert")
    first: tuple[Level, ...] = ("conservation", "full")
    others: tuple[Level, ...] = ("partial", "transposition")
    inputs: tuple[tuple[Level, Modality], ...] = (
        ("conservation", "math"),
        ("full", "math"),
        ("conservation", "text"),
    )
    runs: list[Planned] = []
    for levels in (first, others):
        local = [Planned(encoder, level) for level in levels for encoder in encoders]
        runs += [*local, *(Planned(one.encoder, one.level, hybrid=True) for one in local)]
    return [*runs, *(Planned(encoder, level, kind) for encoder in encoders for level, kind in inputs)]


def stages_of(
    planned: Planned,
    pairs: Path,
    folder: Path,
    scale: Scale,
    seed: int,
    presets: Sequence[Path] | None = None,
) -> list[RunConfig]:
    """The runs that make it, in order; the last one is its own. Raises BadSettings.

    `presets` are the folders to read presets from, those of the corpora unless they are given.
    """
    names = _STAGES[scale, planned.encoder]
    local = Planned(planned.encoder, planned.level, planned.modality)
    stages = [*enumerate(names), *([(len(names), _GLOBAL[scale, planned.encoder])] if planned.hybrid else [])]
    configs: list[RunConfig] = []
    for stage, preset in stages:
        own: dict[str, object] = {"dataset": pairs, "tokenizer": folder / "tokenizer.json", "seed": seed}
        own |= {"start_from": configs[-1].run} if configs else {}
        is_mlm = read_values(Path(preset), presets)["kind"] == "match-mlm"
        if not is_mlm:
            own |= {"replacement": planned.level, "modality": planned.modality}
        last = planned.name if stage == len(names) else local.name
        name = "mlm" if is_mlm else last if stage >= len(names) - 1 else f"{local.name}-{stage}"
        configs.append(stage_config(preset, own | {"run": folder / "runs" / name}, presets=presets))
    return configs
