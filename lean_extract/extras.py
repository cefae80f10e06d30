"""Packages that only an extra installs."""

from __future__ import annotations

import importlib
from types import ModuleType

from lean_extract.errors import UserError
from lean_extract.telling import pip_install


def import_extra(module: str, extra: str, purpose: str) -> ModuleType:
    """A module of a package that one of our extras brings.

    Args:
        module: its full name, such as `sklearn.feature_extraction.text`.
        extra: the extra in pyproject.toml.
        purpose: what needs it, as the subject of the error's sentence: `Global decoding`.

    Raises:
        UserError: it cannot be imported; the hint names the extra.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise UserError(
            f"{purpose} needs the package `{package}`, which cannot be imported: {error}.",
            f"Install it: {pip_install(extra)}",
        ) from error
