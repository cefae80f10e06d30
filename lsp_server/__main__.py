"""`python -m lsp_server`: the same command line as `premise-suggest`."""

from __future__ import annotations

import sys

from lean_extract.common.python_path import leave_current_folder


def _main() -> int:
    leave_current_folder()
    from lsp_server.cli import main  # with all that it imports, after that

    return main()


sys.exit(_main())
