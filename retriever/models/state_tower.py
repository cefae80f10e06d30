"""A state tower at work: states read by layers, into the space of premises that a bag of words has embedded.

The paper's CFR (section 3.2.1) with one tower frozen, the premises'. Nothing that is indexed depends on the tower, so
a new one needs no new index: the premises' encoder has one fingerprint, the tower another. A tower's folder holds

    config.json      {"format": "premise-suggest-state-tower", "version": 1,
                      "encoder": "…",          the fingerprint of the encoder that it was trained with
                      "dimension": d,          that encoder's
                      "pad_id": 0}             (more keys are left for the model card)
    model.onnx       inputs `input_ids`, `attention_mask`: int64[batch, sequence], tokens of the encoder's tokenizer;
                     output `vectors`: float32[batch, d]

It is in the encoder's folder, as `tower/`, and reads what the encoder reads of a state.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lean_extract.common.arrays import Floats
from lean_extract.common.devices import Device
from lean_extract.common.errors import ModelError
from lean_extract.common.onnx_runtime import open_session
from lean_extract.records import Goal
from retriever.models.encoder import CONFIG, MODEL, Encoder
from retriever.models.runtime import (
    REINSTALL,
    check_header,
    packed,
    padded,
    read_settings,
    reading_model,
    reading_settings,
    whole,
)

FORMAT = "premise-suggest-state-tower"
VERSION = 1
FOLDER = "tower"
"""Where an encoder's folder has its tower."""
INPUTS = ("input_ids", "attention_mask")
OUTPUT = "vectors"

_TOKENS_PER_BATCH = 4096


@dataclass(frozen=True, slots=True)
class _Config:
    encoder: str
    dimension: int
    pad_id: int


class StateTower:
    """A tower loaded from its folder; safe to use from several threads."""

    def __init__(self, session: Any, encoder: Encoder, pad_id: int, fingerprint: str) -> None:
        self._session, self._encoder, self._pad_id, self._fingerprint = session, encoder, pad_id, fingerprint

    @classmethod
    def load(cls, folder: Path, encoder: Encoder, *, threads: int = 1, device: Device = "cpu") -> StateTower:
        """Load a folder onto a device, with this many threads an operator of the CPU.

        Raises ModelError: it is damaged, or of another encoder.
        """
        config = _read_config(folder)
        if (config.encoder, config.dimension) != (encoder.fingerprint, encoder.dimension):
            raise ModelError(
                f"The state tower in {folder} belongs to the encoder {config.encoder}, not {encoder.fingerprint}.",
                f"Train it with this encoder, or delete {folder} to rank without it.",
            )
        with reading_model("state tower", folder):
            session = open_session(folder / MODEL, threads, device)
            digest = hashlib.sha256((folder / MODEL).read_bytes()).hexdigest()[:16]
            tower = cls(session, encoder, config.pad_id, digest)
            shape = tower.encode_states([Goal((), "a = a")]).shape
        if shape != (1, encoder.dimension):
            raise ModelError(f"The state tower in {folder} gives vectors of shape {shape}.", REINSTALL)
        return tower

    @classmethod
    def of_model(
        cls, model_folder: Path, encoder: Encoder, *, threads: int = 1, device: Device = "cpu"
    ) -> StateTower | None:
        """The tower in an encoder's folder; None if it has none. Raises ModelError."""
        folder = model_folder / FOLDER
        return cls.load(folder, encoder, threads=threads, device=device) if folder.is_dir() else None

    @property
    def fingerprint(self) -> str:
        """Hash of the graph: with one encoder, equal fingerprints mean equal vectors."""
        return self._fingerprint

    def encode_states(self, goals: Sequence[Goal]) -> Floats:
        """float32[n, d], each row of norm 1."""
        rows = [self._encoder.state_ids(goal) for goal in goals]
        result = np.empty((len(rows), self._encoder.dimension), dtype=np.float32)
        for batch in packed(rows, _TOKENS_PER_BATCH):
            values = dict(zip(INPUTS, padded([rows[index] for index in batch], self._pad_id), strict=True))
            result[batch] = self._session.run([OUTPUT], values)[0]
        norms = np.maximum(np.linalg.norm(result, axis=1, keepdims=True), 1e-12)
        return np.asarray(result / norms, dtype=np.float32)


def _read_config(folder: Path) -> _Config:
    path = folder / CONFIG
    with reading_settings("state tower", path):
        values = read_settings(path)
        check_header(values, FORMAT, VERSION)
        encoder = values["encoder"]
        if not isinstance(encoder, str):
            raise ValueError("`encoder` is no fingerprint")
        return _Config(encoder, whole(values, "dimension", 1), whole(values, "pad_id", 0))
