"""Exports a T5 as a folder that `prover.generator` loads: two ONNX graphs and generator.json.

    python -m prover export SOURCE OUT [--fp32]

SOURCE is the folder of a run (`python -m prover train`), or of a transformers T5 or ByT5 (config.json with
model.safetensors or pytorch_model.bin). ReProver's generators are published in the latter format; they are served
in ReProver's form, with prompts of at most 2,300 bytes. Weights are int8 unless `--fp32` is given. A generator in
OUT is replaced; other files there are kept.
"""

from __future__ import annotations

import argparse
import json
import logging
import tempfile
from pathlib import Path

import torch
from torch import nn
from transformers import T5ForConditionalGeneration

from lean_extract.common.errors import ModelError
from lean_extract.common.files.atomic import replacing
from prover.generator import files
from prover.generator.model import (
    KEPT,
    LOG_PROBABILITIES,
    MEMORY,
    PAST,
    Generator,
    decoder_inputs,
    decoder_outputs,
    layer_names,
)
from prover.generator.prompt import END, FORMS, SIZE, VERSION
from prover.training.model import load_model, load_transformers
from prover.training.t5_graphs import DecoderGraph, EncoderGraph
from prover.training.train import load_run
from retriever.training.onnx_graphs import export_graph, quantise

_REPROVER_BYTES = 2300
"""The longest prompt of ReProver's checkpoints (Yang et al., 2023)."""
_PROMPT_BYTES = 512
"""The longest prompt for a run's generator in serving, somewhat longer than most are trained with."""


def export_model(
    model: T5ForConditionalGeneration,
    form: str,
    out: Path,
    *,
    max_prompt_bytes: int,
    int8: bool,
    max_premises: int = files.ANY_NUMBER,
    pointers: float = 0.0,
) -> Path:
    """Write a generator's folder and return it. A generator that does not load is not written.

    `pointers` is added to the log-probability of each pointer to a premise. A run with a low weight for names
    spelled from memory (`mix.spelled`) overestimates the probability of pointers.

    The model is converted to float32 on the CPU, in place.

    Raises ModelError: the model does not use ByT5's symbols, or the graphs do not run.
    """
    _check(model, form)
    module: nn.Module = model
    module.to(device="cpu", dtype=torch.float32).eval()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out, prefix=".export-") as name:
        folder = Path(name)
        export_graphs(model, folder)
        if int8:
            for graph in (files.ENCODER, files.DECODER):
                # The embeddings stay as they are: 384 rows are small, and quantising them would gain nothing.
                quantise(folder / graph, folder / graph, operators=["MatMul"])
        values = {**_values(model, form, max_prompt_bytes, int8), "max_premises": max_premises}
        values["pointers"] = pointers
        with replacing(folder / files.CONFIG) as stream:
            stream.write(json.dumps(values, indent=2) + "\n")
        Generator.load(folder)
        # The configuration is removed first and written last, so that an interrupted folder is not a generator.
        (out / files.CONFIG).unlink(missing_ok=True)
        for name in (files.ENCODER, files.DECODER, files.CONFIG):
            (folder / name).replace(out / name)
    return out


def export_run(run: Path, out: Path, *, int8: bool, pointers: float = 0.0) -> Path:
    """Write the generator of a run's last checkpoint. Raises ModelError, BadSettings."""
    config = load_run(run / files.TRAINING_RUN)
    model = load_model(run, config.shape)
    prompt = config.prompt
    return export_model(
        model,
        prompt.form,
        out,
        max_prompt_bytes=max(_PROMPT_BYTES, prompt.max_prompt),
        int8=int8,
        max_premises=max(prompt.premises, 1),
        pointers=pointers,
    )


def export_graphs(model: T5ForConditionalGeneration, folder: Path) -> None:
    """Write both graphs with float32 weights. `prover.generator.model` defines their inputs and outputs."""
    layers, heads, size = _shape(model)
    memory = layer_names(MEMORY, layers)
    memory_axes = {name: {2 if "keys" in name else 1: "length"} for name in memory}
    prompt = torch.tensor([END + 2, END + 3, END])
    encoder = EncoderGraph(model).eval()
    axes = {"symbols": {0: "length"}} | memory_axes
    export_graph(encoder, (prompt,), folder / files.ENCODER, ["symbols"], memory, axes)

    with torch.no_grad():
        given = encoder(prompt)
    past = torch.zeros(3, heads, 2, size)
    caches = [t for at in range(0, 2 * layers, 2) for t in (past, past, *given[at : at + 2])]
    axes = {name: {0: "beams"} for name in ("symbols", "parents", LOG_PROBABILITIES)} | memory_axes
    axes |= {name: {0: "rows", 2: "steps"} for name in layer_names(PAST, layers)}
    axes |= {name: {0: "beams", 2: "kept"} for name in layer_names(KEPT, layers)}
    inputs = (torch.tensor([END + 2, END + 3]), torch.tensor([0, 2]), *caches)
    names = decoder_inputs(layers)
    export_graph(
        DecoderGraph(model),
        inputs,
        folder / files.DECODER,
        names,
        decoder_outputs(layers),
        axes,
    )


def _check(model: T5ForConditionalGeneration, form: str) -> None:
    config = model.config
    if form not in FORMS:
        raise ModelError(f"`{form}` is not a form of prompts.", f"Use one of {', '.join(FORMS)}.")
    if config.vocab_size != SIZE or config.eos_token_id != END:
        raise ModelError(
            f"The model has {config.vocab_size} symbols and ends with {config.eos_token_id}; "
            f"ByT5 has {SIZE} and ends with {END}.",
            "Give a model that uses ByT5's symbols.",
        )


def _shape(model: T5ForConditionalGeneration) -> tuple[int, int, int]:
    config = model.config
    return int(config.num_decoder_layers or config.num_layers), config.num_heads, config.d_kv


def _values(
    model: T5ForConditionalGeneration, form: str, max_prompt_bytes: int, int8: bool
) -> dict[str, object]:
    config = model.config
    layers, heads, size = _shape(model)
    return {
        "format": files.FORMAT,
        "version": files.VERSION,
        "form": form,
        "form_version": VERSION,
        "max_prompt_bytes": max_prompt_bytes,
        "symbols": config.vocab_size,
        "start": config.decoder_start_token_id,
        "layers": layers,
        "heads": heads,
        "head_size": size,
        "encoder_layers": config.num_layers,
        "hidden": config.d_model,
        "intermediate": config.d_ff,
        "parameters": sum(weight.numel() for weight in model.parameters()),
        "weights": "int8" if int8 else "float32",
    }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("source", type=Path, help="the folder of a run or of a transformers checkpoint")
    parser.add_argument("out", type=Path, help="the folder to write")
    parser.add_argument("--fp32", action="store_true", help="keep float32 weights")
    parser.add_argument(
        "--pointers",
        type=float,
        default=0.0,
        metavar="NATS",
        help="added to a pointer's log-probability, fitted on the valid split; for runs only (0)",
    )


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    logging.getLogger().setLevel(logging.ERROR)  # the quantiser recommends a step that was just done
    if (options.source / files.TRAINING_RUN).is_file():
        export_run(options.source, options.out, int8=not options.fp32, pointers=options.pointers)
    else:
        model = load_transformers(options.source)
        export_model(model, "reprover", options.out, max_prompt_bytes=_REPROVER_BYTES, int8=not options.fp32)
    fingerprint = files.fingerprint_of(options.out)
    size = sum((options.out / name).stat().st_size for name in (files.ENCODER, files.DECODER)) / 1e6
    print(f"{options.out}: fingerprint {fingerprint}, {size:.1f} MB")
