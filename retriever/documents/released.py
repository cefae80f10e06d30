"""One statement of a released file, from plain JSON: read, and everything wrong with it described with its location.

The keys are the variables of appendix D; `toplevel_categories` and `recursive_categories` come from A.2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from lean_extract.common.files.json_text import shown
from retriever.documents.schema import DocumentProof, Statement, StatementType

_NEEDED = ("id", "type", "label", "title", "contents", "refs", "ref_ids")
_OPTIONAL = ("proofs", "categories", "toplevel_categories", "recursive_categories")
_PROOF_KEYS = ("contents", "refs", "ref_ids")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LayoutProblem:
    """Something wrong in a file."""

    location: str
    """Where, as a path of keys and numbers from 0: `dataset.theorems[3].ref_ids[0]`."""
    text: str
    harmless: bool = False
    """Whether nothing is lost by reading on, as with a key that is not used."""

    def __str__(self) -> str:
        return f"{self.location}: {self.text}"


def read_statement(
    plain: object, kind: StatementType, location: str, problems: list[LayoutProblem]
) -> Statement | None:
    """The statement that `plain` is; None where it lacks what a statement needs.

    A part that is wrong is described in `problems` and left out.
    """
    item = _record(plain, _NEEDED, _OPTIONAL, location, problems)
    if item is None:
        return None
    type_name = item["type"]
    if type_name != kind:
        problems.append(
            LayoutProblem(f"{location}.type", f"is {_shown(type_name)} in the list of the type {kind!r}")
        )
    number = _whole(item["id"], f"{location}.id", problems)
    label = _text(item["label"], f"{location}.label", problems)
    title = _text(item["title"], f"{location}.title", problems)
    if number is None or label is None or title is None or type_name != kind:
        return None
    if kind == "theorem" and "proofs" not in item:
        problems.append(LayoutProblem(location, "lacks the key 'proofs', which a theorem has"))
    return Statement(
        id=number,
        type=kind,
        label=label,
        title=title,
        contents=_texts(item, "contents", location, problems),
        refs=_texts(item, "refs", location, problems),
        ref_ids=_each(item["ref_ids"], _whole, f"{location}.ref_ids", problems),
        proofs=_each(item.get("proofs", []), _proof, f"{location}.proofs", problems),
        categories=_texts(item, "categories", location, problems),
        toplevel_categories=_texts(item, "toplevel_categories", location, problems),
        recursive_categories=_texts(item, "recursive_categories", location, problems),
    )


def whole_numbers(plain: object, location: str, problems: list[LayoutProblem]) -> tuple[int, ...]:
    """The whole numbers of a list; what is none is described in `problems` and left out."""
    return _each(plain, _whole, location, problems)


def pairs(plain: object, location: str, problems: list[LayoutProblem]) -> tuple[tuple[int, int], ...]:
    """The pairs of whole numbers of a list, likewise."""
    return _each(plain, _pair, location, problems)


def _proof(plain: object, location: str, problems: list[LayoutProblem]) -> DocumentProof:
    """A proof; an empty one where it cannot be read, since splits name proofs by their number."""
    item = _record(plain, _PROOF_KEYS, (), location, problems)
    if item is None:
        return DocumentProof(())
    return DocumentProof(
        contents=_texts(item, "contents", location, problems),
        refs=_texts(item, "refs", location, problems),
        ref_ids=_each(item["ref_ids"], _whole, f"{location}.ref_ids", problems),
    )


def _record(
    plain: object,
    needed: tuple[str, ...],
    optional: tuple[str, ...],
    location: str,
    problems: list[LayoutProblem],
) -> dict[str, object] | None:
    if not isinstance(plain, dict):
        problems.append(LayoutProblem(location, f"is {_shown(plain)}, not an object"))
        return None
    for key in sorted(plain.keys() - {*needed, *optional}):
        problems.append(
            LayoutProblem(location, f"has the key {key!r}, which is not of this layout", harmless=True)
        )
    missing = [key for key in needed if key not in plain]
    for key in missing:
        problems.append(LayoutProblem(location, f"lacks the key {key!r}"))
    return None if missing else plain


def _each(
    plain: object,
    read: Callable[[object, str, list[LayoutProblem]], T | None],
    location: str,
    problems: list[LayoutProblem],
) -> tuple[T, ...]:
    if not isinstance(plain, list):
        problems.append(LayoutProblem(location, f"is {_shown(plain)}, not a list"))
        return ()
    found = (read(item, f"{location}[{number}]", problems) for number, item in enumerate(plain))
    return tuple(item for item in found if item is not None)


def is_text(text: str) -> bool:
    """Whether a text can be written as UTF-8, which JSON's escapes of half a character cannot."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _texts(
    item: dict[str, object], key: str, location: str, problems: list[LayoutProblem]
) -> tuple[str, ...]:
    return _each(item.get(key, []), _text, f"{location}.{key}", problems)


def _text(plain: object, location: str, problems: list[LayoutProblem]) -> str | None:
    if isinstance(plain, str):
        if is_text(plain):
            return plain
        problems.append(LayoutProblem(location, "has half a character (a lone surrogate), which is not text"))
        return None
    problems.append(LayoutProblem(location, f"is {_shown(plain)}, not text"))
    return None


def _whole(plain: object, location: str, problems: list[LayoutProblem]) -> int | None:
    if isinstance(plain, int) and not isinstance(plain, bool):
        return plain
    problems.append(LayoutProblem(location, f"is {_shown(plain)}, not a whole number"))
    return None


def _pair(plain: object, location: str, problems: list[LayoutProblem]) -> tuple[int, int] | None:
    if not isinstance(plain, list) or len(plain) != 2:
        problems.append(LayoutProblem(location, f"is {_shown(plain)}, not a pair of whole numbers"))
        return None
    numbers = _each(plain, _whole, location, problems)
    return (numbers[0], numbers[1]) if len(numbers) == 2 else None


def _shown(plain: object) -> str:
    """A value in a message: what it is, short."""
    if plain is None:
        return "null"
    if isinstance(plain, dict):
        return "an object"
    if isinstance(plain, list):
        return f"a list of {len(plain)}"
    return shown(plain)
