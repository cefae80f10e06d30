"""Which folder a model's name means: a folder on this machine, or a repository of the Hugging Face hub.

A repository is `owner/name` or `hf://owner/name`, with `@revision` after it if needed; it holds what a
model folder holds (see `retriever.models.encoder`). What is in the hub's cache is used as it is, so that a model
changes only when its user says so. Nothing is fetched unless allowed, and then without the user's token.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from lean_extract.common.errors import ModelError
from lean_extract.common.files.reading import is_file, is_folder, is_there

_SCHEME = "hf://"
_FILES = ("*.json", "*.onnx", "*.npz", "README.md")
"""What a model folder needs of a repository; weights for training are left there."""
_REPOSITORY = re.compile(r"(?P<repository>[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*)(?:@(?P<revision>[\w./-]+))?")


def find_model(
    name: str, *, download: bool = False, files: Sequence[str] = _FILES, named_by: str = ""
) -> Path:
    """The folder of a model.

    Args:
        name: a folder, or a repository of the hub; where both could be meant, the folder.
        download: whether a repository that is not on this machine may be fetched.
        files: what is needed of a repository, as patterns; it is here once one of them is.
        named_by: where the name comes from, for whoever has to change it there: an environment variable.

    Raises ModelError: there is no such folder, the name is not a repository, or it is not here and cannot or
    must not be fetched.
    """
    folder = Path(name).expanduser()
    match = _REPOSITORY.fullmatch(name.removeprefix(_SCHEME))
    if not name.startswith(_SCHEME) and (match is None or is_there(folder)):
        return _existing(folder, named_by)
    if match is None:
        raise ModelError(f"{name} names no repository of the hub.", "Write hf://owner/name.")
    return _from_hub(match["repository"], match["revision"], download, files, named_by)


def _existing(folder: Path, named_by: str) -> Path:
    """The folder. Raises ModelError where there is none; its contents are checked by whoever reads it."""
    if is_folder(folder):
        return folder
    what = "is a file" if is_file(folder) else "does not exist"
    raise ModelError(
        f"The model folder {folder.absolute()}{_named(named_by)} {what}.",
        "Check its path, or give owner/name on the Hugging Face hub.",
    )


def _named(named_by: str) -> str:
    return f", which {named_by} names," if named_by else ""


def _from_hub(
    repository: str, revision: str | None, download: bool, files: Sequence[str], named_by: str
) -> Path:
    found = _snapshot(repository, revision, files, local=True)
    if isinstance(found, Path) and any(any(found.glob(pattern)) for pattern in files):
        return found
    if not download:
        there = (
            f"There is no folder {repository}{_named(named_by) or ','} and no model of that name in the "
            "hub's cache on this machine."
        )
        if isinstance(found, Path):
            there = f"Of {repository} the hub's cache on this machine has no {' or '.join(files)}."
        raise ModelError(
            there,
            "Give a model folder, or allow the download (--download, or the setting modelDownload).",
        )
    found = _snapshot(repository, revision, files, local=False)
    if isinstance(found, Path):
        return found
    reason = str(found).strip().split("\n")[0].rstrip(".")
    raise ModelError(
        f"The model {repository} could not be fetched from the hub: {type(found).__name__}: {reason}.",
        "Check its name and the network, or give a model folder.",
    ) from found


def _snapshot(
    repository: str, revision: str | None, files: Sequence[str], *, local: bool
) -> Path | Exception:
    """The repository's folder in the hub's cache, or why there is none."""
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise ModelError(
            f"{repository} is a model of the Hugging Face hub, and huggingface_hub is not installed.",
            "pip install huggingface_hub, or give a model folder.",
        ) from error
    try:
        patterns = list(files)
        return Path(
            snapshot_download(
                repository, revision=revision, allow_patterns=patterns, local_files_only=local, token=False
            )
        )
    except Exception as error:  # noqa: BLE001 - its HTTP library's own, and of many kinds over its versions
        return error
