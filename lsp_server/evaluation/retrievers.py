"""The names of the retrievers that an evaluation compares. Imports nothing heavy: the command line reads it."""

from __future__ import annotations

from typing import Literal, get_args

RetrieverKind = Literal["none", "bm25", "dense", "ours", "oracle"]
RETRIEVERS: tuple[RetrieverKind, ...] = get_args(RetrieverKind)
