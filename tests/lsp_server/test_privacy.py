"""Nothing leaves the machine: no library that we use keeps or sends a record of its use."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_a_suggestion_leaves_nothing_but_our_own_cache(tmp_path: Path) -> None:
    home, cache = tmp_path / "home", tmp_path / "cache"
    home.mkdir()
    environment = {
        **os.environ,
        "HOME": str(home),
        "XDG_CACHE_HOME": str(cache),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "data"),
        "ORT_DISABLE_TELEMETRY": "0",
    }
    done = subprocess.run(
        [sys.executable, "-m", "lsp_server", "suggest", "--state", "-", "--k", "1"],
        input="a b : ℕ\n⊢ a * b = b * a\n",
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "mul_comm" in done.stdout
    # onnxruntime would leave a device id and a queue of events in the cache.
    assert [path.name for path in cache.iterdir()] == ["premise-suggest"]
    assert not list(home.rglob("*"))


def test_onnxruntime_is_told_before_it_is_imported() -> None:
    program = """
import os, sys, retriever
assert "onnxruntime" not in sys.modules
print(os.environ["ORT_DISABLE_TELEMETRY"])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.strip() == "1", done.stderr
