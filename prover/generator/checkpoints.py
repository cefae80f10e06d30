"""Which checkpoints of transformers can be generators, found out from their folders without torch.

A folder has config.json, weights (safetensors, or PyTorch's, of which only tensors are read), and, unless the model
reads bytes as ByT5 does, tokenizer.json. Code that comes with a checkpoint is never run.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

from lean_extract.common.errors import ModelError
from lean_extract.common.files.json_text import parse_json, read_json, shown
from prover.generator.files import TOKENIZER, TokenConfig, checkpoint_files
from prover.generator.prompt import END, SIZE, Form
from prover.limits import (
    GENERATOR_PROMPT_TOKENS,
    GENERATOR_TACTIC_TOKENS,
    MAX_CHECKPOINT_BYTES,
    MAX_CHECKPOINT_PARAMETERS,
    MAX_SAFETENSORS_HEADER_BYTES,
)

DECODERS = ("gpt2", "gpt_neox", "llama", "mistral", "qwen2", "qwen3")
"""The decoder-only models that are known, as config.json names them."""
REPROVER_BYTES = 2300
"""The longest prompt of ReProver's checkpoints (Yang et al., 2023)."""
_FORMS_BY_NAME: tuple[tuple[str, Form], ...] = (
    ("retriever-tacgen", "reprover"),
    ("tacgen", "state"),
    ("llmstep", "llmstep"),
    ("bfs-prover", "bfs-prover"),
)
"""The forms of published checkpoints, by what their names have in them; the first counts."""
CHOSEN = tuple(form for form in get_args(Form) if form != "numbered")
"""The forms that a checkpoint of others can have."""
KNOWN = (
    f"Known are T5 and ByT5 (T5ForConditionalGeneration), and the decoder-only {', '.join(DECODERS)}, as "
    "transformers saves them; other models can answer through a server of their own."
)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A checkpoint that can be exported."""

    folder: Path
    kind: str
    """`t5`, or one of `DECODERS`."""
    form: Form
    max_prompt: int
    """The longest prompt, in symbols."""
    start: int = 0
    """The symbol before a tactic's first one."""
    tokens: TokenConfig | None = None
    """None: a ByT5."""


def read_checkpoint(folder: Path, form: str = "") -> Checkpoint:
    """What a folder holds.

    Args:
        folder: as transformers writes it.
        form: how its prompts are written; empty: by its name, or as ReProver's for a T5.

    Raises ModelError: it is no checkpoint, of no known form, too large, or damaged.
    """
    if (folder / "model.bin").is_file():
        raise ModelError(
            f"{folder} holds a CTranslate2 model, as LeanCopilot's are.",
            "Take the same model as transformers saves it; LeanCopilot's is kaiyuy/leandojo-lean4-tacgen-byt5-small.",
        )
    values = _config(folder)
    _check_kind(folder, values)
    kind = str(values["model_type"])
    _check_weights(folder)
    is_bytes = kind == "t5" and values.get("vocab_size") == SIZE and not (folder / TOKENIZER).is_file()
    chosen = _form(folder, form, is_t5=kind == "t5")
    try:
        if is_bytes:
            start = _number(values, "decoder_start_token_id", 0)
            return Checkpoint(folder, kind, chosen, REPROVER_BYTES, start)
        return _of_tokens(folder, values, chosen)
    except ValueError as error:
        raise ModelError(f"config.json in {folder} cannot be used: {error}.", KNOWN) from error


def _of_tokens(folder: Path, values: dict[str, Any], form: Form) -> Checkpoint:
    if not (folder / TOKENIZER).is_file():
        raise ModelError(
            f"{folder} has no {TOKENIZER}.",
            "Save it with transformers: AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER).",
        )
    kind, symbols = str(values["model_type"]), _number(values, "vocab_size", None)
    ends = _ends(folder, values)
    if not ends or any(not 0 <= end < symbols for end in ends):
        raise ValueError("it does not say which token ends a text (eos_token_id)")
    if kind == "t5":
        most, start = GENERATOR_PROMPT_TOKENS, _number(values, "decoder_start_token_id", 0)
    else:
        names = ("n_positions", "max_position_embeddings", "sliding_window")
        reach = [one for one in map(values.get, names) if type(one) is int and one > 0]
        most, start = (
            min([GENERATOR_PROMPT_TOKENS, *(one - GENERATOR_TACTIC_TOKENS for one in reach)]),
            ends[0],
        )
    if most < 1:
        raise ValueError("it reads too few tokens")
    return Checkpoint(folder, kind, form, most, start, TokenConfig(symbols, ends, kind == "t5"))


