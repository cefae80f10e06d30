"""One LaTeX file's statements and proofs, before their links are followed (appendix A.1)."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from retriever.documents.schema import StatementType
from retriever.limits import MAX_STATEMENT_DEPTH
from retriever.naturalproofs.readers.latex import (
    LatexEnvironment,
    LatexSource,
    bracketed,
    environments,
    lines,
    marked,
)

PROOF = "proof"
_LABEL = re.compile(r"\\label\s*\{([^{}]{0,1000})\}")
_REF = re.compile(r"\\(?:auto|c|C|name|v)?ref\*?\s*\{([^{}]*)\}")
_HREF = re.compile(r"\\href\s*\{[^{}]*\}\s*\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Rules:
    """How a source is read."""

    types: Mapping[str, StatementType]
    """Of environments (Table 15)."""
    marks: tuple[str, str] | None = None
    r"""Commands, without `\`, between which there is a proof, in addition to the environment `proof`."""
    others: frozenset[str] = frozenset()
    """Environments of what is not a statement here and may have a proof: one after it is not a theorem's."""
    label_as_title: bool = False
    chapters: bool = False
    """Whether each file is a topic, named as the category of its statements."""
    published: bool = False
    """Whether to count as the authors' scripts do: what `%` comments out is read, and of each theorem the
    first proof after it is taken that comes before the next theorem in the same environment."""
    not_linked: frozenset[str] = frozenset()
    """Words of labels; a link to a label with one of them is passed over."""


@dataclass(frozen=True, slots=True)
class Link:
    """A `\\ref`."""

    label: str
    position: int


@dataclass(frozen=True, slots=True)
class DraftProof:
    """A proof."""

    environment: LatexEnvironment
    contents: tuple[str, ...]
    links: tuple[Link, ...]
    named: tuple[Link, ...]
    r"""Links in the brackets of `\begin{proof}[...]`: which theorem this proves."""


@dataclass(eq=False, slots=True)
class Draft:
    """A statement."""

    environment: LatexEnvironment
    file: File
    title: str
    contents: tuple[str, ...]
    links: tuple[Link, ...]
    labels: frozenset[int]
    """The positions of its own."""
    label: str = ""
    proof: DraftProof | None = None


@dataclass(eq=False, slots=True)
class File:
    """What a file has, each in the order of the text."""

    stem: str
    source: LatexSource
    events: list[LatexEnvironment] = field(default_factory=list)
    """Environments of statements and proofs, also those never closed."""
    drafts: dict[LatexEnvironment, Draft] = field(default_factory=dict)
    labels: list[tuple[str, int]] = field(default_factory=list)
    """Of anything, each with its position."""


def read_file(stem: str, source: LatexSource, rules: Rules, complaints: list[str]) -> File:
    """The statements of a file, without their labels and proofs. `stem` is the file's name without suffix."""
    found = environments(source, complaints)
    file = File(stem, source)
    file.events += [one for one in found if one.name in {*rules.types, *rules.others, PROOF}]
    if rules.marks:
        file.events += _marked_proofs(source, rules.marks, file.events, complaints)
    file.events[:] = _not_too_deep(source, sorted(file.events, key=lambda one: one.start), complaints)
    starts = [one.start for one in found]
    for event in file.events:
        if event.closed and event.name in rules.types:
            inner = found[bisect_right(starts, event.start) : bisect_right(starts, event.stop)]
            file.drafts[event] = _draft(file, event, inner)
    file.labels += ((match[1].strip(), match.start()) for match in _LABEL.finditer(source.code))
    return file


def read_proof(source: LatexSource, event: LatexEnvironment) -> DraftProof:
    """The proof that an environment holds."""
    name, start = bracketed(source.code, event.inside, event.stop)
    return DraftProof(
        event,
        lines(source.text[start : event.stop]),
        tuple(_links(source, start, event.stop)),
        tuple(_links(source, event.inside, start)) if name else (),
    )


def _marked_proofs(
    source: LatexSource, marks: tuple[str, str], others: Sequence[LatexEnvironment], complaints: list[str]
) -> list[LatexEnvironment]:
    """Proofs between two commands; one that runs into another statement or proof is not closed."""
    found = []
    starts = [one.start for one in others]
    for proof in marked(source, PROOF, *marks):
        inside = bisect_right(starts, proof.start), bisect_left(starts, proof.stop)
        cut = not proof.closed or inside[0] < inside[1]
        if cut:
            complaints.append(f"{source.at(proof.start)}: \\{marks[0]} is never closed.")
        found.append(replace(proof, closed=not cut))
    return found


def _not_too_deep(
    source: LatexSource, events: Sequence[LatexEnvironment], complaints: list[str]
) -> Iterator[LatexEnvironment]:
    """The events that are inside fewer than `MAX_STATEMENT_DEPTH` others; they come in the order of the text."""
    open_: list[int] = []
    for event in events:
        while open_ and open_[-1] <= event.start:
            open_.pop()
        if len(open_) == MAX_STATEMENT_DEPTH:
            complaints.append(f"{source.at(event.start)}: \\begin{{{event.name}}} is nested too deeply.")
            continue
        if event.closed:
            open_.append(event.stop)
        yield event


def _draft(file: File, event: LatexEnvironment, inner: Sequence[LatexEnvironment]) -> Draft:
    """A statement; `inner` are the environments within it. Its labels are those in none of them."""
    source = file.source
    title, start = bracketed(source.text, event.inside, event.stop)
    starts, ends = [one.start for one in inner], list(accumulate((one.end for one in inner), max, initial=0))
    own = tuple(
        match
        for match in _LABEL.finditer(source.code, start, event.stop)
        if ends[bisect_left(starts, match.start())] <= match.start()
    )
    return Draft(
        event,
        file,
        " ".join(_HREF.sub(r"\1", title).split()),
        lines(_without(source.text, start, event.stop, own)),
        tuple(_links(source, event.inside, event.stop)),
        frozenset(match.start() for match in own),
    )


def _links(source: LatexSource, start: int, stop: int) -> Iterator[Link]:
    for match in _REF.finditer(source.code, start, stop):
        for label in match[1].split(","):
            if label.strip():
                yield Link(label.strip(), match.start())


def _without(text: str, start: int, stop: int, left_out: Iterable[re.Match[str]]) -> str:
    parts = []
    for match in left_out:
        parts.append(text[start : match.start()])
        start = match.end()
    return "".join(parts) + text[start:stop]
