"""Tests that send signals pass in a session that was started with those ignored (`nohup make test &`)."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

HERE = """
import signal
from tests.signals import usual_signals

with usual_signals():
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        print("interrupted")
signal.raise_signal(signal.SIGINT)
print("ignored again")
"""
BELOW = """
import subprocess, sys
from tests.signals import usual_signals

with usual_signals():
    done = subprocess.run([sys.executable, "-c", "import signal; signal.raise_signal(signal.{})"])
print(done.returncode)
"""


def ignoring(program: str) -> subprocess.CompletedProcess[str]:
    """Run a Python program that is started with SIGINT and SIGTERM ignored."""
    command = ["sh", "-c", """trap '' INT TERM; exec "$@" """, "sh", sys.executable, "-c", program]
    root = Path(__file__).parents[1]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=60, check=True)


def test_an_ignored_interrupt_interrupts_meanwhile() -> None:
    assert ignoring(HERE).stdout.split("\n")[:2] == ["interrupted", "ignored again"]


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_process_that_is_started_meanwhile_ends_by_a_signal(name: str) -> None:
    assert int(ignoring(BELOW.format(name)).stdout) == -getattr(signal, name)
