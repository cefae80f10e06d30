"""Imports of packages that only an extra installs."""

from __future__ import annotations

import importlib
from types import ModuleType

from lean_extract.common.errors import UserError
from lean_extract.common.terminal_text import pip_install


def import_extra(module: str, extra: str, purpose: str) -> ModuleType:
    """Import a module of a package that an extra installs.

    Args:
        module: its full name, such as `sklearn.feature_extraction.text`.
        extra: the name of the extra in pyproject.toml.
        purpose: what needs the module, as the subject of the error message: `Global decoding`.

    Raises:
        UserError: the module cannot be imported. The hint names the extra.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise UserError(
            f"{purpose} needs the package `{package}`, which cannot be imported: {error}.",
            f"Install it: {pip_install(extra)}",
        ) from error
