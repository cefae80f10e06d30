"""How the time of a function grows with the length of its input.

Only CPU time of the calling thread is counted, the lesser of two runs, so that a busy machine does not
change what comes out; a single bad measurement is repeated.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable
from typing import Any

from tests.hostile.shapes import Shape

SMALLEST = 1 << 12
LARGEST = 1 << 20
ENOUGH_SECONDS = 0.01
"""A run that takes so long is measured well by one."""
MOST = 1.2
"""The exponent that n log n stays under."""
_FASTEST = 0.001
"""What is quicker than this says nothing."""
_TRIES = 4
_TOO_LONG = 2.0
"""Longer texts than one that took so many seconds are not tried."""


def assert_linear(work: Callable[[str], Any], shape: Shape, largest: int = LARGEST) -> None:
    """Fail where the time grows faster than length ** 1.2 on texts of a shape, up to `largest`."""
    found = math.inf
    for _ in range(_TRIES):  # another process may have taken the caches meanwhile
        found = min(found, exponent(work, shape, largest))
        if found <= MOST:
            break
    assert found <= MOST, f"time grows with length ** {found:.2f}"


def exponent(work: Callable[[str], Any], shape: Shape, largest: int = LARGEST) -> float:
    """The exponent of growth over the last three lengths; 0 where fewer take their time.

    Shorter texts do not count: what is bounded by a count (the variables in scope) grows faster until it is
    reached. The last length is far from the first of the three, so that what little a single measurement is off
    does not count either.
    """
    points: list[tuple[float, float]] = []
    size, seconds = SMALLEST, 0.0
    while seconds < _TOO_LONG:
        text = shape(size)
        seconds = _least_seconds(work, text)
        if seconds > _FASTEST:
            points.append((math.log(len(text)), math.log(seconds)))
        if size >= largest:
            break
        size = min(4 * size, largest)
    return _slope(points[-3:]) if len(points) > 2 else 0.0


def _least_seconds(work: Callable[[str], Any], text: str) -> float:
    best = math.inf
    gc.disable()
    try:
        for _ in range(2):
            start = time.thread_time()
            work(text)
            best = min(best, time.thread_time() - start)
            if best > ENOUGH_SECONDS:
                break
    finally:
        gc.enable()
    return best


def _slope(points: list[tuple[float, float]]) -> float:
    """Least squares."""
    middle_x = sum(x for x, _ in points) / len(points)
    middle_y = sum(y for _, y in points) / len(points)
    above = sum((x - middle_x) * (y - middle_y) for x, y in points)
    return above / sum((x - middle_x) ** 2 for x, _ in points)
