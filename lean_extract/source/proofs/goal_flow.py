"""What a statement tells about the names that its proof introduces.

`theorem t : a ∧ b → c := fun h => ...` says that `h` is of type `a ∧ b`. The goal is followed from the
statement through `fun`, `intro`, `constructor`, anonymous constructors and focus dots, as long as it is
plain what it is; every name met on the way is noted with its type.
"""

from __future__ import annotations

from dataclasses import dataclass

from lean_extract.source.proofs.local_names import Known, LocalNames, TypedPart
from lean_extract.syntax.lexer import Tokens, is_identifier
from lean_extract.syntax.types import Range

_KEEPING = frozenset(
    ("have", "haveI", "let", "letI", "obtain", "classical", "by_cases", "rcases", "induction", "cases", "set",
     "replace", "subst", "specialize", "cases'", "induction'")
)  # fmt: skip
"""Tactics that leave the goal, or at least its form, as it is."""
_SPLITTING = frozenset(("constructor", "and_intros"))
_INTRODUCING = frozenset(("intro", "intros", "rintro"))
_GIVING = frozenset(("exact", "refine", "refine'"))
_COMMA, _BAR, _COLON = frozenset((",",)), frozenset(("|",)), frozenset((":",))
_PATTERN_OPENERS = frozenset(("⟨", "("))
_MAX_DEPTH = 60
_MAX_PARTS = 60
"""Parts of a conjunction or of a pattern, and holes of a term, that are told apart."""
_HOLE_REACH = 60
_MAX_ALTERNATIVES = 20


@dataclass(frozen=True, slots=True)
class FlowGoal:
    """What is still assumed (None: of unknown type), and what is concluded then."""

    assumed: tuple[Range | None, ...]
    concluded: Range | None