def _config(folder: Path) -> dict[str, Any]:
    if not (folder / "config.json").is_file():
        raise _no_checkpoint(folder)
    try:
        values = read_json(folder / "config.json")
    except (OSError, ValueError) as error:
        raise ModelError(f"config.json in {folder} cannot be read: {error}.", "Fetch it again.") from error
    if not isinstance(values, dict):
        raise ModelError(f"config.json in {folder} holds no object.", "Fetch it again.")
    return values


def _no_checkpoint(folder: Path) -> ModelError:
    """Why a folder without config.json is no checkpoint."""
    if any(folder.glob("*.gguf")):
        return ModelError(f"{folder} holds a GGUF model, not a checkpoint of transformers.", KNOWN)
    if (folder / "adapter_config.json").is_file():
        hint = "Merge it into its model with peft (merge_and_unload), and save that."
        return ModelError(f"{folder} holds an adapter, not a whole model.", hint)
    return ModelError(f"{folder} holds no checkpoint of transformers: config.json is missing.", KNOWN)


def _check_kind(folder: Path, values: dict[str, Any]) -> None:
    kind, architectures = values.get("model_type"), values.get("architectures") or []
    if kind != "t5" and kind not in DECODERS:
        raise ModelError(f"{folder} holds a model of type {shown(kind)}, which is not known here.", KNOWN)
    wanted = ("ForConditionalGeneration",) if kind == "t5" else ("LMHeadModel", "ForCausalLM")
    if architectures and not any(str(one).endswith(wanted) for one in architectures):
        named = shown(architectures[0])
        raise ModelError(f"{folder} holds a {named}, which writes no text.", KNOWN)
    if "quantization_config" in values:
        raise ModelError(
            f"The weights in {folder} are quantised.", f"Give the model as it was before. {KNOWN}"
        )


def _check_weights(folder: Path) -> None:
    weights = checkpoint_files(folder)
    if not weights:
        raise ModelError(
            f"{folder} has no weights that are known: model.safetensors or pytorch_model.bin.",
            "Save it with transformers.",
        )
    try:
        size = sum(file.stat().st_size for file in weights)
        parameters = sum(map(_parameters, weights)) if weights[0].suffix == ".safetensors" else size // 4
    except (OSError, ValueError, TypeError, AttributeError, KeyError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ModelError(f"The weights in {folder} cannot be read: {reason}.", "Fetch them again.") from error
    if size > MAX_CHECKPOINT_BYTES or parameters > MAX_CHECKPOINT_PARAMETERS:
        raise ModelError(
            f"{folder} holds {size / 1e9:.1f} GB of weights, too many to export.",
            f"Up to {MAX_CHECKPOINT_PARAMETERS / 1e6:,.0f} million parameters are. Let larger models answer "
            "through a server of their own.",
        )


def _parameters(file: Path) -> int:
    """How many numbers a file of safetensors says that it holds. Raises ValueError: it is damaged, too."""
    with file.open("rb") as stream:
        size = int.from_bytes(stream.read(8), "little")
        if not 0 < size <= min(MAX_SAFETENSORS_HEADER_BYTES, file.stat().st_size):
            raise ValueError(f"{file.name} is damaged")
        header = parse_json(stream.read(size))
    return sum(math.prod(one["shape"]) for name, one in header.items() if name != "__metadata__")


def _form(folder: Path, form: str, *, is_t5: bool) -> Form:
    names = [part.lower() for part in folder.parts if part.startswith("models--")] or [folder.name.lower()]
    if form in CHOSEN:
        return cast(Form, form)
    if form:
        raise ModelError(f"`{shown(form)}` is not a form of prompts.", f"Use one of {', '.join(CHOSEN)}.")
    for part, published in _FORMS_BY_NAME:
        if part in names[-1]:
            return published
    if is_t5:
        return "reprover"
    raise ModelError(
        f"How the model in {folder} wants to be asked does not show in its name.",
        f"Give --form: {', '.join(CHOSEN)} (docs/generator.md says what each is).",
    )


def _ends(folder: Path, values: dict[str, Any]) -> tuple[int, ...]:
    """The tokens that end a text, by generation_config.json or else config.json."""
    try:
        generation = read_json(folder / "generation_config.json")
    except (OSError, ValueError):
        generation = {}
    named = generation.get("eos_token_id") if isinstance(generation, dict) else None
    found = values.get("eos_token_id", END) if named is None else named
    ends = found if isinstance(found, list) else [found]
    if not all(type(one) is int for one in ends):
        raise ValueError(f"eos_token_id {shown(json.dumps(found))} is no token")
    return tuple(dict.fromkeys(ends))


def _number(values: dict[str, Any], name: str, default: int | None) -> int:
    found = values.get(name, default)
    if type(found) is not int or not 0 <= found <= 1_000_000:
        raise ValueError(f"{name} {shown(found)} is no number from 0 to 1,000,000")
    return found
