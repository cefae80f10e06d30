"""Records what the tests of the contract compare with: all parts, or those named.

    python -m tests.contract.record [PART ...]

What changed is for you to look at: `git diff tests/contract/golden`.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import redirect_stdout

from tests.contract import golden
from tests.contract.parts import PARTS
from tests.contract.workplace import workplace


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", help=", ".join(PARTS))
    named = parser.parse_args().parts or [*PARTS]
    with workplace() as place:
        for name in named:
            obstacle = PARTS[name].obstacle()
            if obstacle:
                print(f"{name} is left as it is: {obstacle}", file=sys.stderr)
                continue
            with redirect_stdout(sys.stderr):
                made = PARTS[name].make(place)
            golden.write(name, made)
            print(f"{name}: {len(made)} entries")
    return 0


if __name__ == "__main__":
    sys.exit(main())
