"""Checks that no regular expression of ours takes more than linear time, whatever the text.

    python scripts/check_regexes.py [PATTERN]

Every expression in the Python packages and scripts and in the VS Code extension is tried on the worst texts that its
automaton has (tests/hostile/regexes). The steps of a matcher are counted, so the answer is the same on each machine.
With a PATTERN, that one is checked. Exit code 1 where an expression is found.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.hostile.regexes.attacks import worst_attack
from tests.hostile.regexes.collecting import Expression, python_expressions, typescript_expressions

ROOT = Path(__file__).resolve().parents[1]
PYTHON = ("lean_extract", "lsp_server", "retriever", "prover", "scripts")
TYPESCRIPT = ("vscode-extension/src", "lsp_server/http/static")


def main() -> int:
    """The command line; its exit code."""
    if len(sys.argv) > 1:
        return _report([Expression("PATTERN", sys.argv[1], 0, frozenset({"all", "fullmatch"}))])
    return _report(
        [
            *python_expressions(ROOT, PYTHON),
            *(one for folder in TYPESCRIPT for one in typescript_expressions(ROOT, folder)),
        ]
    )


def _report(expressions: Iterable[Expression]) -> int:
    found, tried = 0, set()
    for one in expressions:
        for mode in sorted(one.modes):
            key = one.pattern, one.flags, mode
            if key not in tried and (attack := worst_attack(*key)):
                found += 1
                print(f"{one.place} ({mode}): {one.pattern!r}\n    {attack}")
            tried.add(key)
    print(f"{len(tried)} uses of regular expressions, {found} of them slow")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
