"""Lean's messages on one file of a library that stands on the mini core, one JSON object a line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from lean_extract.toolchains import packaged
from lean_extract.toolchains.toolchain import project_oleans


def main() -> int:
    """Print them; 1 where Lean did not run."""
    library, file = Path(sys.argv[1]), sys.argv[2]
    lean = packaged.prepare()
    environment = {**os.environ, **lean.environment_for(project_oleans(library), library)}
    done = subprocess.run(
        [*lean.lean_command, "--json", file], env=environment, capture_output=True, check=False
    )
    sys.stdout.buffer.write(done.stdout)
    sys.stderr.buffer.write(done.stderr)
    return 0 if done.stdout or done.returncode == 0 else 1


if __name__ == "__main__":
    raise SystemExit(main())
