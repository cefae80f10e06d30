"""The records that every part speaks: frozen dataclasses, and the JSONL they are written as.

Positions inside the program count lines and columns from 0, columns in Unicode code points.
The language server converts to UTF-16 units, and the command line to counting from 1, at their rim.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

from lean_extract.errors import BadRecords
from lean_extract.files.atomic import replacing
from lean_extract.files.json_text import parse_json
from lean_extract.files.reading import open_regular
from lean_extract.files.typed_json import from_json as from_json

FORMAT = "premise-suggest-records"
VERSION = 1


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a document; both numbers count from 0, columns in code points."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of a document."""

    start: Position
    end: Position


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One line of a printed context: `a b : T` or `x : T := v`. An instance may be unnamed."""

    names: tuple[str, ...]
    type: str
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Goal:
    """One goal: its context, its target, and its `case` tag if Lean printed one."""

    hypotheses: tuple[Hypothesis, ...]
    target: str
    case: str | None = None


@dataclass(frozen=True, slots=True)
class ProofState:
    """All goals at a position, the main one first. No goals: the proof is complete."""

    goals: tuple[Goal, ...]


@dataclass(frozen=True, slots=True)
class Premise:
    """A declaration that a proof may use.

    `context` holds the binders as written (`{G : Type*}`, `[Group G]`, `(a b : G)`), included
    variables first, then the declaration's own; `conclusion` what follows the colon. Both have
    white space folded. `kind` is Lean's keyword (`theorem`, `lemma`, `def`, `instance`, ...), or
    `field` / `constructor` for what a structure or inductive type declares.
    """

    name: str
    kind: str
    module: str
    context: tuple[str, ...] = ()
    conclusion: str = ""
    span: Span | None = None
    doc: str | None = None
    attributes: tuple[str, ...] = ()
    is_private: bool = False
    is_protected: bool = False
    generated_by: str | None = None
    """The attribute that made it (`to_additive`, `to_dual`, `simps`, ...), if it has no source of its own."""
    generated_from: str | None = None
    """The declaration that carries that attribute."""
    has_sorry: bool = False
    """Whether its own text, as written, has a `sorry` or `admit`."""
    exported_as: str | None = None
    """The full name that an `export` of its own file gives it too: `zero_mul` for `MulZeroClass.zero_mul`."""

    @property
    def written(self) -> str:
        """The name as people write it; `name` is what the premise is known by."""
        return self.exported_as or self.name

    @property
    def statement(self) -> str:
        """The signature without keyword and name: binders, then `: conclusion`."""
        binders = " ".join(self.context)
        return f"{binders} : {self.conclusion}".strip() if self.conclusion else binders


@dataclass(frozen=True, slots=True)
class TacticStep:
    """One tactic of a proof (section 3.1.1).

    Where only text was read there is no state, or, where the extraction was asked for them and the text
    determines it, the main goal before the step.
    """

    tactic: str
    span: Span | None = None
    premises: tuple[str, ...] = ()
    before: ProofState | None = None
    after: ProofState | None = None
    origin: str | None = None
    """What a state that was read from text is known from: `start`, `have`, `intro`, ...; `PRINTED`,
    `PRINTED_IN_PART` where Lean printed the target."""


@dataclass(frozen=True, slots=True)
class InnerGoal:
    """A goal stated inside a proof (`have`, `show`, `suffices`, `calc`), with what its own proof uses."""

    keyword: str
    conclusion: str
    context: tuple[str, ...] = ()
    premises: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proof:
    """How a theorem is proved: every premise of the whole proof, in order of first use, and the steps."""

    theorem: str
    module: str
    premises: tuple[str, ...] = ()
    steps: tuple[TacticStep, ...] = ()
    inner_goals: tuple[InnerGoal, ...] = ()
    is_tactic: bool = False
    terms: tuple[TacticStep, ...] = ()
    """Goals that a term proves, each as the step `exact term`; only where known states were asked for."""


@dataclass(frozen=True, slots=True)
class Import:
    """One line of a module's header."""

    module: str
    is_public: bool = False
    is_meta: bool = False
    is_all: bool = False


@dataclass(frozen=True, slots=True)
class Module:
    """A source file: its name, what it imports, and the package and revision it belongs to."""

    name: str
    path: str
    imports: tuple[Import, ...] = ()
    package: str | None = None
    in_module_system: bool = False


@dataclass(frozen=True, slots=True)
class FileProblem:
    """Something a reader could not make sense of; reading goes on behind it."""

    path: str
    position: Position
    message: str


TacticStatus = Literal["closes", "progress", "unjudged", "fails", "timeout"]


@dataclass(frozen=True, slots=True)
class TacticOutcome:
    """What Lean said of one tactic.

    `unjudged`: Lean accepts it, but an error above may have changed the goal; `message` names the line.
    `state` is what remains: set for `closes` (empty), `progress` and `unjudged`. `instead`: a tactic that
    does the same without what Lean's linters call needless. `remark`: what a linter still has against it.
    """

    tactic: str
    status: TacticStatus
    state: ProofState | None = None
    message: str = ""
    milliseconds: float = 0.0
    instead: str = ""
    remark: str = ""

    @property
    def shown(self) -> str:
        """The tactic to write."""
        return self.instead or self.tactic


