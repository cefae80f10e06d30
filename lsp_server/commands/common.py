"""Helpers shared by several commands: reading files, finding projects, settings from options."""

from __future__ import annotations

import argparse
import json
import logging
import shlex
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from lean_extract.common.devices import Device
from lean_extract.common.errors import BadSource, UserError
from lean_extract.common.files.reading import is_folder, read_source
from lean_extract.common.onnx_runtime import fallback_warning
from lean_extract.common.terminal_text import pip_install, shown, without_login
from lean_extract.source.projects.project import is_project_root, named_below, only_of
from lsp_server.commands.nearby import file_meant, folder_meant
from lsp_server.engine.generators import OpenGenerator, open_requested, served_name
from lsp_server.engine.projects import projects_for
from lsp_server.engine.schema import SearchAnswer, Suggestion, UsesAnswer
from lsp_server.engine.settings import Settings
from lsp_server.engine.settings_files import LayeredSettings
from lsp_server.engine.stores import first_use, holds_premises, model_folder, project_store
from lsp_server.engine.tasks import LeanProgress
from retriever.models import reranker

_Answer = TypeVar("_Answer", SearchAnswer, Suggestion, UsesAnswer)
_ELSEWHERE = "No project's index was searched."


def read_text(path: Path) -> str:
    """A file's text. Raises BadSource: it is missing, or `read_source` cannot read it."""
    try:
        return read_source(path)
    except BadSource as error:
        if isinstance(error.__cause__, FileNotFoundError):
            raise BadSource(
                f"There is no file {named(path)}.", file_meant(path) or "Check the path."
            ) from error
        raise


def named(path: Path) -> str:
    """A path for a message. It may be an address with a password, given in the wrong place."""
    return shown(without_login(str(path)))


def project_root(folder: Path, *, loose: bool = False) -> Path:
    """The root of the project that a folder belongs to, or of the only one below it, which is then printed.

    With `loose`, a folder with `.lean` files is a project of its own. Raises UserError: there are several below it.
    """
    folder = folder.resolve()
    root = only_of(folder, projects_for(folder, loose=loose))
    if root != folder and root.is_relative_to(folder):
        print(f"note: {folder} is not a Lean project itself; {root} is the one below it.", file=sys.stderr)
    return root


@dataclass(frozen=True, slots=True)
class SearchedProject:
    """What answers in a folder: the project's index, or, if `root` is None, what answers without a project."""

    root: Path | None
    warning: str = ""
    """Why the index of a project that is there does not answer, and what to do; empty if it does."""

    def with_warning(self, answer: _Answer) -> _Answer:
        """The answer with the warning, if there is one."""
        return replace(answer, warnings=[self.warning, *answer.warnings]) if self.warning else answer


def searched_project(folder: Path) -> SearchedProject:
    """The project of a folder, or the only one below it, if it has an index. Raises IndexDamaged."""
    found = projects_for(folder.resolve())
    if len(found) > 1:
        return SearchedProject(None, f"{_ELSEWHERE} {named_below(found)} Ask in one of them.")
    root = found[0]
    store = project_store(root)
    if store.stamp() is not None and holds_premises(store):
        return SearchedProject(root)
    if not is_project_root(root):
        return SearchedProject(None)
    return SearchedProject(
        None,
        f"{_ELSEWHERE} {root} has no index with premises. Run: premise-suggest index {shlex.quote(str(root))}",
    )


def existing_folder(path: Path | None) -> Path:
    """The folder given to a command, or the current one. Raises BadSource: there is no such folder."""
    folder = path or Path.cwd()
    if not is_folder(folder):
        hint = folder_meant(folder) or "Give the folder of a Lean project."
        raise BadSource(f"{named(folder)} is not a folder.", hint)
    return folder


def print_json(value: object) -> None:
    """Print plain values as JSON."""
    print(json.dumps(value, ensure_ascii=False, indent=2))


def print_progress(progress: LeanProgress) -> None:
    """Print on standard error what Lean is still doing."""
    print(f"{progress}.", file=sys.stderr, flush=True)


def show_first_use() -> None:
    """Print on standard error that something is prepared once, which takes a moment."""
    first_use.addHandler(logging.StreamHandler(sys.stderr))
    first_use.setLevel(logging.INFO)
    first_use.propagate = False


def not_installed(error: ModuleNotFoundError, needed: Collection[str], extra: str) -> UserError:
    """The error for a command whose extra of the same name is not installed.

    Args:
        needed: the extra's top-level modules; if the missing module is not one of them, `error` is raised.
    """
    if (error.name or "").partition(".")[0] not in needed:
        raise error
    return UserError(
        f"`premise-suggest {extra}` needs {error.name}, which is not installed.", f"Run: {pip_install(extra)}"
    )


