"""Training the bi-encoder: one step, its validation, and the loop around them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from lean_extract.errors import ModelError
from retriever.evaluation.metrics import recall_at
from retriever.training.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from retriever.training.config import ModelConfig, ScheduleConfig, TrainConfig, to_plain
from retriever.training.losses.contrastive import matryoshka_loss
from retriever.training.model import BiEncoder, build_bert, take_over
from retriever.training.sampling import Batch, draw_batch, excluded, training_queries
from retriever.training.splits import SPLITS
from retriever.training.tokens import Ints, TrainingArrays, concatenate

Report = Callable[[dict[str, float]], None]
_CHUNK = 2048
_NO_DECAY = ("bias", "LayerNorm.weight", "embeddings.word_embeddings.weight")


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands after training or resuming."""

    steps: int
    seconds: float


class Trainer:
    """A run of the bi-encoder over arrays in memory.

    A run resumed from its checkpoint sees the same batches and rates as one that was never stopped.
    """

    def __init__(self, config: TrainConfig, arrays: TrainingArrays, vocabulary: int, data: str) -> None:
        torch.manual_seed(config.seed)
        torch.set_num_threads(config.threads)
        self._config, self._data = config, data
        self._arrays = _cut(arrays, config)
        self._pools = training_queries(arrays)
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = BiEncoder(build_bert(config.model, vocabulary))
        if config.start_from is not None:
            take_over(self.model.bert, load_weights(config.start_from, vocabulary).bert)
        self.model.to(self._device)
        if (
            self._device.type == "cpu"
        ):  # its fused attention takes twice the time of the plain one on short texts
            self.model.bert.set_attn_implementation("eager")
        self._optimiser = _optimiser(self.model, config.schedule)
        self.progress = Progress(0, 0.0)

    @property
    def _parts(self) -> int:
        return 2 if self._config.loss.similarity == "fine" else 1

    def resume(self) -> bool:
        """Go on from the run's checkpoint, if it has one. Raises ModelError when it is of other data."""
        saved = load_checkpoint(self._config.run)
        if saved is None:
            return False
        if saved.data != self._data:
            hint = "Name another run folder, or build the dataset from the same records."
            raise ModelError(f"The run {self._config.run} was trained on other data.", hint)
        self.model.load_state_dict(saved.model)
        self._optimiser.load_state_dict(saved.optimiser)
        torch.set_rng_state(saved.random_state)
        self.progress = Progress(saved.step, saved.seconds)
        return True

    def train(self, report: Report, *, until: int | None = None) -> Progress:
        """Train to the end, or until so many steps are done; `report` gets the curve's points."""
        schedule = self._config.schedule
        end = schedule.steps if until is None else min(until, schedule.steps)
        began = time.monotonic() - self.progress.seconds
        losses: list[float] = []
        for step in range(self.progress.steps, end):
            losses.append(self._step(step))
            done = step + 1
            self.progress = Progress(done, time.monotonic() - began)
            if done % schedule.log_every == 0:
                report(self._point(loss=float(np.mean(losses)), rate=rate_at(step, schedule)))
                losses.clear()
            if done % schedule.evaluate_every == 0 or done == schedule.steps:
                report(self._point(recall_at_10=self.validate()))
            if done % schedule.checkpoint_every == 0 or done == end:
                self.save()
        return self.progress

    def _point(self, **values: float) -> dict[str, float]:
        return {"step": self.progress.steps, "seconds": round(self.progress.seconds, 1), **values}

    def save(self) -> None:
        """Write the checkpoint."""
        config, progress = to_plain(self._config), self.progress
        model, optimiser = self.model.state_dict(), self._optimiser.state_dict()
        state = torch.get_rng_state()
        point = Checkpoint(progress.steps, model, optimiser, config, self._data, progress.seconds, state)
        save_checkpoint(self._config.run, point)

    def _step(self, step: int) -> float:
        schedule = self._config.schedule
        for group in self._optimiser.param_groups:
            group["lr"] = group["peak"] * rate_at(step, schedule)
        self.model.train()
        batch = draw_batch(self._arrays, self._pools, self._config.batch, self._config.seed, step)
        loss = self._loss(batch)
        self._optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(self.model.parameters(), schedule.clip)
        self._optimiser.step()
        return float(loss.item())

    def _loss(self, batch: Batch) -> Tensor:
        config = self._config
        states, *parts = self._pooled(batch.queries, batch.premises)
        return matryoshka_loss(
            states,
            parts,
            torch.from_numpy(batch.positives).to(states.device),
            torch.from_numpy(excluded(self._arrays, batch)).to(states.device),
            config.loss.temperature,
            config.loss.dimensions or (config.model.hidden,),
        )

    def _pooled(self, queries: Ints, premises: Ints) -> tuple[Tensor, ...]:
        """Pooled states and premise parts, run as one list of texts."""
        arrays = self._arrays
        texts = [arrays.states.take(queries), arrays.goals.take(premises)]
        if self._parts == 2:
            texts.append(arrays.contexts.take(premises))
        with torch.autocast(
            self._device.type, dtype=torch.bfloat16, enabled=self._config.schedule.precision == "bf16"
        ):
            pooled = self.model(concatenate(texts))
        return tuple(pooled.float().split([len(part) for part in texts]))

    @torch.no_grad()
    def validate(self) -> float:
        """R@10 of a fixed sample of valid statements over their gold premises and a sample of the corpus."""
        self.model.eval()
        queries, pool = self._validation_sample()
        size = self._config.dimension
        premises = torch.cat(
            [self._premises(pool[start : start + 2048], size) for start in range(0, len(pool), 2048)]
        )
        states = functional.normalize(self._pooled(queries, pool[:1])[0][:, :size], dim=1)
        families = self._arrays.families[pool]
        scores = states @ premises.T
        own = self._arrays.query_families[queries][:, None] == families[None, :]
        scores[torch.from_numpy(own).to(scores.device)] = -1.0
        rankings = pool[scores.topk(min(10, len(pool)), dim=1).indices.cpu().numpy()]
        gold = [set(self._arrays.gold[query].tolist()) for query in queries]
        return float(
            np.mean([recall_at(row.tolist(), own, 10) for row, own in zip(rankings, gold, strict=True)])
        )

    def _premises(self, numbers: Ints, size: int) -> Tensor:
        _, *parts = self._pooled(np.zeros(1, dtype=np.int64), numbers)
        return torch.stack([functional.normalize(part[:, :size], dim=1) for part in parts]).mean(dim=0)

    def _validation_sample(self) -> tuple[Ints, Ints]:
        arrays, schedule = self._arrays, self._config.schedule
        generator = np.random.default_rng(0)
        valid = np.flatnonzero((arrays.splits == SPLITS.index("valid")) & ~arrays.inner)
        if not len(valid):
            valid = np.flatnonzero(~arrays.inner)
        queries = np.sort(generator.permutation(valid)[: schedule.evaluation_queries])
        others = generator.permutation(len(arrays.families))[: schedule.evaluation_pool]
        return queries, np.union1d(arrays.gold.take(queries).flat, others).astype(np.int64)


