"""Ctrl-C while modules are read: Python 3.11 hides it in a RuntimeError, and a user still reads one sentence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lean_extract.common.verbs import INTERRUPTED, STOPPED, reported

IN_A_CLASS = """
import signal, sys

class Field:
    def __set_name__(self, owner, name):
        signal.raise_signal(signal.SIGINT)

from lean_extract.common.verbs import reported

def work():
    class Owner:
        field = Field()

sys.exit(reported(work))
"""


def test_an_interrupt_that_a_class_body_hides_is_one() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IN_A_CLASS],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr.strip()) == (INTERRUPTED, STOPPED)


def test_another_error_stays_what_it_is() -> None:
    def work() -> None:
        try:
            raise KeyError("cause")
        except KeyError as error:
            raise RuntimeError("ours") from error

    with pytest.raises(RuntimeError, match="ours"):
        reported(work)
