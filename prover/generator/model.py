"""The generator at work: goals and premises in, the most probable tactics out. No torch.

The paper's section 4.5: a ByT5 reads the state with premises before it and writes a tactic, byte by byte,
searched with beams. Loaded from a folder as `files` describes it.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lean_extract.errors import ModelError
from lean_extract.onnx_runtime import open_session
from lean_extract.records import Goal, Premise
from prover.generator import beam
from prover.generator.files import DECODER, ENCODER, REINSTALL, Config, fingerprint_of, read_config
from prover.generator.graphs import Decoding, run_encoder
from prover.generator.prompt import Form, decode_tactic, encode_prompt, premises_in
from prover.generator.symbols import END, FIRST_BYTE, FIRST_EXTRA, PAD, SIZE, UNKNOWN, byte_symbols

_MORE = 8
"""How many beams there are beyond the tactics asked for, at most: narrower searches miss the best ones."""
THREADS = 2
"""How many threads an operator uses unless told otherwise."""


@dataclass(frozen=True, slots=True)
class Generated:
    """A tactic, and how probable the model finds it."""

    tactic: str
    log_probability: float
    """Natural logarithm, summed over the symbols, the end included."""


class Generator:
    """A generator loaded from its folder; safe to use from several threads."""

    def __init__(self, encoder: Any, decoder: Any, config: Config, fingerprint: str) -> None:
        self._encoder, self._decoder = encoder, decoder
        self._config = config
        self._fingerprint = fingerprint

    @classmethod
    def load(cls, folder: Path, *, threads: int = THREADS) -> Generator:
        """Load a generator onto the CPU with this many threads an operator.

        Raises ModelError: a file is missing or damaged, of another format or version, its graphs are not of
        the form that `graphs` describes, or it is a PyTorch checkpoint that was not exported.
        """
        config = read_config(folder)
        fingerprint = fingerprint_of(folder)
        try:
            encoder, decoder = (open_session(folder / name, threads) for name in (ENCODER, DECODER))
        except OSError as error:
            raise ModelError(f"The generator in {folder} cannot be read: {error}.", REINSTALL) from error
        except Exception as error:  # onnxruntime raises bare Exception subclasses of many kinds
            raise ModelError(f"The generator in {folder} is damaged: {_said(error)}.", REINSTALL) from error
        generator = cls(encoder, decoder, config, fingerprint)
        generator._check(folder)
        return generator

    @property
    def config(self) -> Config:
        """What the folder's generator.json says."""
        return self._config

    @property
    def fingerprint(self) -> str:
        """Equal fingerprints, equal suggestions: hash of the graphs, the form and the prompt's length."""
        return self._fingerprint

    def generate(
        self, goals: Sequence[Goal], premises: Sequence[Premise], *, count: int = 8, max_bytes: int = 64
    ) -> list[Generated]:
        """At most `count` different tactics, best first.

        What is no tactic (cut off at `max_bytes`, bytes that are no text, more than one line, a pointer to no
        premise) is left out, and the next one takes its place: symbols that no tactic has are not followed,
        and some more beams run than tactics are asked for. Three in four are the most probable ones;
        the others begin with the most probable words that those do not begin with.

        Args:
            goals: the state's, the main one first; none, no tactics.
            premises: best first; as many are read as the model was trained on.
            max_bytes: the longest tactic, in symbols.

        Raises ModelError when the graphs do not run on this prompt (no memory for it, for example).
        """
        if not goals or count < 1:
            return []
        config = self._config
        premises = premises[: config.max_premises]
        prompt = encode_prompt(config.form, goals, premises, config.max_prompt_bytes)
        premises = premises_in(config.form, prompt, premises)
        settings = settings_for(count, max_bytes, config.start)
        try:
            decoding = self._decoding(prompt)
            step = _weighed(decoding, impossible(config.form, premises), config.pointers)
            found = beam.search(step, settings)
        except Exception as error:  # whatever onnxruntime raises, which tells its kinds by no class
            raise ModelError(f"The generator did not run: {_said(error)}.", REINSTALL) from error
        tactics: dict[str, beam.Sequence] = {}
        for sequence in found:
            tactic = decode_tactic(config.form, sequence.symbols, premises) if sequence.ended else None
            if tactic is not None:
                tactics.setdefault(tactic, sequence)
        chosen = spread(list(tactics.values()), count)
        return [Generated(tactic, one.log_probability) for tactic, one in tactics.items() if one in chosen]

    def _decoding(self, prompt: Sequence[int]) -> Decoding:
        config = self._config
        memory = run_encoder(self._encoder, prompt, config.layers)
        return Decoding(self._decoder, memory, config.layers, config.heads, config.head_size)

    def _check(self, folder: Path) -> None:
        """Two steps over a short prompt must give log-probabilities of the right shape."""
        try:
            step = self._decoding([END + 2, END])
            step(np.array([self._config.start]), np.array([0]))
            answer = step(np.array([END + 2, END + 3]), np.array([0, 0]))
        except Exception as error:  # whatever onnxruntime raises for graphs of another form
            raise ModelError(f"The generator in {folder} does not run: {_said(error)}.", REINSTALL) from error
        sums = np.exp(answer.astype(np.float64)).sum(axis=-1)
        if answer.shape != (2, SIZE) or not np.allclose(sums, 1, atol=1e-3):
            raise ModelError(f"The generator in {folder} gives no log-probabilities.", REINSTALL)


