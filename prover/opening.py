"""Opens a generator's folder, of either kind."""

from __future__ import annotations

from pathlib import Path

from lean_extract.common.devices import Device
from prover.generator.source import TacticGenerator
from prover.limits import GENERATOR_THREADS
from prover.shaped import files
from prover.shaped.model import ShapeGenerator

_SHAPES_MORE = 4
"""A generator of shapes writes this many times the wanted number of tactics: they cost little."""


def open_folder(folder: Path, *, threads: int = GENERATOR_THREADS, device: Device = "cpu") -> TacticGenerator:
    """The generator in a folder. Raises ModelError: it is missing, damaged or of another format or version.

    `threads` (per operator) and `device` are for one that decodes. One of shapes is a small matrix in numpy.
    """
    try:
        is_shapes = files.is_shapes(folder)
    except (OSError, ValueError):  # the other kind's loader says what is wrong
        is_shapes = False
    if is_shapes:
        return ShapeGenerator.load(folder)
    from prover.generator.model import Generator  # a decoder's graphs are seldom needed

    return Generator.load(folder, threads=threads, device=device)


def count_for(generator: object, wanted: int) -> int:
    """How many tactics a generator is to write, if this many are wanted."""
    return _SHAPES_MORE * wanted if isinstance(generator, ShapeGenerator) else wanted
