"""A generator's folder: what it must hold, and the errors for a folder that does not.

generator.json   {"format": "premise-suggest-generator", "version": 1,
                  "form": "numbered",        how prompts and tactics are written (see `prompt`)
                  "form_version": 1,         the `prompt.VERSION` that it was trained with
                  "max_prompt_bytes": 1024,  the longest prompt, in symbols
                  "max_premises": 10,        the most premises in a prompt that it was trained on (optional)
                  "pointers": -1.0,          added to a pointer's log-probability (optional)
                  "symbols": 384, "start": 0,
                  "layers": 3, "heads": 8, "head_size": 64}    of the decoder: the cache's shape
                                             (further keys are for the model card)
encoder.onnx, decoder.onnx                   see `model`
README.md                                    the model card

A model that reads tokens has its tokenizer, too, and says

                  "tokens": {"ends": [2],    what ends a tactic
                             "encoder": false}   false: decoder-only, without encoder.onnx
tokenizer.json
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from lean_extract.common.errors import ModelError
from lean_extract.common.files.json_text import read_json
from prover.generator.prompt import FORMS, SIZE, Form
from prover.generator.prompt import VERSION as FORM_VERSION

FORMAT = "premise-suggest-generator"
VERSION = 1
CONFIG, ENCODER, DECODER = "generator.json", "encoder.onnx", "decoder.onnx"
TOKENIZER = "tokenizer.json"
REINSTALL = (
    "Restore the whole folder, or name another generator's folder (--generator, the setting `tactics.generator`). "
    "If it is the shipped one, reinstall premise-suggest."
)
ANY_NUMBER = 1000
"""As many premises as fit into the prompt."""
CHECKPOINTS = ("*.safetensors", "pytorch_model*.bin")
"""File patterns of the weights of a transformers checkpoint; the first kind is preferred."""
TRAINING_RUN = "config.yaml"
"""A file that the folder of one of our training runs holds."""


@dataclass(frozen=True, slots=True)
class TokenConfig:
    """Of a model that reads tokens."""

    symbols: int
    """How many the model has."""
    ends: tuple[int, ...]
    """Those that end a tactic."""
    encoder: bool
    """Whether it has one; a decoder-only model has not."""


@dataclass(frozen=True, slots=True)
class Config:
    """The content of generator.json."""

    form: Form
    max_prompt_bytes: int
    layers: int
    """Of the decoder."""
    heads: int
    head_size: int
    start: int = 0
    """The symbol before a tactic's first one."""
    max_premises: int = ANY_NUMBER
    """The most premises in a prompt."""
    pointers: float = 0.0
    """Added to the log-probability of each symbol that points to a premise."""
    tokens: TokenConfig | None = field(default=None, repr=False)
    """None: the symbols are ByT5's, and there is an encoder."""

    @property
    def symbols(self) -> int:
        """How many the model has."""
        return SIZE if self.tokens is None else self.tokens.symbols

    @property
    def graphs(self) -> tuple[str, ...]:
        """The names of the graphs' files."""
        return (DECODER,) if self.tokens is not None and not self.tokens.encoder else (ENCODER, DECODER)

    @property
    def contents(self) -> tuple[str, ...]:
        """The names of the files that a folder must hold, besides generator.json."""
        return self.graphs if self.tokens is None else (*self.graphs, TOKENIZER)


