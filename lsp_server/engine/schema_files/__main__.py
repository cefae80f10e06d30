"""Write the documentation, the JSON Schema and the TypeScript types of the answers, in a clone.

`python -m lsp_server.engine.schema_files` prints the path of every file that it has changed.
"""

from __future__ import annotations

import sys
from pathlib import Path

from lean_extract.common.files.atomic import replacing
from lsp_server.engine.schema_files.files import generated_files

_ROOT = Path(__file__).parents[3]


def _main() -> int:
    """Write the files that are out of date. The exit code is 2 outside of a clone."""
    if not (_ROOT / "pyproject.toml").is_file():
        print(f"error: {_ROOT} is not a clone of premise-suggest.", file=sys.stderr)
        print("hint: Run it in a clone that was installed with `pip install -e .`.", file=sys.stderr)
        return 2
    for name, text in generated_files().items():
        path = _ROOT / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        with replacing(path) as stream:
            stream.write(text)
        print(name)
    return 0


if __name__ == "__main__":
    sys.exit(_main())
