"""Which revision a client means: a Lean version as its clients write it, a commit, or another name. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

_PREFIX = re.compile(r"^(?:leanprover/lean4(?:-nightly)?:)?(?:v?\d+\.\d+\.\d+-(?=nightly-)|v?(?=\d|nightly))")
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_MINOR = re.compile(r"\d+\.\d+")


def is_called(wanted: str, known: Iterable[str]) -> bool:
    """Whether a revision is one of those known: with or without `v`, a commit's first digits, `4.27` of `4.27.1`."""
    wanted = _canonical(wanted)
    return any(_same(_canonical(one), wanted) for one in known)


def _canonical(revision: str) -> str:
    """Normalise a version: `v4.30.0`, `4.30.0` and `leanprover/lean4:v4.30.0` are the same, and so are
    `nightly-2026-07-01` and `v4.33.0-nightly-2026-07-01`, which `#statesearch` sends."""
    return _PREFIX.sub("", revision.strip())


def _same(known: str, wanted: str) -> bool:
    if wanted == known:
        return True
    if _MINOR.fullmatch(wanted):
        return known.startswith(f"{wanted}.") and "-" not in known
    return bool(_COMMIT.fullmatch(wanted) and _COMMIT.fullmatch(known) and known.startswith(wanted))
