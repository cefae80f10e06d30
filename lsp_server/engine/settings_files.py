"""The settings files `premise-suggest.toml`, of the user and of a project, and the order in which settings count."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from platformdirs import user_config_path

from lean_extract.common.files.reading import is_there, read_regular_text
from lean_extract.common.lru import Cache
from lsp_server.engine.current_files import size_and_time
from lsp_server.engine.settings import Settings, complaint, fitted, parse
from lsp_server.limits import CACHED_FILES, CAUSE_CHARACTERS, LISTED_SETTINGS, SETTINGS_FILE_BYTES

SETTINGS_FILE = "premise-suggest.toml"
RESTRICTED = (
    ("lean", "command"),
    ("lean", "replCommand"),
    ("tactics", "generator"),
    ("models", "allowHosts"),
    ("models", "keyVariable"),
    ("models", "prompts"),
    ("modelFolder",),
    ("modelDownload",),
)
"""The settings that start programs, load models or send something. A project's file, which may be anybody's, does not
set them."""
_TABLE = re.compile(r"\[\s*([\w.-]+)\s*\]")
_KEY = re.compile(r"([\w.-]+)\s*=")


def user_settings_file() -> Path:
    """The user's file, in the user's folder of configurations, whether it is there or not."""
    return user_config_path("premise-suggest", appauthor=False) / SETTINGS_FILE


class LayeredSettings:
    """The settings of each project: each of these layers counts before those above it.

    | layer | where it comes from |
    |---|---|
    | defaults | `settings.py` |
    | the user's file | `user_settings_file` |
    | the project's file | `premise-suggest.toml` in the project's root, without what is `RESTRICTED` |
    | the editor | what its user has set |
    | options | of the command line |

    Files are read again when they have changed.

    Args:
        options: values by the names that editors use, as far as options are given.
        on_complaint: called with a sentence for each value of a file or an editor that is not used.
        user: the user's file; None: where it is looked for.
    """

    def __init__(
        self,
        options: Mapping[str, Any],
        on_complaint: Callable[[str], object],
        user: Path | None = None,
    ) -> None:
        self._options = options
        self._complain = on_complaint
        self._user = user or user_settings_file()
        self._editor: Any = None
        self._known: Cache[_SettingsFile] = Cache(CACHED_FILES)

    def take_editor(self, values: Any) -> None:
        """Use the values that an editor sent."""
        _, complaints = parse(values, self._of_files(None))
        self._editor = values
        for sentence in complaints:
            self._complain(sentence)

    def at(self, root: Path | None) -> Settings:
        """The settings of the project with this root; None: of no project."""
        settings, _ = parse(self._editor, self._of_files(root))
        return fitted(self._options, settings)[0]

    def files(self, root: Path | None) -> list[Path]:
        """The files that count for a project and are there, the user's first."""
        return [path for path in self._paths(root) if is_there(path)]

    def _paths(self, root: Path | None) -> list[Path]:
        return [self._user] if root is None else [self._user, root / SETTINGS_FILE]

    def _of_files(self, root: Path | None) -> Settings:
        settings = Settings()
        for path in dict.fromkeys(self._paths(root)):
            settings = self._with_file(settings, path)
        return settings

    def _with_file(self, base: Settings, path: Path) -> Settings:
        """Settings with those of a file. If it was not read yet as it is now, complaints are made."""
        known, stamp = self._known.get(path), size_and_time(path)
        if known is not None and known.stamp == stamp:
            return fitted(known.values, base)[0]
        known = _read(path, stamp, self._user)
        self._known.put(path, known)
        settings, problems = fitted(known.values, base)
        sentences = [*known.complaints, *(known.located(one.path, complaint(one, base)) for one in problems)]
        for sentence in sentences[:LISTED_SETTINGS]:
            self._complain(sentence)
        return settings


@dataclass(frozen=True, slots=True)
class _SettingsFile:
    """A settings file as it was read, without the values that it may not set."""

    path: Path
    stamp: tuple[int, int]
    text: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    complaints: tuple[str, ...] = ()

    def located(self, name: Sequence[str], sentence: str) -> str:
        """A sentence on the setting of this name, with the file and, if it is found, the line."""
        line = _line_of(self.text, list(name))
        return f"{self.path}{f', line {line}' if line else ''}: {sentence}"


def _read(path: Path, stamp: tuple[int, int], user: Path) -> _SettingsFile:
    """A settings file; one that is missing is empty, and one that cannot be read has a complaint."""
    import tomllib  # few have such a file

    try:
        text = read_regular_text(path, SETTINGS_FILE_BYTES)
        values = tomllib.loads(text)
    except FileNotFoundError:
        return _SettingsFile(path, stamp)
    except OSError as error:
        return _SettingsFile(path, stamp, complaints=(f"{path} is not used: {error.strerror}.",))
    except UnicodeDecodeError:
        return _SettingsFile(path, stamp, complaints=(f"{path} is not used: it is not UTF-8.",))
    except (ValueError, RecursionError) as error:  # including numbers with thousands of digits
        reason = str(error)[:CAUSE_CHARACTERS].rstrip(".")
        return _SettingsFile(
            path, stamp, complaints=(f"{path} is not used, since it is not TOML: {reason}.",)
        )
    found = _SettingsFile(path, stamp, text, values)
    return found if path == user else replace(found, complaints=tuple(_restrict(found, values, user)))


def _restrict(file: _SettingsFile, values: dict[str, Any], user: Path) -> Iterator[str]:
    """Take what is restricted out of a project's values; a sentence for each."""
    for name in RESTRICTED:
        *sections, last = name
        section = values.get(sections[0]) if sections else values
        if isinstance(section, dict) and last in section:
            del section[last]
            yield file.located(
                name,
                f"{'.'.join(name)} is not taken from a project's file, since it starts programs, loads models or "
                f"sends something. Set it in {user}.",
            )


def _line_of(text: str, name: Sequence[str]) -> int | None:
    """The line, from 1, that sets a value of this name or the table around it; None if it is not found."""
    table: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if found := _TABLE.match(line.strip()):
            table = found[1].split(".")
            if table == name:
                return number
        elif found := _KEY.match(line.strip()):
            keys = [*table, *found[1].split(".")]
            if keys == name[: len(keys)]:
                return number
    return None
