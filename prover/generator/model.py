"""Runs the generator: goals and premises in, the most probable tactics out. No torch.

As in the paper's section 4.5, a ByT5 reads the premises and the state, and writes a tactic byte by byte, decoded
with beam search. It is loaded from a folder as `files` describes it.

    encoder.onnx   symbols int64[length]
                   -> for each decoder layer i  cross_keys_i    float32[heads, size, length]
                                                cross_values_i  float32[heads, length, size]
    decoder.onnx   symbols int64[beams], parents int64[beams], for each layer the two above and
                   past_keys_i, past_values_i   float32[rows, heads, steps, size]
                   -> log_probabilities float32[beams, symbols], and for each layer
                      keys_i, values_i          float32[beams, heads, steps + 1, size]

A decoder-only model has one graph, which reads the prompt in its first call:

    decoder.onnx   symbols int64[rows, length], parents int64[rows], for each layer past_keys_i and past_values_i
                   -> log_probabilities float32[rows, symbols] after the last symbol, and keys_i, values_i

The graphs take one prompt at a time, so they need no padding and no mask, and all beams share the encoder's output.
Beam b continues row parents[b] of the cache. `prover.training.export` writes these graphs.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Floats, Int64s
from lean_extract.common.devices import Device
from lean_extract.common.errors import ModelError
from lean_extract.common.onnx_runtime import open_session
from lean_extract.records import Goal, Premise
from prover.generator import beam
from prover.generator.alphabet import Alphabet, Bytes, Tokens
from prover.generator.files import DECODER, ENCODER, REINSTALL, TOKENIZER, Config, fingerprint_of, read_config
from prover.generator.prompt import FIRST_EXTRA
from prover.generator.source import Generated
from prover.limits import GENERATOR_THREADS

_MORE = 8
"""The most beams beyond the number of wanted tactics; narrower searches miss the best tactics."""


class Generator:
    """A generator loaded from its folder. Safe to use from several threads."""

    def __init__(
        self, encoder: Any | None, decoder: Any, alphabet: Alphabet, config: Config, fingerprint: str
    ) -> None:
        self._encoder, self._decoder = encoder, decoder
        self._alphabet = alphabet
        self._config = config
        self._fingerprint = fingerprint

    @classmethod
    def load(cls, folder: Path, *, threads: int = GENERATOR_THREADS, device: Device = "cpu") -> Generator:
        """Load a generator onto a device, with this many threads per operator of the CPU.

        Raises ModelError: a file is missing, damaged or of another format or version, the graphs do not have
        the form that `graphs` describes, or the folder is a PyTorch checkpoint that was not exported.
        """
        config = read_config(folder)
        fingerprint = fingerprint_of(folder)
        try:
            graphs = {name: open_session(folder / name, threads, device) for name in config.graphs}
            alphabet = _alphabet(folder, config)
        except ModelError:  # of onnxruntime, not of this model
            raise
        except OSError as error:
            raise ModelError(f"The generator in {folder} cannot be read: {error}.", REINSTALL) from error
        except Exception as error:  # onnxruntime raises bare Exception subclasses of many kinds
            raise ModelError(
                f"The generator in {folder} is damaged: {_first_line(error)}.", REINSTALL
            ) from error
        generator = cls(graphs.get(ENCODER), graphs[DECODER], alphabet, config, fingerprint)
        generator._check(folder)
        return generator

    @property
    def config(self) -> Config:
        """The content of the folder's generator.json."""
        return self._config

    @property
    def fingerprint(self) -> str:
        """A hash of the graphs, the form and the prompt's length: equal fingerprints give equal suggestions."""
        return self._fingerprint

    def generate(
        self, goals: Sequence[Goal], premises: Sequence[Premise], *, count: int = 8, max_bytes: int = 64
    ) -> list[Generated]:
        """At most `count` different tactics, best first.

        An output that is not a tactic (cut off at `max_bytes`, invalid UTF-8, several lines, a pointer to a
        missing premise) is dropped. To make up for these, impossible symbols are not followed, and there are
        more beams than wanted tactics. Three quarters of the result are the most probable tactics; the
        others begin with the most probable first words that those do not have.

        Args:
            goals: the state's goals, the main one first; without goals there are no tactics.
            premises: best first; at most as many are read as the model was trained on.
            max_bytes: the longest tactic, in symbols.

        Raises ModelError: the graphs do not run on this prompt (out of memory, for example).
        """
        if not goals or count < 1:
            return []
        config = self._config
        premises = premises[: config.max_premises]
        alphabet = self._alphabet
        prompt = alphabet.prompt(goals, premises, config.max_prompt_bytes)
        premises = alphabet.listed(prompt, premises)
        settings = settings_for(count, max_bytes, config.start, alphabet)
        try:
            decoding = self._decoding(prompt)
            step = _weighed(decoding, alphabet.excluded(premises), alphabet.ends, config.pointers)
            found = beam.search(step, settings)
        except Exception as error:  # onnxruntime's errors have no common class
            raise ModelError(f"The generator did not run: {_first_line(error)}.", REINSTALL) from error
        tactics: dict[str, beam.Sequence] = {}
        for sequence in found:
            tactic = alphabet.tactic(sequence.symbols, premises) if sequence.ended else None
            if tactic is not None:
                tactics.setdefault(tactic, sequence)
        chosen = spread(list(tactics.values()), count)
        return [Generated(tactic, one.log_probability) for tactic, one in tactics.items() if one in chosen]

    def _decoding(self, prompt: Sequence[int]) -> Decoding:
        config = self._config
        shape = (config.layers, config.heads, config.head_size)
        if self._encoder is None:
            return Decoding(self._decoder, {}, *shape, prompt=prompt)
        return Decoding(self._decoder, run_encoder(self._encoder, prompt, config.layers), *shape)

    def _check(self, folder: Path) -> None:
        """Check that two steps over a short prompt give log-probabilities of the right shape."""
        try:
            step = self._decoding([3, 1])
            step(np.array([self._config.start]), np.array([0]))
            answer = step(np.array([3, 4]), np.array([0, 0]))
        except Exception as error:  # whatever onnxruntime raises for graphs of another form
            raise ModelError(
                f"The generator in {folder} does not run: {_first_line(error)}.", REINSTALL
            ) from error
        sums = np.exp(answer.astype(np.float64)).sum(axis=-1)
        if answer.shape != (2, self._config.symbols) or not np.allclose(sums, 1, atol=1e-3):
            raise ModelError(f"The generator in {folder} does not give log-probabilities.", REINSTALL)


