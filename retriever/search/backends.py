"""Which backends there are, by name.

A backend is a package with a module `backend` that holds `BACKEND`. Those of this project are named in
`BUILT_IN`; any other package is named as Python would import it: `--backend my_corpora.recipes`.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType, ModuleType

from lean_extract.common.errors import UserError
from retriever.search.backend import Backend

BUILT_IN: Mapping[str, str] = MappingProxyType(
    {
        "lean": "retriever.lean",
        "naturalproofs": "retriever.naturalproofs",
        "match": "retriever.proof_matching",
    }
)
"""Name -> package."""


def find_part(name: str, part: str) -> ModuleType | None:
    """The module `part` of a backend's package; None if it has none. Raises ModuleNotFoundError without package."""
    module = f"{BUILT_IN.get(name, name)}.{part}"
    return importlib.import_module(module) if importlib.util.find_spec(module) else None


def folder_of(name: str) -> Path:
    """The folder of a backend's package. Raises ModuleNotFoundError without one."""
    package = importlib.import_module(BUILT_IN.get(name, name))
    return Path(package.__path__[0])


def find_backend(name: str) -> Backend:
    """The backend of a name. Raises UserError when there is none."""
    module = f"{BUILT_IN.get(name, name)}.backend"
    hint = (
        f"The backends are: {', '.join(BUILT_IN)}. For one of your own, give the name of its Python package, "
        "which has a `backend.py`."
    )
    try:
        found = importlib.import_module(module)
    except (ModuleNotFoundError, ValueError, TypeError) as error:
        missing = getattr(error, "name", None)
        if missing is not None and not module.startswith(str(missing)):
            raise
        raise UserError(f"There is no backend `{name}`.", hint) from error
    if not hasattr(found, "BACKEND"):
        raise UserError(f"The package `{name}` is not a backend: {module} has no BACKEND.", hint)
    backend: Backend = found.BACKEND
    return backend