def rate_at(step: int, schedule: ScheduleConfig) -> float:
    """The share of the peak learning rate at a step: linear warm-up, then linear to zero."""
    warmup = max(1, round(schedule.steps * schedule.warmup))
    if step < warmup:
        return (step + 1) / warmup
    return max(0.0, (schedule.steps - step) / max(1, schedule.steps - warmup))


def _cut(arrays: TrainingArrays, config: TrainConfig) -> TrainingArrays:
    lengths = config.lengths
    return replace(
        arrays,
        contexts=arrays.contexts.cut(lengths.premise, keep="head"),
        goals=arrays.goals.cut(lengths.premise, keep="head"),
        states=arrays.states.cut(lengths.state, keep="tail"),
    )


def _optimiser(model: BiEncoder, schedule: ScheduleConfig) -> torch.optim.Optimizer:
    """AdamW; word embeddings have a rate of their own; they, layer norms and biases do not decay."""
    words: list[nn.Parameter] = []
    plain: list[nn.Parameter] = []
    decaying: list[nn.Parameter] = []
    for name, parameter in model.named_parameters():
        if model.is_bag and "position_embeddings" in name:
            parameter.requires_grad_(False)
        elif "word_embeddings" in name:
            words.append(parameter)
        else:
            (plain if name.endswith(_NO_DECAY) else decaying).append(parameter)
    rate = schedule.learning_rate
    groups = [
        {"params": words, "peak": schedule.embedding_learning_rate or rate, "weight_decay": 0.0},
        {"params": plain, "peak": rate, "weight_decay": 0.0},
        {"params": decaying, "peak": rate, "weight_decay": schedule.weight_decay},
    ]
    return torch.optim.AdamW([group for group in groups if group["params"]], lr=rate, betas=(0.9, 0.98))


def load_weights(run: Path, vocabulary: int) -> BiEncoder:
    """The model of a run's last checkpoint. Raises ModelError when there is none, or of another tokenizer."""
    saved = load_checkpoint(run)
    if saved is None:
        raise ModelError(f"The run {run} has no checkpoint.", "Train it first.")
    model = BiEncoder(build_bert(ModelConfig(**saved.config["model"]), vocabulary))
    try:
        model.load_state_dict(saved.model)
    except RuntimeError as error:
        raise ModelError(f"The run {run} was trained with another tokenizer.", "Train it again.") from error
    return model