def impossible(form: Form, premises: Sequence[Premise]) -> list[int]:
    """The symbols that no tactic can have here: padding, control characters, pointers to no premise.

    Bytes of longer characters are not among them; whether those are text shows only at the end.
    """
    letter = FIRST_BYTE + ord("x")
    single = [*range(FIRST_BYTE, FIRST_BYTE + 128), *range(FIRST_EXTRA, SIZE)]
    return [PAD, UNKNOWN] + [
        symbol for symbol in single if decode_tactic(form, [letter, symbol, letter], premises) is None
    ]


def _weighed(step: beam.Step, without: Sequence[int], pointers: float) -> beam.Step:
    """The step with some symbols' chances taken away, and `pointers` added to those of pointers.

    The chances of the others stay as they are.
    """

    def stepped(last: beam.Int64s, parents: beam.Int64s) -> beam.Floats:
        chances = step(last, parents).copy()
        chances[:, without] = -np.inf
        chances[:, FIRST_EXTRA:] += pointers
        return chances

    return stepped


def settings_for(count: int, max_bytes: int, start: int) -> beam.BeamSettings:
    """The search for `count` tactics: with some more beams, since not all that is written will be a tactic,
    and some for first words of their own."""
    beams = count + max(2, min(count, _MORE))
    return beam.BeamSettings(beams, max_bytes + 1, END, start, group=first_word, others=3 * count // 4)


_WORD = frozenset(byte_symbols(string.ascii_letters + string.digits + "_'!?"))


def first_word(symbols: tuple[int, ...]) -> tuple[int, ...] | None:
    """The symbols of a tactic's first word; None while it may go on."""
    return None if symbols[-1] in _WORD else symbols[:-1]


def spread(found: Sequence[beam.Sequence], count: int) -> list[beam.Sequence]:
    """So many of what a search found: most of them the most probable, then the best of each of the most
    probable groups that have no part in these, then what is left. Best first."""
    chosen = list(found[: _most(count)])
    heard = {each.group for each in chosen}
    for each in sorted(found, key=lambda each: -each.group_log_probability):
        if each.group not in heard and len(chosen) < count:
            heard.add(each.group)
            chosen.append(each)
    chosen += [each for each in found if each not in chosen][: count - len(chosen)]
    return sorted(chosen, key=lambda each: -each.score)


def _most(count: int) -> int:
    """How many of the tactics are simply the most probable: three in four."""
    return -(-3 * count // 4)


def _said(error: Exception) -> str:
    """The first line of what onnxruntime says, which may go on for pages."""
    return str(error).strip().split("\n")[0].rstrip(".")
