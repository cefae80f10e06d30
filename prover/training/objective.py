"""The generator's training objective: cross-entropy over the symbols of a tactic (section 3.3.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from lean_extract.common.errors import BadRecords
from prover.generator.prompt import FIRST_EXTRA, MAX_PREMISES, PAD
from prover.training.data import Draws, EncodedExample, EncodedPairs, Examples
from prover.training.model import FastT5, build_model, judge_of, load_model, set_distances
from prover.training.steps import retrieved_pairs
from prover.training.train import GeneratorConfig
from retriever.models.runtime import padded
from retriever.training.running.config_io import from_plain

_IGNORED = -100
_SIZES = (0.1, 10.0)
"""The range of the factor by which a weight's size scales its learning rate."""
_VALIDATED = 64
"""Pairs per batch in validation."""


class _TacticObjective:
    """The objective that the training loop calls. A batch is a pure function of (seed, step, micro-batch, rank)."""

    def __init__(self, config: GeneratorConfig, device: torch.device) -> None:
        """Load pairs and model. Raises ModelError: the weights do not fit. BadRecords: the folder holds no pairs."""
        self._config, self._device = config, device
        known = EncodedPairs(config.dataset, "train")
        self.data = known.manifest.digest
        offered = retrieved_pairs(config.retrieved, known) if config.retrieved else None
        self._draws = Draws(known, config.prompt, config.mix, config.seed, offered)
        self._valid = _validation(known.of("valid"), config)
        if config.start_from is None:
            model = build_model(config.shape)
        else:
            model = load_model(config.start_from, config.shape)
            if not config.shape.learned_distances:
                set_distances(model)
        precision = torch.bfloat16 if config.schedule.precision == "bf16" else torch.float32
        trained = FastT5(model, precision)
        if config.start_from is not None:
            trained.judge.load_state_dict(judge_of(config.start_from) or trained.judge.state_dict())
        self.model: nn.Module = trained.to(device)

    def parameter_groups(self) -> list[dict[str, Any]]:
        """Learning rates in proportion to the size of the weights, as in Adafactor, T5's own optimiser.

        T5's queries are initially small and its embeddings large: one rate for all would destroy the former, and
        hardly change the latter. Weight decay applies to matrices, not to norms and embeddings.
        """
        schedule = self._config.schedule
        groups: list[dict[str, Any]] = []
        for name, parameter in self.model.named_parameters():
            if parameter.requires_grad:
                is_matrix = parameter.ndim == 2 and "shared" not in name and "relative" not in name
                size = self._size(parameter) if parameter.ndim == 2 else 1.0
                rate, decay = schedule.learning_rate * size, schedule.weight_decay if is_matrix else 0.0
                groups.append({"params": [parameter], "peak": rate, "weight_decay": decay})
        return groups

    def _size(self, parameter: Tensor) -> float:
        """The size of the weights relative to the initial size of most of T5's matrices, clamped to `_SIZES`."""
        usual = self._config.shape.hidden**-0.5
        low, high = _SIZES
        mean = float(parameter.detach().float().square().mean())
        return float(min(high, max(low, mean**0.5 / usual)))

    def loss(self, model: nn.Module, step: int, micro: int, rank: int) -> Tensor:
        """Mean cross-entropy per symbol over the batch, plus `mix.judged` times the judge's."""
        batch = self._draws.batch(step * self._config.schedule.accumulate + micro, rank)
        run = self._run(model, batch)
        loss = self._written(run, batch)
        # Every weight must be part of every loss, since processes wait for each other's gradients.
        loss = loss + 0.0 * run.verdicts.sum()
        if bool(run.pointers.any()):
            judged = functional.binary_cross_entropy_with_logits(
                run.verdicts[run.pointers], run.good[run.pointers]
            )
            loss = loss + self._config.mix.judged * judged
        return loss

    def _written(self, run: _Run, batch: Sequence[EncodedExample]) -> Tensor:
        """Mean cross-entropy per symbol; names that are not in the prompt have weight `mix.spelled`."""
        losses = functional.cross_entropy(
            run.logits.flatten(0, 1), run.labels.flatten(), ignore_index=_IGNORED, reduction="none"
        )
        weights = (run.labels != _IGNORED).float()
        for row, one in enumerate(batch):
            if any(one.spelled):
                spelled = torch.tensor(one.spelled, device=weights.device)
                weights[row, : len(spelled)][spelled] = self._config.mix.spelled
        return (losses * weights.flatten()).sum() / weights.sum()

    def validate(self) -> dict[str, float]:
        """Measure the model on the valid sample.

        `exact`: the share of tactics in which every symbol is the likeliest after those before it, so that greedy
        decoding finds them. `loss_valid`: the training loss without the judge's part. `pointed`: the share of
        pointers to premises that are the likeliest symbol. `judged`: the share of premises judged correctly.
        """
        losses = exact = pointed = pointers = judged = premises = 0.0
        for start in range(0, len(self._valid), _VALIDATED):
            batch = self._valid[start : start + _VALIDATED]
            run = self._run(self.model, batch)
            real = run.labels != _IGNORED
            losses += float(self._written(run, batch)) * len(batch)
            right = run.logits.argmax(-1) == run.labels
            exact += float((right | ~real).all(1).sum())
            points = _points(run.labels)
            pointed += float((right & points).sum())
            pointers += float(points.sum())
            judged += float(((run.verdicts > 0) == (run.good > 0))[run.pointers].sum())
            premises += float(run.pointers.sum())
        return {
            "exact": exact / len(self._valid),
            "loss_valid": losses / len(self._valid),
            "pointed": pointed / max(pointers, 1),
            "judged": judged / max(premises, 1),
        }

    def _run(self, model: nn.Module, batch: Sequence[EncodedExample]) -> _Run:
        prompts = torch.from_numpy(padded([one.prompt for one in batch], PAD)[0]).to(self._device)
        labels = torch.from_numpy(padded([one.tactic for one in batch], _IGNORED)[0]).to(self._device)
        good = torch.zeros(prompts.shape)
        for row, one in enumerate(batch):
            good[row, [position for position, symbol in enumerate(one.prompt) if symbol in one.good]] = 1.0
        written = functional.pad(labels[:, :-1].clamp(min=PAD), (1, 0), value=PAD)
        with torch.autocast(self._device.type, torch.bfloat16, self._config.schedule.precision == "bf16"):
            logits, verdicts = model(prompts, prompts != PAD, written)
        return _Run(logits.float(), labels, verdicts.float(), good.to(self._device), _points(prompts))


