"""A released file from plain JSON: read, and everything wrong with it described with its location.

The keys are the variables of appendix D; `toplevel_categories` and `recursive_categories` come from A.2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from lean_extract.common.files.json_text import shown
from retriever.documents.schema import Corpus, DocumentProof, Example, Split, Splits, Statement, StatementType

LISTS: Mapping[str, StatementType] = {"theorems": "theorem", "definitions": "definition", "others": "other"}
"""The lists of a dataset, and the type of what is in each."""
PARTS = ("train", "valid", "test")
_NEEDED = ("id", "type", "label", "title", "contents", "refs", "ref_ids")
_OPTIONAL = ("proofs", "categories", "toplevel_categories", "recursive_categories")
_PROOF_KEYS = ("contents", "refs", "ref_ids")

T = TypeVar("T")
_Placed = tuple[str, Statement]
"""A statement and its location in the file."""


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


class LayoutReader:
    """Reads the parts of a file; a part that is wrong is described in `problems` and left out."""

    def __init__(self) -> None:
        self.problems: list[LayoutProblem] = []

    def corpus(self, dataset: Mapping[str, Any]) -> Corpus:
        """The statements of a dataset, which has all of `LISTS`."""
        first: dict[int, _Placed] = {}
        read = [one for key in LISTS for one in self._statements(dataset[key], key)]
        for location, statement in read:
            if statement.id in first:
                text = f"is {statement.id}, which is the id of {first[statement.id][0]} too"
                self._add(f"{location}.id", text)
            else:
                first[statement.id] = (location, statement)
        linked = self._linked(list(first.values()))
        corpus = Corpus(*(tuple(one for one in linked if one.type == kind) for kind in LISTS.values()))
        theorems = {theorem.id for theorem in corpus.theorems}
        location = "dataset.retrieval_examples"
        for number in self._each(dataset.get("retrieval_examples", []), self._whole, location):
            if number not in theorems:
                self._add(location, f"names {number}, which is the id of no theorem")
        return corpus

    def splits(self, plain: Mapping[str, Any], corpus: Corpus) -> Splits:
        """The splits of a corpus; `plain` has all of `PARTS`, each with `ref_ids` and `examples`."""
        known = {statement.id for statement in corpus.statements}
        proofs = {theorem.id: theorem.proofs for theorem in corpus.theorems}
        taken: dict[Example, str] = {}

        def is_sound(example: Example, name: str) -> bool:
            location, named = f"splits.{name}.examples", f"names {list(example)}"
            theorem, number = example
            if not 0 <= number < len(proofs.get(theorem, ())):
                self._add(location, f"{named}, which is not a proof")
            elif not proofs[theorem][number].ref_ids:
                self._add(location, f"{named}, a proof without references", harmless=True)
            elif example in taken:
                self._add(location, f"{named}, which is in {taken[example]}, too")
            else:
                taken[example] = name
                return True
            return False

        def split(name: str) -> Split:
            location = f"splits.{name}"
            ids = self._each(plain[name]["ref_ids"], self._whole, f"{location}.ref_ids")
            examples = self._each(plain[name]["examples"], self._pair, f"{location}.examples")
            for target in ids:
                if target not in known:
                    self._add(f"{location}.ref_ids", f"names {target}, the id of nothing")
            return Split(
                tuple(example for example in examples if is_sound(example, name)),
                tuple(target for target in ids if target in known),
            )

        return Splits(*map(split, PARTS))

    def _add(self, location: str, text: str, *, harmless: bool = False) -> None:
        self.problems.append(LayoutProblem(location, text, harmless))

    def _statements(self, plain: list[object], key: str) -> list[_Placed]:
        read = ((f"dataset.{key}[{number}]", item) for number, item in enumerate(plain))
        found = ((where, self._statement(item, LISTS[key], where)) for where, item in read)
        return [(where, statement) for where, statement in found if statement is not None]

    def _statement(self, plain: object, kind: StatementType, location: str) -> Statement | None:
        """The statement that `plain` is; None where it lacks what a statement needs."""
        item = self._record(plain, _NEEDED, _OPTIONAL, location)
        if item is None:
            return None
        type_name = item["type"]
        if type_name != kind:
            self._add(f"{location}.type", f"is {_shown(type_name)} in the list of the type {kind!r}")
        number = self._whole(item["id"], f"{location}.id")
        label = self._text(item["label"], f"{location}.label")
        title = self._text(item["title"], f"{location}.title")
        if number is None or label is None or title is None or type_name != kind:
            return None
        if kind == "theorem" and "proofs" not in item:
            self._add(location, "lacks the key 'proofs', which a theorem has")

        def texts(key: str) -> tuple[str, ...]:
            return self._each(item.get(key, []), self._text, f"{location}.{key}")

        return Statement(
            id=number,
            type=kind,
            label=label,
            title=title,
            contents=texts("contents"),
            refs=texts("refs"),
            ref_ids=self._each(item["ref_ids"], self._whole, f"{location}.ref_ids"),
            proofs=self._each(item.get("proofs", []), self._proof, f"{location}.proofs"),
            categories=texts("categories"),
            toplevel_categories=texts("toplevel_categories"),
            recursive_categories=texts("recursive_categories"),
        )

    def _proof(self, plain: object, location: str) -> DocumentProof:
        """A proof; an empty one where it cannot be read, since splits name proofs by their number."""
        item = self._record(plain, _PROOF_KEYS, (), location)
        if item is None:
            return DocumentProof(())
        return DocumentProof(
            contents=self._each(item["contents"], self._text, f"{location}.contents"),
            refs=self._each(item["refs"], self._text, f"{location}.refs"),
            ref_ids=self._each(item["ref_ids"], self._whole, f"{location}.ref_ids"),
        )

    def _linked(self, placed: list[_Placed]) -> list[Statement]:
        """The statements, without ids that lead nowhere."""
        ids: dict[str, set[int]] = {}
        for _, statement in placed:
            ids.setdefault(statement.label, set()).add(statement.id)
        known = {statement.id for _, statement in placed}

        def links(one: Statement | DocumentProof, location: str) -> tuple[int, ...]:
            for number, target in enumerate(one.ref_ids):
                if target not in known:
                    self._add(f"{location}.ref_ids[{number}]", f"is {target}, the id of nothing")
            kept = tuple(target for target in one.ref_ids if target in known)
            labelled = [ids[label] for label in one.refs if label in ids]
            fits = len(labelled) == len(kept) and all(map(set.__contains__, labelled, kept))
            if len(kept) == len(one.ref_ids) and not fits:
                self._add(location, "has ref_ids that are not the ids of its refs")
            return kept

        return [
            replace(
                statement,
                ref_ids=links(statement, location),
                proofs=tuple(
                    replace(proof, ref_ids=links(proof, f"{location}.proofs[{number}]"))
                    for number, proof in enumerate(statement.proofs)
                ),
            )
            for location, statement in placed
        ]

    def _record(
        self, plain: object, needed: tuple[str, ...], optional: tuple[str, ...], location: str
    ) -> dict[str, object] | None:
        if not isinstance(plain, dict):
            self._add(location, f"is {_shown(plain)}, not an object")
            return None
        for key in sorted(plain.keys() - {*needed, *optional}):
            self._add(location, f"has the key {key!r}, which is not of this layout", harmless=True)
        missing = [key for key in needed if key not in plain]
        for key in missing:
            self._add(location, f"lacks the key {key!r}")
        return None if missing else plain

    def _each(self, plain: object, read: Callable[[object, str], T | None], location: str) -> tuple[T, ...]:
        if not isinstance(plain, list):
            self._add(location, f"is {_shown(plain)}, not a list")
            return ()
        found = (read(item, f"{location}[{number}]") for number, item in enumerate(plain))
        return tuple(item for item in found if item is not None)

    def _text(self, plain: object, location: str) -> str | None:
        if isinstance(plain, str) and is_text(plain):
            return plain
        half = "has half a character (a lone surrogate), which is not text"
        self._add(location, half if isinstance(plain, str) else f"is {_shown(plain)}, not text")
        return None

    def _whole(self, plain: object, location: str) -> int | None:
        if isinstance(plain, int) and not isinstance(plain, bool):
            return plain
        self._add(location, f"is {_shown(plain)}, not a whole number")
        return None

    def _pair(self, plain: object, location: str) -> Example | None:
        if not isinstance(plain, list) or len(plain) != 2:
            self._add(location, f"is {_shown(plain)}, not a pair of whole numbers")
            return None
        numbers = self._each(plain, self._whole, location)
        return (numbers[0], numbers[1]) if len(numbers) == 2 else None


def is_text(text: str) -> bool:
    """Whether a text can be written as UTF-8, which JSON's escapes of half a character cannot."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _shown(plain: object) -> str:
    """A value in a message: what it is, short."""
    if plain is None:
        return "null"
    if isinstance(plain, dict):
        return "an object"
    return f"a list of {len(plain)}" if isinstance(plain, list) else shown(plain)