def _alphabet(folder: Path, config: Config) -> Alphabet:
    """Raises OSError, ValueError."""
    if config.tokens is None:
        return Bytes(config.form)
    return Tokens.load(folder / TOKENIZER, config.form, config.tokens.ends, config.tokens.symbols)


def _weighed(step: beam.Step, without: Sequence[int], ends: tuple[int, ...], pointers: float) -> beam.Step:
    """The step with the symbols `without` excluded, all ends as the first of them, and `pointers` added to the
    log-probability of ByT5's pointers.

    The other log-probabilities stay as they are (they are not normalised again).
    """
    end, *other_ends = ends

    def stepped(last: Int64s, parents: Int64s) -> Floats:
        log_probabilities = step(last, parents).copy()
        log_probabilities[:, end] = np.logaddexp.reduce(log_probabilities[:, ends], axis=1)
        log_probabilities[:, [*without, *other_ends]] = -np.inf
        if pointers:
            log_probabilities[:, FIRST_EXTRA:] += pointers
        return log_probabilities

    return stepped


def settings_for(count: int, max_symbols: int, start: int, alphabet: Alphabet) -> beam.BeamSettings:
    """The search for `count` tactics: with more beams than that, since not every output is a tactic, and with
    some beams for further first words."""
    beams, end = count + max(2, min(count, _MORE)), alphabet.ends[0]
    others = 3 * count // 4
    return beam.BeamSettings(beams, max_symbols + 1, end, start, group=alphabet.first_word, others=others)


