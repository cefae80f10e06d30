"""Exports a T5 or a decoder-only model as a folder that `prover.generator` loads: two ONNX graphs and generator.json.

    python -m prover export SOURCE OUT [--fp32]

SOURCE is the folder of a run (`python -m prover train`), or of a checkpoint of transformers that
`prover.generator.checkpoints` knows: a T5 or ByT5, such as ReProver's generators, or a decoder-only model. Weights
are int8 unless `--fp32` is given. A generator in OUT is replaced; other files there are kept.
"""

from __future__ import annotations

import argparse
import json
import logging
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import AutoModelForCausalLM, T5ForConditionalGeneration

from lean_extract.common.errors import ModelError
from lean_extract.common.files.atomic import replacing
from prover.generator import files
from prover.generator.checkpoints import CHOSEN, Checkpoint, read_checkpoint
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
from prover.training.decoder_graphs import export_decoder
from prover.training.model import load_model, load_transformers, reading_checkpoint
from prover.training.t5_graphs import DecoderGraph, EncoderGraph
from prover.training.train import load_run
from retriever.training.onnx_graphs import export_graph, quantise

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
    checkpoint: Checkpoint | None = None,
) -> Path:
    """Write a generator's folder and return it. A generator that does not load is not written.

    `checkpoint` is what it was loaded from, if that is one of transformers.

    `pointers` is added to the log-probability of each pointer to a premise. A run with a low weight for names
    spelled from memory (`mix.spelled`) overestimates the probability of pointers.

    The model is converted to float32 on the CPU, in place.

    Raises ModelError: the model does not use ByT5's symbols, or the graphs do not run.
    """
    if checkpoint is None or checkpoint.tokens is None:
        _check(model, form)
    module: nn.Module = model
    module.to(device="cpu", dtype=torch.float32).eval()

    def write(folder: Path) -> dict[str, object]:
        export_graphs(model, folder)
        values = {**_values(model, form, max_prompt_bytes), "max_premises": max_premises}
        return {**values, "pointers": pointers}

    return _written(out, write, checkpoint, int8=int8)


def export_checkpoint(checkpoint: Checkpoint, out: Path, *, int8: bool) -> Path:
    """Write the generator of a checkpoint of transformers. Raises ModelError."""
    print(f"Reading {checkpoint.folder}", flush=True)
    if checkpoint.kind == "t5":
        model = load_transformers(checkpoint.folder)
        size, form = checkpoint.max_prompt, checkpoint.form
        return export_model(model, form, out, max_prompt_bytes=size, int8=int8, checkpoint=checkpoint)
    with reading_checkpoint(checkpoint.folder):
        decoder: Any = AutoModelForCausalLM.from_pretrained(
            checkpoint.folder, local_files_only=True, dtype=torch.float32, attn_implementation="eager"
        )
    decoder.eval()

    def write(folder: Path) -> dict[str, object]:
        layers, heads, size = export_decoder(decoder, folder)
        shape = {"symbols": decoder.config.vocab_size, "start": checkpoint.start}
        parameters = sum(weight.numel() for weight in decoder.parameters())
        shape |= {"layers": layers, "heads": heads, "head_size": size, "parameters": parameters}
        return _header(checkpoint.form, checkpoint.max_prompt) | shape

    return _written(out, write, checkpoint, int8=int8)


def _written(
    out: Path, write: Callable[[Path], dict[str, object]], checkpoint: Checkpoint | None, *, int8: bool
) -> Path:
    """A generator's folder, with the graphs that `write` writes and the configuration that it returns."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out, prefix=".export-") as name:
        folder = Path(name)
        print("Writing ONNX graphs", flush=True)
        values = {**write(folder), "weights": "int8" if int8 else "float32"}
        graphs = sorted(path.name for path in folder.iterdir())
        if not {*graphs} <= {files.ENCODER, files.DECODER}:
            raise ModelError("The model is too large for one ONNX graph.", "Let a server run it.")
        if int8:
            for graph in graphs:
                # The embeddings stay as they are: 384 rows are small, and quantising them would gain nothing.
                quantise(folder / graph, folder / graph, operators=["MatMul"])
        if checkpoint is not None:
            values["source"] = str(checkpoint.folder)
        if checkpoint is not None and checkpoint.tokens is not None:
            values["tokens"] = {"ends": checkpoint.tokens.ends, "encoder": checkpoint.tokens.encoder}
            shutil.copyfile(checkpoint.folder / files.TOKENIZER, folder / files.TOKENIZER)
        with replacing(folder / files.CONFIG) as stream:
            stream.write(json.dumps(values, indent=2) + "\n")
        print("Trying the generator", flush=True)
        contents = Generator.load(folder).config.contents
        # The configuration is removed first and written last, so that an interrupted folder is not a generator.
        (out / files.CONFIG).unlink(missing_ok=True)
        for name in (*contents, files.CONFIG):
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


def _header(form: str, max_prompt: int) -> dict[str, object]:
    return {
        "format": files.FORMAT,
        "version": files.VERSION,
        "form": form,
        "form_version": VERSION,
        "max_prompt_bytes": max_prompt,
    }


def _values(model: T5ForConditionalGeneration, form: str, max_prompt_bytes: int) -> dict[str, object]:
    config = model.config
    layers, heads, size = _shape(model)
    return {
        **_header(form, max_prompt_bytes),
        "symbols": config.vocab_size,
        "start": config.decoder_start_token_id,
        "layers": layers,
        "heads": heads,
        "head_size": size,
        "encoder_layers": config.num_layers,
        "hidden": config.d_model,
        "intermediate": config.d_ff,
        "parameters": sum(weight.numel() for weight in model.parameters()),
    }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("source", type=Path, help="the folder of a run or of a transformers checkpoint")
    parser.add_argument("out", type=Path, help="the folder to write")
    parser.add_argument("--fp32", action="store_true", help="keep float32 weights")
    text = "how a checkpoint's prompts are written (default: by its name; docs/generator.md)"
    parser.add_argument("--form", choices=CHOSEN, default="", help=text)
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
        checkpoint = read_checkpoint(options.source, options.form)
        export_checkpoint(checkpoint, options.out, int8=not options.fp32)
    fingerprint = files.fingerprint_of(options.out)
    size = sum((options.out / name).stat().st_size for name in files.read_config(options.out).graphs) / 1e6
    print(f"{options.out}: fingerprint {fingerprint}, {size:.1f} MB")
