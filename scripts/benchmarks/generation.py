"""Times the ByT5 generator: a number of suggestions of a number of bytes for a prompt, encoder and decoder apart.

Without --generator the shipped one is timed, if there is one. --random adds a T5 of about 25M parameters with
random weights, float32 and int8, and `generate` of transformers (needs the `train` extra). The end symbol
is taken away, so that every beam goes all the way: the longest case. Milliseconds, medians.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lean_extract.common.arrays import Floats, Int64s
from lean_extract.common.onnx_runtime import open_session
from lsp_server.engine.generators import BYT5, generator_folder
from prover.generator import beam, files
from prover.generator.alphabet import Bytes
from prover.generator.model import Decoding, run_encoder, settings_for
from prover.generator.prompt import END, FIRST_BYTE, FIRST_EXTRA, PAD
from scripts.benchmarks.harness import Stopwatch, add_json, write_json

SHAPE = {"d_model": 512, "d_kv": 64, "num_heads": 8, "d_ff": 1024, "num_layers": 6, "num_decoder_layers": 3}


@dataclass(frozen=True, slots=True)
class Timing:
    """One row; milliseconds for everything but the names and megabytes."""

    model: str
    weights: str
    threads: int
    megabytes: float
    load: float
    encoder: float
    decoder: float
    whole: float


@dataclass(frozen=True, slots=True)
class Task:
    """The size of the task."""

    prompt: tuple[int, ...]
    settings: beam.BeamSettings
    length: int
    runs: int


def timed(folder: Path, name: str, task: Task, threads: int) -> Timing:
    config = files.read_config(folder)
    values = json.loads((folder / files.CONFIG).read_text(encoding="utf-8"))
    started = time.perf_counter()
    encoder, decoder = (open_session(folder / graph, threads) for graph in (files.ENCODER, files.DECODER))
    loaded = time.perf_counter() - started
    rows = [once(encoder, decoder, config, task) for _ in range(task.runs + 1)][1:]
    parts = [1000 * statistics.median(column) for column in zip(*rows, strict=True)]
    size = sum((folder / graph).stat().st_size for graph in (files.ENCODER, files.DECODER)) / 1e6
    return Timing(name, values["weights"], threads, size, 1000 * loaded, *parts)


def once(encoder: Any, decoder: Any, config: files.Config, task: Task) -> tuple[float, float, float]:
    """Seconds in the encoder's graph, in the decoder's, and of all with the search around them."""
    started = time.perf_counter()
    memory = run_encoder(encoder, task.prompt, config.layers)
    encoded = time.perf_counter()
    decoding = Decoding(decoder, memory, config.layers, config.heads, config.head_size)
    spent = 0.0

    def step(symbols: Int64s, parents: Int64s) -> Floats:
        nonlocal spent
        before = time.perf_counter()
        answer = decoding(symbols, parents)
        spent += time.perf_counter() - before
        answer = answer.copy()
        answer[:, END] = -np.inf
        return answer

    beam.search(step, task.settings)
    return encoded - started, spent, time.perf_counter() - started


def random_rows(task: Task, threads: Sequence[int]) -> Iterator[Timing]:
    import torch
    from transformers import T5Config, T5ForConditionalGeneration

    from prover.training.export import export_model

    torch.manual_seed(0)
    shape = {"vocab_size": 384, "feed_forward_proj": "gated-gelu", "decoder_start_token_id": 0, **SHAPE}
    model = T5ForConditionalGeneration(T5Config(**shape)).eval()
    millions = sum(weight.numel() for weight in model.parameters()) / 1e6
    name = f"random, {millions:.1f}M"
    with tempfile.TemporaryDirectory() as place:
        for int8 in (False, True):
            folder = Path(place) / str(int8)
            export_model(model, "numbered", folder, max_prompt_bytes=1024, int8=int8)
            yield from (timed(folder, name, task, count) for count in threads)
    for count in threads:
        torch.set_num_threads(count)
        yield Timing(f"{name}: generate", "float32", count, 4 * millions, 0, 0, 0, theirs(model, task))


def theirs(model: Any, task: Task) -> float:
    """Milliseconds of `generate` of transformers."""
    import torch

    model.generation_config.eos_token_id, model.generation_config.pad_token_id = END, 0
    prompt = torch.tensor([task.prompt])

    work = partial(
        model.generate,
        prompt,
        num_beams=task.settings.beams,
        num_return_sequences=task.settings.beams,
        min_new_tokens=task.length,
        max_new_tokens=task.length,
        length_penalty=0.0,
        do_sample=False,
    )
    work()
    return Stopwatch(max(1, task.runs // 3)).median_ms(work)


def table(rows: Sequence[Timing], task: Task, count: int) -> str:
    beams = f"{task.settings.beams} beams and {task.settings.others} for other first words"
    lines = [
        f"{count} suggestions of {task.length} bytes ({beams}), a prompt of {len(task.prompt)} bytes:",
        "",
        "| model | weights | threads | MB | load | encoder | decoder | whole |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        times = [f"{value:.0f}" if value else "" for value in (row.load, row.encoder, row.decoder, row.whole)]
        cells = [row.model, row.weights, str(row.threads), f"{row.megabytes:.1f}", *times]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--generator", default="", help="a generator's folder")
    parser.add_argument("--random", action="store_true", help="also a T5 of 25M with random weights")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--count", type=int, default=8, help="how many suggestions")
    parser.add_argument("--bytes", type=int, default=64, help="of a suggestion")
    parser.add_argument("--prompt", type=int, default=512, help="bytes of the prompt")
    add_json(parser)


def run(options: argparse.Namespace) -> None:
    symbols = np.random.default_rng(0).integers(FIRST_BYTE, FIRST_EXTRA, options.prompt - 1).tolist()
    settings = settings_for(options.count, options.bytes, PAD, Bytes("numbered"))
    task = Task((*symbols, END), settings, options.bytes, options.runs)
    folder = generator_folder(options.generator or BYT5)
    rows = [timed(folder, folder.name, task, count) for count in options.threads] if folder else []
    if options.random:
        rows += random_rows(task, options.threads)
    print(table(rows, task, options.count) if rows else "There is no generator; name one, or give --random.")
    write_json([asdict(row) for row in rows], options.json)