def spread(found: Sequence[beam.Sequence], count: int) -> list[beam.Sequence]:
    """`count` of the sequences that a search found, best first.

    Three quarters are the most probable; then comes the best of each of the most probable groups that those
    do not have, then whatever is left.
    """
    chosen = list(found[: -(-3 * count // 4)])
    groups = {each.group for each in chosen}
    for each in sorted(found, key=lambda each: -each.group_log_probability):
        if each.group not in groups and len(chosen) < count:
            groups.add(each.group)
            chosen.append(each)
    chosen += [each for each in found if each not in chosen][: count - len(chosen)]
    return sorted(chosen, key=lambda each: -each.score)


def _first_line(error: Exception) -> str:
    """The first line of onnxruntime's message, which may be pages long."""
    return str(error).strip().split("\n")[0].rstrip(".")


LOG_PROBABILITIES = "log_probabilities"


MEMORY, PAST, KEPT = "cross_", "past_", ""
"""What the names of keys and values begin with: those of the prompt, the cache, and the next step's cache."""


def layer_names(prefix: str, layers: int) -> list[str]:
    """The keys and values of all layers, in the graphs' order."""
    return [f"{prefix}{kind}_{layer}" for layer in range(layers) for kind in ("keys", "values")]


def decoder_inputs(layers: int) -> list[str]:
    """All inputs of a decoder that has an encoder, in order: for each layer the cache, then the encoder's outputs."""
    past, memory = layer_names(PAST, layers), layer_names(MEMORY, layers)
    names = [name for at in range(0, 2 * layers, 2) for name in (*past[at : at + 2], *memory[at : at + 2])]
    return ["symbols", "parents", *names]


def decoder_outputs(layers: int) -> list[str]:
    """All of the decoder's outputs in the graph's order."""
    return [LOG_PROBABILITIES, *layer_names(KEPT, layers)]


def run_encoder(session: Any, prompt: Sequence[int], layers: int) -> dict[str, Any]:
    """The encoder's outputs for a prompt as OrtValues, by the names of the decoder's inputs."""
    import onnxruntime

    # Free what attention took, hundreds of megabytes for a long prompt. This costs a tenth of the time.
    options = onnxruntime.RunOptions()
    options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
    names = layer_names(MEMORY, layers)
    feeds = {"symbols": _value(np.array(prompt, dtype=np.int64))}
    values = session.run_with_ort_values(names, feeds, options)
    return dict(zip(names, values, strict=True))


class Decoding:
    """One prompt's decoding: a `Step` for `beam.search` that keeps the cache between calls.

    Args:
        memory: the encoder's outputs.
        prompt: of a decoder-only model, which reads it in place of the first symbol.
    """

    def __init__(
        self,
        session: Any,
        memory: dict[str, Any],
        layers: int,
        heads: int,
        size: int,
        *,
        prompt: Sequence[int] | None = None,
    ) -> None:
        self._session, self._memory, self._prompt = session, memory, prompt
        self._is_decoder = prompt is not None
        self._past, self._outputs = layer_names(PAST, layers), decoder_outputs(layers)
        empty = _value(np.zeros((1, heads, 0, size), dtype=np.float32))
        self._cache = dict.fromkeys(self._past, empty)

    def __call__(self, symbols: Int64s, parents: Int64s) -> Floats:
        """float32[beams, symbols]: log-probabilities of the symbol after each beam's last one."""
        if self._is_decoder:
            symbols = symbols[:, None] if self._prompt is None else np.array([self._prompt], dtype=np.int64)
            self._prompt = None
        feeds = {"symbols": _value(symbols), "parents": _value(parents), **self._cache, **self._memory}
        first, *kept = self._session.run_with_ort_values(self._outputs, feeds)
        self._cache = dict(zip(self._past, kept, strict=True))
        return np.asarray(first.numpy())


def _value(array: npt.NDArray[Any]) -> Any:
    import onnxruntime

    return onnxruntime.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(array))