class GoalFlow:
    """Follows a goal through a proof's tokens; the result is in `types` and `at_dots`."""

    def __init__(self, tokens: Tokens, end: int, local: LocalNames) -> None:
        self.tokens, self.texts, self.end = tokens, tokens.texts, end
        self._brackets = tokens.brackets
        self._local = local
        self.types: dict[int, Known] = {}
        """For the token of a name where it is bound: its type."""
        self.at_dots: dict[int, list[tuple[str, Known]]] = {}
        """For the token of a focus dot: names that have these types behind it."""
        self.goals: dict[int, Range] = {}
        """For a token where a term or a tactic begins: the goal there, if nothing is left to introduce."""

    def goal(self, place: Range | None) -> FlowGoal:
        """A statement as a goal."""
        if place is None or place[0] >= place[1]:
            return FlowGoal((), None)
        assumed, concluded = self._local.premises(place)
        return FlowGoal(tuple(assumed), concluded)

    def term(self, place: int, goal: FlowGoal, depth: int = 0) -> None:
        """A term that begins at `place` and proves the goal."""
        if place >= self.end or depth > _MAX_DEPTH:
            return
        text = self.texts[place]
        if not goal.assumed and goal.concluded:
            self.goals[place] = goal.concluded
        if text == "by":
            self.tactics(place + 1, goal, depth + 1)
        elif text == "fun" or text == "λ":
            behind, rest = self._introduce(place + 1, goal, ("=>", "↦"))
            self.term(behind + 1, rest, depth + 1)
        elif text == "⟨":
            if parts := self.parts(goal):
                for begin, part in zip(self._components(place), parts, strict=False):
                    self.term(begin, part, depth + 1)
        elif text in ("Iff.intro", "And.intro"):
            for begin, part in zip(self._arguments(place + 1), self.parts(goal), strict=False):
                self.term(begin, part, depth + 1)
        elif text == "(":
            self.term(place + 1, goal, depth + 1)

    def parts(self, goal: FlowGoal, depth: int = 0) -> list[FlowGoal]:
        """The goals that an anonymous constructor or `constructor` leaves."""
        if goal.assumed or goal.concluded is None or depth > _MAX_PARTS:
            return []
        parts = self._local.shape(goal.concluded)
        if parts.connective == "↔":
            left, right = self.goal(parts.left), self.goal(parts.right)
            return [
                FlowGoal((parts.left, *right.assumed), right.concluded),
                FlowGoal((parts.right, *left.assumed), left.concluded),
            ]
        if parts.connective == "∧":
            rest = self.goal(parts.right)
            inner = self.parts(rest, depth + 1) if self._is_and(parts.right) else ()
            return [self.goal(parts.left), *inner, rest]
        if parts.connective == "∃":
            rest = self.goal(parts.right)
            return [*[FlowGoal((), None) for _ in parts.names], *(self.parts(rest, depth + 1) or [rest])]
        return []

    def _is_and(self, place: Range | None) -> bool:
        return place is not None and self._local.shape(place).connective == "∧"

    def _components(self, opener: int) -> list[int]:
        """Where the components of `⟨a, b⟩` begin."""
        closer = self._brackets.close(opener, self.end)
        begins = [opener + 1]
        while (comma := self._brackets.stop(begins[-1], closer, _COMMA)) < closer:
            begins.append(comma + 1)
            if len(begins) > _MAX_PARTS:
                break
        return begins

    def _arguments(self, place: int) -> list[int]:
        begins: list[int] = []
        while place < self.end and self.texts[place] in ("(", "fun"):
            begins.append(place)
            if self.texts[place] == "fun":
                break
            place = self._brackets.close(place, self.end) + 1
        return begins

    def _introduce(self, place: int, goal: FlowGoal, stops: tuple[str, ...]) -> tuple[int, FlowGoal]:
        """Bind the patterns from `place` on; where they stop, and the goal behind them."""
        assumed = goal.assumed
        taken = 0
        firsts = set(self.tokens.firsts(place, min(self.end, place + 200)))
        index = place
        while index < self.end:
            text = self.texts[index]
            if text in stops or (index in firsts and "=>" not in stops):
                break
            is_pattern = is_identifier(text) or text in _PATTERN_OPENERS or text == "_"
            if not is_pattern:
                return index, FlowGoal((), None)
            in_brackets = text in _PATTERN_OPENERS
            behind = self._brackets.close(index, self.end) + 1 if in_brackets else index + 1
            if taken < len(assumed):
                self.pattern(index, behind, assumed[taken])
                taken += 1
            elif goal.concluded is not None:
                goal = FlowGoal((), None)
            index = behind
        return index, FlowGoal(assumed[taken:], goal.concluded)

    def pattern(self, begin: int, end: int, place: Known, depth: int = 0) -> None:
        """Bind the pattern [begin, end), which stands for something of the given type."""
        if place is None or begin >= end or depth > _MAX_DEPTH:
            return
        text = self.texts[begin]
        if text == "(" and self._brackets.close(begin, end) == end - 1:
            self._alternatives(begin + 1, end - 1, place, depth + 1)
        elif text == "⟨" and self._brackets.close(begin, end) == end - 1:
            self._destructure(begin, end, place, depth + 1)
        elif end == begin + 1 and is_identifier(text):
            self.types[begin] = place
        elif self._top_level(begin, end, _BAR):
            self._alternatives(begin, end, place, depth + 1)

    def _alternatives(self, begin: int, end: int, place: Range | TypedPart, depth: int) -> None:
        """`h | h'`, or `h : T` between parentheses."""
        bars = self._top_level(begin, end, _BAR)
        if not bars:
            colon = next(iter(self._top_level(begin, end, _COLON)), end)
            self.pattern(begin, colon, place if colon == end else (colon + 1, end), depth)
            return
        known = self._opened(place)
        begins, ends = [begin, *[bar + 1 for bar in bars]], [*bars, end]
        for count, (first, last) in enumerate(zip(begins, ends, strict=True), start=1):
            if isinstance(known, TypedPart):
                part = known._replace(path=(*known.path, f"{count}|{len(begins)}"))
                self.pattern(first, last, part, depth)
                continue
            parts = self._local.shape(known)
            if parts.connective != "∨":
                self.pattern(first, last, known if count == len(begins) else None, depth)
            elif count == len(begins):
                self.pattern(first, last, known, depth)
            elif parts.left and parts.right:
                self.pattern(first, last, parts.left, depth)
                known = parts.right

    def _opened(self, place: Range | TypedPart) -> Range | TypedPart:
        """A type to take apart: one that is no connective may be a definition of one."""
        if isinstance(place, TypedPart) or self._local.shape(place).connective:
            return place
        constant = self._local.head(place)
        return TypedPart(constant) if is_identifier(constant) else place

    def _top_level(self, begin: int, end: int, wanted: frozenset[str]) -> list[int]:
        """Where a mark stands outside of brackets; the first few of very many."""
        found: list[int] = []
        while begin < end and len(found) < _MAX_PARTS:
            begin = self._brackets.stop(begin, end, wanted)
            if begin >= end or self.texts[begin] not in wanted:
                break
            found.append(begin)
            begin += 1
        return found

    def _destructure(self, opener: int, end: int, place: Range | TypedPart, depth: int) -> None:
        begins = self._components(opener)
        edges = [*[begin - 1 for begin in begins[1:]], end - 1]
        rest: Known = self._opened(place)
        for count, (begin, edge) in enumerate(zip(begins, edges, strict=True), start=1):
            if rest is None:
                return
            is_last = count == len(begins)
            if isinstance(rest, TypedPart):
                self.pattern(begin, edge, rest._replace(path=(*rest.path, f"{count}/{len(begins)}")), depth)
                continue
            first, rest = (rest, None) if is_last else self._first(rest)
            self.pattern(begin, edge, first, depth)

    def branches(self, step: int, begin: int, end: int) -> None:
        """The step at `step` splits by the alternatives of the pattern [begin, end), a focus dot for each."""
        if begin < end and self.texts[begin] == "(" and self._brackets.close(begin, end) == end - 1:
            begin, end = begin + 1, end - 1
        bars = self._top_level(begin, end, _BAR)
        if not bars:
            return
        column = self.tokens.column(step)
        dot = self._next_step(step, column)
        for first, last in zip([begin, *[bar + 1 for bar in bars]], [*bars, end], strict=True):
            if dot >= self.end or self.texts[dot] != "·":
                return
            names = [
                (self.texts[name], self.types[name]) for name in range(first, last) if name in self.types
            ]
            self.at_dots.setdefault(dot, []).extend(names)
            dot = self._next_step(dot, column)

    def _first(self, place: Range) -> tuple[Known, Known]:
        """The type of the first component of something, and of the rest."""
        parts = self._local.shape(place)
        if parts.connective in ("∧", "↔"):
            return parts.left, parts.right
        if parts.connective == "∃":
            return parts.names[0][1] if parts.names else None, parts.right if len(parts.names) <= 1 else None
        return None, None

    def tactics(self, place: int, goal: FlowGoal, depth: int = 0) -> None:
        """A tactic block whose first step begins at `place`."""
        column = self.tokens.column(place) if place < self.end else 0
        while place < self.end and depth <= _MAX_DEPTH:
            word = self.texts[place]
            if not goal.assumed and goal.concluded:
                self.goals[place] = goal.concluded
            following = self._next_step(place, column)
            if word in _INTRODUCING:
                behind, goal = self._introduce(place + 1, goal, (";", "<;>", ")", "·", "]"))
                if behind < following:
                    following = behind + 1
            elif word in _GIVING:
                self.term(place + 1, goal, depth + 1)
                self._holes(place, following, column)
                return
            elif word in _SPLITTING or self.texts[place : place + 2] == ["apply", "Iff.intro"]:
                self._dots(following, column, self.parts(goal), depth)
                return
            elif word in ("show", "change"):
                goal = self.goal((place + 1, following))
            elif word == "·":
                following = self._dots(place, column, [goal] * _MAX_ALTERNATIVES, depth)
            elif word == "|":
                self._alternative(place, goal, depth)
            elif word not in _KEEPING:
                return
            if following <= place:  # a dot that stands at no step's column
                return
            place = following

    def _next_step(self, place: int, column: int) -> int:
        """The next step of the block at this column; the proof's end if there is none."""
        first = self.tokens.lines.next_within(place + 1, self.end, column)
        return first if first < self.end and self.tokens.column(first) == column else self.end

    def _dots(self, place: int, column: int, goals: list[FlowGoal], depth: int) -> int:
        """The focus dots at this column, each with its goal; the step behind them."""
        for goal in goals:
            if place >= self.end or self.texts[place] != "·" or self.tokens.column(place) != column:
                break
            self.tactics(place + 1, goal, depth + 1)
            place = self._next_step(place, column)
        return place

    def _alternative(self, bar: int, goal: FlowGoal, depth: int) -> None:
        """`| succ n ih => ...`: an induction hypothesis is of the goal's form."""
        for index in range(bar + 1, min(self.end, bar + 30)):
            text = self.texts[index]
            if text == "=>":
                self.tactics(index + 1, goal, depth + 1)
                return
            if text[:2].lower() == "ih" and goal.concluded is not None:
                self.types[index] = goal.concluded

    def _holes(self, place: int, following: int, column: int) -> None:
        """`refine ⟨fun h => ?_, fun h => ?_⟩`: behind each focus dot the names of its own hole are meant."""
        holes = [
            index for index in range(place, following - 1) if self.texts[index : index + 2] == ["?", "_"]
        ]
        for hole in holes:
            if following >= self.end or self.texts[following] != "·":
                return
            begin = hole
            while begin > max(place, hole - _HOLE_REACH) and self.texts[begin] not in (",", "⟨"):
                begin -= 1
            names = [
                (self.texts[name], self.types[name]) for name in range(begin, hole) if name in self.types
            ]
            self.at_dots[following] = names
            following = self._next_step(following, column)