PRINTED, PRINTED_IN_PART = "comment", "comment-truncated"
"""The origins of steps with a target that Lean printed; of the second kind only its beginning is known."""

Record = Module | Premise | Proof | FileProblem
_TYPES: dict[str, type[Any]] = {
    "module": Module,
    "premise": Premise,
    "proof": Proof,
    "problem": FileProblem,
}
_TAGS = {record_type: tag for tag, record_type in _TYPES.items()}


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a records file."""

    source: str
    """`text` (the source reader) or `lean` (real elaboration)."""
    revision: str = ""
    """What was read: a commit, a version or a content hash."""


def to_json(record: object) -> dict[str, Any]:
    """A record as plain JSON values; fields at their default are left out."""
    values: dict[str, Any] = {}
    for name, default in _defaults(cast(Hashable, type(record))):
        value = getattr(record, name)
        if value != default:
            values[name] = _plain(value)
    return values


@cache
def _defaults(record_type: Hashable) -> tuple[tuple[str, Any], ...]:
    return tuple((field.name, field.default) for field in fields(cast(Any, record_type)))


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        return to_json(value)
    return value


def write_records(path: Path, header: Header, records: Iterable[Record]) -> int:
    """Write a records file atomically; returns how many records it holds."""
    count = 0
    # One encoder for all lines; it writes tuples as they are and asks `_shallow` about the rest.
    encode = json.JSONEncoder(ensure_ascii=False, check_circular=False, default=_shallow).encode
    with replacing(path) as stream:
        first = {"format": FORMAT, "version": VERSION, **asdict(header)}
        stream.write(encode(first) + "\n")
        for record in records:
            stream.write(encode({"type": _TAGS[type(record)], **_shallow(record)}) + "\n")
            count += 1
    return count


def _shallow(record: object) -> dict[str, Any]:
    """As `to_json`, the values of the fields left as they are."""
    if isinstance(record, Span):  # half of all values: written in one go
        start, end = record.start, record.end
        return {
            "start": {"line": start.line, "column": start.column},
            "end": {"line": end.line, "column": end.column},
        }
    required, optional = _fields_of(cast(Hashable, type(record)))
    values = {name: getattr(record, name) for name in required}
    for name, default in optional:
        value = getattr(record, name)
        # `is` first: comparing a record with None is slow, and there are millions of them
        if value is not default and (default is None or value != default):
            values[name] = value
    return values


@cache
def _fields_of(record_type: Hashable) -> tuple[tuple[str, ...], tuple[tuple[str, Any], ...]]:
    """The fields that have no default, and the others with theirs, in order."""
    defaults = _defaults(record_type)
    required = tuple(name for name, default in defaults if default is MISSING)
    return required, tuple((name, default) for name, default in defaults if default is not MISSING)


def read_header(path: Path) -> Header:
    """The header of a records file. Raises BadRecords when there is none, or of another format or version."""
    with _opened(path) as stream:
        return _parse_header(path, stream.readline())


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with open_regular(path) as stream:
            yield stream
    except OSError as error:
        raise BadRecords(f"{path} cannot be read: {error.strerror}.", "Name a records file.") from error


def _parse_header(path: Path, line: bytes) -> Header:
    try:
        first = parse_json(line)
        if first["format"] != FORMAT or first["version"] != VERSION:
            raise BadRecords(
                f"{path} is {first['format']} {first['version']}, not {FORMAT} {VERSION}.",
                "Extract it again with this version.",
            )
        return Header(first["source"], first["revision"])
    except (ValueError, KeyError, TypeError) as error:
        raise BadRecords(f"{path} does not begin with a records header.", "Extract it again.") from error


def read_records(path: Path, on_bad: list[str] | None = None) -> Iterator[Record]:
    """The records of a file, in order.

    A malformed line is described in `on_bad` (line number, what is wrong) and passed over; without
    that list it raises BadRecords.
    """
    with _opened(path) as stream:
        _parse_header(path, stream.readline())
        for number, line in enumerate(stream, start=2):
            try:
                record = _parse_record(line)
            except (ValueError, TypeError) as error:
                complaint = f"{path}:{number}: not a record: {error}"
                if on_bad is None:
                    raise BadRecords(complaint, "Extract the file again.") from error
                on_bad.append(complaint)
                continue
            yield record


def _parse_record(line: bytes) -> Record:
    values = parse_json(line.rstrip(b"\r\n"))
    tag = values.pop("type", None) if isinstance(values, dict) else None
    if tag not in _TYPES:
        raise ValueError(f"its type is {tag!r}, none of {', '.join(_TYPES)}")
    return cast(Record, from_json(_TYPES[tag], values))
