"""What a premise is, as columns for the learned ranker: all 0 for a theorem."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Floats, Int8s

KIND_COLUMNS = ("kind_definition", "kind_instance", "kind_structure", "kind_member")
"""Definitions of every sort; instances; structures, classes and inductive types; fields and constructors."""
_GROUPS = {
    "instance": 2,
    **dict.fromkeys(("structure", "class", "inductive", "class inductive"), 3),
    **dict.fromkeys(("field", "constructor"), 4),
}
_DEFINITION = 1


def group_of(kind: str, *, is_theorem: bool) -> int:
    """0 for a theorem, else 1 + the column of KIND_COLUMNS: `kind` is Lean's keyword, `field` or `constructor`."""
    return 0 if is_theorem else _GROUPS.get(kind, _DEFINITION)


def groups_of(
    kinds: Sequence[str], numbers: npt.NDArray[np.integer], is_theorem: npt.NDArray[np.bool_]
) -> Int8s:
    """int8[n]: the groups of n premises.

    Args:
        kinds: all kinds that there are.
        numbers: int[n], each premise's kind as a position in `kinds`.
        is_theorem: bool[n].
    """
    groups = np.array([group_of(kind, is_theorem=False) for kind in kinds], dtype=np.int8)
    return groups[numbers] * ~is_theorem if len(groups) else groups


def kind_columns(groups: Int8s) -> Floats:
    """float32[n, len(KIND_COLUMNS)]: the groups (int8[n]) as 0 and 1."""
    return np.asarray(groups[:, None] == np.arange(1, len(KIND_COLUMNS) + 1), dtype=np.float32)