class _Run(NamedTuple):
    """The model's outputs for a batch, and the targets."""

    logits: Tensor
    """[batch, symbols, alphabet] float32"""
    labels: Tensor
    """[batch, symbols]"""
    verdicts: Tensor
    """[batch, length] The judge's logits."""
    good: Tensor
    """[batch, length] 1 at pointers to premises that the tactic uses."""
    pointers: Tensor
    """[batch, length] True at pointers to premises."""


def _points(symbols: Tensor) -> Tensor:
    return (symbols >= FIRST_EXTRA) & (symbols < FIRST_EXTRA + MAX_PREMISES)


def _validation(known: EncodedPairs, config: GeneratorConfig) -> list[EncodedExample]:
    """A fixed sample of the valid steps; the premises are drawn once, as in training."""
    draws = np.random.default_rng([config.seed, 3])
    pairs = [pair for pair in known.pairs if pair.kind != "term"]
    if not pairs:
        raise BadRecords(f"{config.dataset} has no valid steps.", "Build it from a larger library.")
    rows = draws.permutation(len(pairs))[: config.schedule.evaluation_queries]
    examples = Examples(known, config.prompt, config.mix)
    return sorted((examples.of(pairs[row], draws) for row in rows), key=lambda one: len(one.prompt))


def parse(values: Mapping[str, Any]) -> GeneratorConfig:
    """A run from plain YAML values. Raises BadSettings: an unknown name, a missing path or a bad value."""
    return from_plain(GeneratorConfig, values)


def make_objective(config: GeneratorConfig, device: torch.device) -> _TacticObjective:
    """The objective of a run. Raises ModelError, BadRecords."""
    return _TacticObjective(config, device)
