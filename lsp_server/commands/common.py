"""Helpers shared by several commands: reading files, finding projects, settings from options."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from lean_extract.cuda import fallback_warning
from lean_extract.devices import Device
from lean_extract.errors import BadSource, UserError
from lean_extract.files.reading import is_folder, read_source
from lean_extract.source.projects.project import find_root
from lean_extract.telling import pip_install, shown, without_login
from lsp_server.engine.models import model_folder
from lsp_server.engine.settings import LeanSettings, ModelSettings, Settings, TacticSettings
from lsp_server.engine.stores import first_use, holds_premises, project_store
from lsp_server.http.logs import OneLine, Seldom
from retriever.models import reranker


def read_text(path: Path) -> str:
    """A file's text. Raises BadSource: it is missing, or `read_source` cannot read it."""
    try:
        return read_source(path)
    except BadSource as error:
        if isinstance(error.__cause__, FileNotFoundError):
            raise BadSource(f"There is no file {named(path)}.", "Check the path.") from error
        raise


def named(path: Path) -> str:
    """A path for a message. It may be an address with a password, given in the wrong place."""
    return shown(without_login(str(path)))


def project_root(path: Path) -> Path:
    """The root of the project that a path belongs to."""
    return find_root(path.resolve())


def indexed_root(path: Path) -> Path | None:
    """The root of the project that a path belongs to; None if its index is empty. Raises IndexDamaged."""
    root = project_root(path)
    store = project_store(root)
    return root if store.stamp() is not None and holds_premises(store) else None


def existing_folder(path: Path | None) -> Path:
    """The folder given to a command, or the current one. Raises BadSource: there is no such folder."""
    folder = path or Path.cwd()
    if not is_folder(folder):
        raise BadSource(f"{named(folder)} is not a folder.", "Give the folder of a Lean project.")
    return folder


def show_first_use() -> None:
    """Print on standard error that something is prepared once, which takes a moment."""
    first_use.addHandler(logging.StreamHandler(sys.stderr))
    first_use.setLevel(logging.INFO)
    first_use.propagate = False


def not_installed(error: ModuleNotFoundError, needed: Collection[str], extra: str) -> UserError:
    """The error for a command whose extra of the same name is not installed.

    Args:
        needed: the extra's top-level modules; if the missing module is none of them, `error` is raised.
    """
    if (error.name or "").partition(".")[0] not in needed:
        raise error
    return UserError(
        f"`premise-suggest {extra}` needs {error.name}, which is not installed.", f"Run: {pip_install(extra)}"
    )


def log_to_standard_error() -> None:
    """Log errors on one line each, and limit repetitions, so that a client cannot fill a disk."""
    handler = logging.StreamHandler()
    handler.setFormatter(OneLine("%(asctime)s %(levelname)s %(name)s %(message)s"))
    handler.addFilter(Seldom())
    logging.basicConfig(level=logging.ERROR, handlers=[handler])


def tell_fallback(device: Device) -> None:
    """Print a warning if the GPU was asked for by its name and cannot be used."""
    if said := fallback_warning(device):
        print(f"warning: {said}", file=sys.stderr)


def settings_for(options: argparse.Namespace) -> Settings:
    """The settings from a command's options.

    Raises ModelError: there is no model. UserError: re-ranking was requested, but the model has no re-ranker.
    """
    settings = Settings(
        lean=LeanSettings(
            source="repl" if getattr(options, "repl", "") else "server",
            repl_command=getattr(options, "repl", ""),
            command=options.lean,
        ),
        tactics=TacticSettings(source=options.tactics_from, generator=options.generator),
        models=ModelSettings(device=options.device),
        model_folder=options.model,
        model_download=options.download,
    )
    if options.rerank is None:
        return settings
    folder = model_folder(options.model, download=options.download)
    if options.rerank and not is_folder(folder / reranker.FOLDER):
        hint = "Leave out --rerank, or add a re-ranker to the model (docs/retriever.md)."
        raise UserError(f"The model in {folder} has no re-ranker.", hint)
    return replace(settings, premises=replace(settings.premises, rerank=options.rerank))
