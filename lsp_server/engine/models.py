"""Finds the model folder to use."""

from __future__ import annotations

import os
from pathlib import Path

import retriever
from retriever.models.hub import find_model

SHIPPED_MODEL = Path(retriever.__path__[0]) / "data" / "encoder"
"""The model folder that comes with the package."""
_VARIABLE = "PREMISE_SUGGEST_MODEL"


def model_folder(setting: str, *, download: bool = False) -> Path:
    """The encoder's folder: the one that is set (PREMISE_SUGGEST_MODEL counts, too), else the shipped one.

    A name of the hub is looked up in the hub's cache, and fetched if `download` says so. Raises ModelError.
    """
    if setting:
        return find_model(setting, download=download)
    named = os.environ.get(_VARIABLE)
    return find_model(named, download=download, named_by=_VARIABLE) if named else SHIPPED_MODEL