def read_config(folder: Path) -> Config:
    """The configuration of a generator's folder. Raises ModelError: it is missing, damaged or of another form."""
    path = folder / CONFIG
    try:
        return _parse(read_json(path))
    except OSError as error:
        if is_checkpoint(folder):
            raise not_exported(folder) from error
        raise ModelError(
            f"There is no generator in {folder}: {CONFIG}: {error.strerror}.", _hint(folder)
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else error
        raise ModelError(f"{path} does not fit this version: {reason}.", REINSTALL) from error


def _hint(folder: Path) -> str:
    """What is wrong with a path that holds no generator, and what to give instead."""
    problem = f"{folder} does not exist"
    if folder.is_dir():
        problem = f"{folder} needs {CONFIG}, {ENCODER} and {DECODER}"
    elif folder.exists():
        problem = f"{folder} is not a folder"
    return f"{problem}. Give a generator's folder, or owner/name on the Hugging Face hub."


def is_checkpoint(folder: Path) -> bool:
    """Whether a folder holds PyTorch weights, or one of our training runs, rather than exported graphs."""
    if (folder / CONFIG).exists():
        return False
    return (folder / TRAINING_RUN).is_file() or bool(checkpoint_files(folder))


def checkpoint_files(folder: Path) -> list[Path]:
    """The weight files of a transformers checkpoint, all of one kind and sorted; empty if it is not a checkpoint."""
    if not (folder / "config.json").is_file():
        return []
    kinds = (sorted(folder.glob(pattern)) for pattern in CHECKPOINTS)
    return next((files for files in kinds if files), [])


def not_exported(folder: Path) -> ModelError:
    """The error for a folder with PyTorch weights where ONNX graphs are needed."""
    return ModelError(
        f"{folder} holds a PyTorch checkpoint, but suggestions need ONNX graphs.",
        f"Run `python -m prover export {folder} OUT`, here or on another machine (it needs the extra `train`), "
        "and name OUT instead.",
    )


def fingerprint_of(folder: Path) -> str:
    """A hash (16 hexadecimal digits) of everything in the folder that affects a suggestion. Raises ModelError."""
    config = read_config(folder)
    digest = hashlib.sha256(f"{config} {FORM_VERSION}{config.tokens or ''}".encode())
    try:
        for name in config.contents:
            with (folder / name).open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
    except OSError as error:
        raise ModelError(f"{error.filename} cannot be read: {error.strerror}.", REINSTALL) from error
    return digest.hexdigest()[:16]


def _parse(values: dict[str, Any]) -> Config:
    """Raises ValueError, KeyError, TypeError."""
    if (values["format"], values["version"]) != (FORMAT, VERSION):
        raise ValueError(f"format {values['format']} {values['version']}, not {FORMAT} {VERSION}")
    if values["form"] not in FORMS:
        raise ValueError(f"form {values['form']!r} is not one of {', '.join(FORMS)}")
    if values["form_version"] != FORM_VERSION:
        raise ValueError(f"trained with version {values['form_version']} of its form, not {FORM_VERSION}")
    tokens = _tokens(values) if "tokens" in values else None
    if tokens is None and values["symbols"] != SIZE:
        raise ValueError(f"{values['symbols']} symbols, not {SIZE}")
    if tokens is not None and values["form"] == "numbered":
        raise ValueError("form 'numbered' is not one for tokens")
    names = ("max_prompt_bytes", "layers", "heads", "head_size")
    limit, layers, heads, size = (_positive(values, name) for name in names)
    start = values["start"]
    if not isinstance(start, int) or not 0 <= start < (tokens.symbols if tokens else SIZE):
        raise ValueError(f"start {start!r} is not a symbol")
    premises = _positive(values, "max_premises") if "max_premises" in values else ANY_NUMBER
    pointers = values.get("pointers", 0.0)
    if not isinstance(pointers, int | float) or not -100 <= pointers <= 0:
        raise ValueError(f"pointers {pointers!r} is not a number from -100 to 0")
    form = cast(Form, values["form"])
    return Config(form, limit, layers, heads, size, start, premises, float(pointers), tokens)


def _tokens(values: dict[str, Any]) -> TokenConfig:
    """Raises ValueError, KeyError, TypeError."""
    symbols, given = _positive(values, "symbols", 1_000_000), values["tokens"]
    ends, encoder = given["ends"], given["encoder"]
    if not isinstance(encoder, bool):
        raise ValueError(f"encoder {encoder!r} is not true or false")
    if (
        not isinstance(ends, list)
        or not ends
        or not all(type(one) is int and 0 <= one < symbols for one in ends)
    ):
        raise ValueError(f"ends {ends!r} are not symbols")
    return TokenConfig(symbols, tuple(ends), encoder)


def _positive(values: dict[str, Any], name: str, most: int = 100_000) -> int:
    value = values[name]
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise ValueError(f"{name} {value!r} is not an integer from 1 to {most:,}")
    return value
