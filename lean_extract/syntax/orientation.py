"""Gives every relation one direction: `a ≥ b` becomes `b ≤ a`, `¬a = b` becomes `a ≠ b`, `¬a ≤ b` becomes `b < a`.

Lean identifies the first two pairs by unfolding. The last equivalence holds in linear orders only; it is not
applied next to `↔`, since some lemmas state exactly this equivalence. `∃ ε > 0, p` becomes `∃ ε, 0 < ε ∧ p`. It works
on text alone, in linear time, and not on trees: the encoder was trained on exactly this spelling.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from lean_extract.syntax.brackets import PAIR_DEPTH
from lean_extract.syntax.operators import CORE, MIRRORED

_NEGATION = {"=": ("≠", False), "∈": ("∉", False), "≤": ("<", True), "<": ("≤", True)}
"""The relation that is equivalent to the negation, and whether its sides are swapped."""
_RELATIONS = frozenset("=≠≤<≥>∈∉∋⊆⊂⊇⊃∣≡≈∼⋖⊊⊋")
_BINDERS = frozenset("∀∃λ") | {"∃!", "fun"}
_BIG_OPERATORS = frozenset("∑∏⨆⨅⋃⋂∫")
_DEEPEST = 64
"""Text with more levels of nested brackets is left unchanged."""
_LARGEST_BOUND = 4096
"""`∃ x y z > t, p` is left unchanged if repeating `t` for each name takes more pieces than this."""
_BOUNDARIES = frozenset("∧∨→↔¬,:;↦") | {":=", "<|", "by", "then", "else", "if", "in"} | _BINDERS
_CORE = "|".join(map(re.escape, sorted(CORE, key=len, reverse=True)))
_PIECE = re.compile(rf"(?<!\s)\s*+((?:[^\W\d]|«[^«»]*»)[\w.'!?]*|\d+|∃!|:=|<\||{_CORE}|\S)")
_TO_ORIENT = re.compile(r"[≥>⊇⊃∋⊋¬]")


@dataclass(slots=True)
class _Frame:
    """The pieces between two brackets. Each inner pair of brackets is one piece."""

    opener: str = ""
    pieces: list[str] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    """The white space before each piece."""
    inner: dict[int, list[str]] = field(default_factory=dict)
    """The contents of the pieces in round brackets, by index."""

    def add(self, piece: str, gap: str) -> None:
        """Append a piece."""
        self.pieces.append(piece)
        self.gaps.append(gap)


def oriented(text: str) -> str:
    """The text with every relation in its canonical direction; unchanged if all are."""
    if not _TO_ORIENT.search(text):
        return text
    frames = [_Frame()]
    end = 0
    for found in _PIECE.finditer(text):
        piece, gap = found[1], text[end : found.start(1)]
        end = found.end()
        step = PAIR_DEPTH.get(piece, 0)
        if step > 0:
            if len(frames) > _DEEPEST:
                return text
            frames.append(_Frame(piece))
            frames[-2].gaps.append(gap)
        elif step < 0 and len(frames) > 1:
            _close(frames, f"{gap}{piece}")
        else:
            frames[-1].add(piece, gap)
    while len(frames) > 1:
        _close(frames, "")
    return _joined(*_oriented_frame(frames[0])) + text[end:]


def _close(frames: list[_Frame], closer: str) -> None:
    frame = frames.pop()
    pieces, gaps = _oriented_frame(frame)
    outer = frames[-1]
    if frame.opener == "(":
        outer.inner[len(outer.pieces)] = pieces
    outer.pieces.append(f"{frame.opener}{_joined(pieces, gaps)}{closer}")


def _joined(pieces: Sequence[str], gaps: Sequence[str]) -> str:
    return "".join(part for pair in zip(gaps, pieces, strict=True) for part in pair)


def _oriented_frame(frame: _Frame) -> tuple[list[str], list[str]]:
    """The pieces of a frame and their gaps, with its relations in their canonical direction."""
    frame = _gathered(frame)
    bar = frame.pieces.index("|") if frame.opener == "{" and "|" in frame.pieces else -1
    pieces: list[str] = []
    gaps: list[str] = []
    has_iff = "↔" in frame.pieces
    start = 0
    while start < len(frame.pieces):
        stop = _stop(frame.pieces, start, bar)
        before = frame.pieces[start - 1] if start else ""
        run = _Run(frame.pieces[start:stop], frame.gaps[start:stop])
        if before in ("∀", "∃") and run.bounds(frame.pieces[stop : stop + 1]):
            new = run.as_binder(before)
            stop += 1
        elif before == "¬" and stop == start + 1 and (single := _plain(frame, start)):
            new = _negated(_Run(single, [" "] * len(single)), gaps, pieces, has_iff) or run.mirrored()
        elif before == "¬":
            new = _negated(run, gaps, pieces, has_iff) or run.mirrored()
        else:
            new = run.mirrored()
        pieces += new[0]
        gaps += new[1]
        if stop < len(frame.pieces):
            pieces.append(frame.pieces[stop])
            gaps.append(frame.gaps[stop])
        start = stop + 1
    return pieces, gaps


def _plain(frame: _Frame, index: int) -> list[str] | None:
    """The contents of a piece in round brackets, if they contain no connective; otherwise None."""
    inner = frame.inner.get(index)
    return None if inner is None or _BOUNDARIES.intersection(inner) else inner


def _gathered(frame: _Frame) -> _Frame:
    """The frame with each big operator, its binder and the comma merged to one piece: `∑ i ∈ s,`."""
    if not _BIG_OPERATORS.intersection(frame.pieces):
        return frame
    found = _Frame(frame.opener)
    binder: list[str] = []
    for index, (piece, gap) in enumerate(zip(frame.pieces, frame.gaps, strict=True)):
        if binder:
            binder += [gap, piece]
            if piece == ",":
                found.pieces[-1], binder = "".join(binder), []
            continue
        if index in frame.inner:
            found.inner[len(found.pieces)] = frame.inner[index]
        found.add(piece, gap)
        if piece in _BIG_OPERATORS:
            binder = [piece]
    if binder:
        found.pieces[-1] = "".join(binder)
    return found


def _stop(pieces: Sequence[str], start: int, bar: int) -> int:
    for index in range(start, len(pieces)):
        if pieces[index] in _BOUNDARIES or index == bar:
            return index
    return len(pieces)


def _negated(
    run: _Run, gaps: list[str], pieces: list[str], has_iff: bool
) -> tuple[list[str], list[str]] | None:
    """The run with the `¬` before it removed; None if the `¬` has to stay."""
    at = run.relation()
    if at is None:
        return None
    relation = run.pieces[at]
    if relation in MIRRORED:
        mirrored = _Run(*run.mirrored())
        return _negated(mirrored, gaps, pieces, has_iff)
    opposite = _NEGATION.get(relation)
    if opposite is None or (opposite[1] and has_iff):
        return None
    pieces.pop()
    gap = gaps.pop()
    found = run.with_relation(at, *opposite)
    return found[0], [gap, *found[1][1:]]


@dataclass(slots=True)
class _Run:
    """Consecutive pieces without a connective among them."""

    pieces: list[str]
    gaps: list[str]

    def relation(self) -> int | None:
        """The index of the only relation, which has two sides; None if there is none or more than one."""
        positions = [index for index, piece in enumerate(self.pieces) if piece in _RELATIONS]
        if len(positions) != 1 or not 0 < positions[0] < len(self.pieces) - 1:
            return None
        return positions[0]

    def mirrored(self) -> tuple[list[str], list[str]]:
        """The run with `≤` for `≥` and the sides swapped."""
        at = self.relation()
        if at is None or self.pieces[at] not in MIRRORED:
            return self.pieces, self.gaps
        return self.with_relation(at, MIRRORED[self.pieces[at]], True)

    def with_relation(self, at: int, relation: str, swaps_sides: bool) -> tuple[list[str], list[str]]:
        """The run with another relation, and with its sides swapped if `swaps_sides`."""
        left, right = self.pieces[:at], self.pieces[at + 1 :]
        gaps = list(self.gaps)
        if not swaps_sides:
            return [*left, relation, *right], gaps
        inner_left, inner_right = gaps[1:at], gaps[at + 2 :]
        between = gaps[at] or " ", gaps[at + 1] or " "
        return [*right, relation, *left], [gaps[0], *inner_right, between[0], between[1], *inner_left]

    def bounds(self, then: Sequence[str]) -> bool:
        """Whether this is `ε > 0` in `∃ ε > 0, p`."""
        at = self.relation()
        if at is None or self.pieces[at] not in (">", "≥") or list(then) != [","]:
            return False
        return at * (len(self.pieces) - at) <= _LARGEST_BOUND

    def as_binder(self, binder: str) -> tuple[list[str], list[str]]:
        """`ε, 0 < ε ∧` for `ε > 0,` after `∃`; after `∀`, with `→`."""
        at = self.relation()
        assert at is not None
        names, bound = self.pieces[:at], self.pieces[at + 1 :]
        relation = MIRRORED[self.pieces[at]]
        connective = "∧" if binder == "∃" else "→"
        pieces, gaps = [*names, ","], [*self.gaps[:at], ""]
        for name in names:
            pieces += [*bound, relation, name, connective]
            gaps += [" ", *self.gaps[at + 2 :], " ", " ", " "]
        return pieces, gaps