class OneLine(logging.Formatter):
    """Escapes control characters, so that a client's text cannot look like another line."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        """The line without a traceback."""
        record.message = shown(record.message, longest=0)
        return super().formatMessage(record)


def log_to_standard_error() -> None:
    """Log errors to standard error, each on one line."""
    handler = logging.StreamHandler()
    handler.setFormatter(OneLine("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logging.basicConfig(level=logging.ERROR, handlers=[handler])


def _print_complaint(sentence: str) -> None:
    """Print a warning about a settings file, whose text may be anybody's."""
    print(f"warning: {shown(sentence, longest=0)}", file=sys.stderr)


def warn_of_fallback(*settings: Settings) -> None:
    """Print a warning if any of the settings request a GPU that cannot be used."""
    requests_cuda = any(one.models.device == "cuda" for one in settings)
    if warning := fallback_warning("cuda" if requests_cuda else "auto"):
        print(f"warning: {warning}", file=sys.stderr)


def chosen_settings(options: argparse.Namespace) -> dict[str, Any]:
    """The settings that a command's options choose, by the names that editors use; None for options left out."""
    repl = getattr(options, "repl", "")
    return {
        "lean": {
            "source": "repl" if repl else None,
            "replCommand": repl or None,
            "command": options.lean or None,
        },
        "premises": {"rerank": getattr(options, "rerank", None)},
        "tactics": {
            "source": getattr(options, "tactics_from", None),
            "generator": getattr(options, "generator", "") or None,
        },
        "models": {"device": getattr(options, "device", None), **served_choices(options)},
        "modelFolder": options.model or None,
        "modelDownload": getattr(options, "download", False) or None,
    }


def served_choices(options: argparse.Namespace) -> dict[str, Any]:
    """What the options choose for a model at a server, as `chosen_settings`."""
    return {
        "premises": getattr(options, "prompt_premises", None),
        "proofTokens": getattr(options, "model_tokens", None),
    }


def served_settings(options: argparse.Namespace) -> Settings | None:
    """The settings of the model at a server that the options, or PREMISE_SUGGEST_GENERATOR, name; None without one.

    They are the user's own, without those of a project. Raises UserError: options do not fit each other.
    """
    name = served_name(options.generator)
    if options.tactics_from == "templates" or not name:
        if any(value is not None for value in served_choices(options).values()):
            raise UserError(
                "--prompt-premises and --model-tokens are for a model at a server.",
                "Name it with --generator.",
            )
        return None
    tactics = {"generator": name, "source": options.tactics_from or "both"}
    chosen = {"tactics": tactics, "models": served_choices(options)}
    return LayeredSettings(chosen, _print_complaint).at(None)


def layered_settings(
    options: argparse.Namespace, on_complaint: Callable[[str], object] = _print_complaint
) -> LayeredSettings:
    """The settings from the settings files and a command's options, which come first.

    Raises ModelError: there is no model. UserError: re-ranking was requested, but the model has no re-ranker.
    """
    settings = LayeredSettings(chosen_settings(options), on_complaint)
    if getattr(options, "rerank", None):
        chosen = settings.at(None)
        folder = model_folder(chosen.model_folder, download=chosen.model_download)
        if not is_folder(folder / reranker.FOLDER):
            hint = "Leave out --rerank, or add a re-ranker to the model (docs/retriever.md)."
            raise UserError(f"The model in {folder} has no re-ranker.", hint)
    return settings


def settings_for(options: argparse.Namespace, root: Path | None = None) -> Settings:
    """The settings of a project, or of none. A GPU that they choose and that cannot be used is reported.

    Raises as `layered_settings`.
    """
    settings = layered_settings(options).at(root)
    warn_of_fallback(settings)
    return settings


def opened_generator(options: argparse.Namespace, settings: Settings) -> OpenGenerator | None:
    """The generator that the options request, loaded, so that a failure is an error and not an overlooked warning.

    None if they request none: what a settings file names is opened when it is needed. Raises UserError, ModelError.
    """
    if not options.generator and options.tactics_from is None:
        return None
    source = settings.tactics.source
    name = options.generator or (settings.tactics.generator if source == "generator" else "")
    if served_name(name) and source != "templates":
        opened = OpenGenerator()
        opened.server(settings)
        return opened
    found = open_requested(name, source, settings.model_download, settings.models.device)
    return None if found is None else OpenGenerator(lambda name, download, device: found)


def device_for(options: argparse.Namespace) -> Device:
    """Where a collection's models run, by the options or the settings files. That a GPU cannot be used is reported."""
    settings = LayeredSettings(chosen_settings(options), _print_complaint).at(None)
    warn_of_fallback(settings)
    return settings.models.device


def fill_options(options: argparse.Namespace, root: Path | None = None) -> Settings:
    """Give a command's options that were left out the values of the settings files; all settings.

    Raises as `settings_for`.
    """
    settings = settings_for(options, root)
    options.lean, options.device = settings.lean.command, settings.models.device
    options.model, options.download = settings.model_folder, settings.model_download
    return settings
