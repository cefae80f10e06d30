"""The proof states that a proof's text determines, with no Lean at hand.

A theorem's start; what `have`, `show`, `suffices`, `calc` state; and what `intro`, `rintro`, `constructor`,
`refine ⟨?_, ?_⟩`, `left`, `right`, `by_cases`, `by_contra`, `exfalso`, `obtain` make of a goal whose shape is
plain. Behind any other tactic (`rw`, `simp`, ...) the target is not known until the proof states one again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lean_extract.source.budget import MAX_FACTS, Budget
from lean_extract.source.proofs.inner_goals import StatedGoal, layout_end, stated_goals
from lean_extract.source.proofs.propositions import (
    Sequent,
    conjuncts,
    destructured,
    disjunct,
    introduced,
    top_level,
)
from lean_extract.syntax.keywords import KEYWORDS
from lean_extract.syntax.lexer import Tokens, is_plain_name, raw_tokens

_MAX_DEPTH = 40
_MOST_WORK = 50_000, 60
"""Characters of the states that are looked at, and how many for each character of the proof."""
_BINDER = 20
"""Characters that a binder counts for."""
_COMMA = frozenset((",",))
_KEEPING = frozenset(("classical", "skip"))
_LONG = frozenset(
    ("fun", "λ", "calc", "match", "have", "let", "if", "show", "haveI", "letI", "suffices", "|")
)
"""Terms that are noted by their parts, or not at all."""
_HAVES = frozenset(("have", "haveI", "replace"))


@dataclass(frozen=True, slots=True)
class Known:
    """The state before a step, and what it is known from (`start`, `have`, `intro`, ...)."""

    sequent: Sequent
    origin: str


@dataclass(frozen=True, slots=True)
class TermProof:
    """A stated goal, or the whole theorem, that a term proves: the state and the term's text."""

    known: Known
    term: str
    begin: int
    end: int


@dataclass(slots=True)
class KnownStates:
    """A proof's known states: by the token that a tactic begins at, and for the terms given as proofs."""

    work: Budget = field(default_factory=lambda: Budget(0))
    tactics: dict[int, Known] = field(default_factory=dict)
    terms: list[TermProof] = field(default_factory=list)


def known_states(
    tokens: Tokens, begin: int, end: int, context: tuple[str, ...], conclusion: str
) -> KnownStates:
    """The states that the text of the proof [begin, end) determines.

    Args:
        context: the theorem's binders as text.
        conclusion: what it states.
    """
    least, factor = _MOST_WORK
    work = Budget(least + factor * (tokens.starts[end - 1] - tokens.starts[begin]))
    walker = _Walker(tokens, end, work, {goal.begin: goal for goal in stated_goals(tokens, begin, end)})
    walker.term(begin, end, Known(Sequent(context, conclusion or None), "start"), 0)
    walker.rest(context)
    return walker.walk


class _Walker:
    def __init__(self, tokens: Tokens, end: int, work: Budget, stated: dict[int, StatedGoal]) -> None:
        self.tokens, self.texts, self.end = tokens, tokens.texts, end
        self.brackets = tokens.brackets
        self.stated = stated
        self.walk = KnownStates(work)
        self.visited: set[int] = set()
        """The stated goals whose proofs have been walked."""

    def term(self, begin: int, end: int, known: Known, depth: int) -> None:
        """A term [begin, end) that proves what is known."""
        if begin >= end or depth > _MAX_DEPTH or not self._may_go_on(known):
            return
        word = self.texts[begin]
        if word == "by":
            self.block(begin + 1, end, known, depth + 1)
            return
        self._note_term(begin, end, known)
        if word in ("fun", "λ"):
            self._function(begin, end, known, depth)
        elif word == "⟨" and (target := known.sequent.target):
            parts = conjuncts(target)
            inner = self._split(begin + 1, self.brackets.close(begin, end))
            if parts and len(inner) == len(parts):
                for (first, last), part in zip(inner, parts, strict=True):
                    self.term(first, last, Known(known.sequent.proving(part), "refine"), depth + 1)

    def _may_go_on(self, known: Known) -> bool:
        """Whether there is enough left to look at a state; each look takes as long as the state has text."""
        return self.walk.work.take(
            len(known.sequent.target or "") + _BINDER * len(known.sequent.context) + _BINDER
        )

    def _note_term(self, begin: int, end: int, known: Known) -> None:
        if known.origin != "exact" and known.sequent.target and self.texts[begin] not in _LONG:
            self.walk.terms.append(TermProof(known, self.tokens.source(begin, end), begin, end))

    def _function(self, begin: int, end: int, known: Known, depth: int) -> None:
        arrow = next((i for i in range(begin, min(end, begin + 60)) if self.texts[i] in ("=>", "↦")), None)
        if arrow is None or known.sequent.target is None:
            return
        after = self._after_patterns(known.sequent, self._patterns(begin + 1, arrow))
        if after and len(after) == 1:
            self.term(arrow + 1, end, Known(after[0], "intro"), depth + 1)

    def block(self, begin: int, end: int, known: Known, depth: int) -> None:
        """A tactic block whose first step begins at `begin`."""
        if begin >= end or depth > _MAX_DEPTH:
            return
        column = self.tokens.column(begin)
        waiting: list[Known] = []
        place = begin
        while place < end:
            stop = min(end, layout_end(self.tokens, place, end))
            if self.texts[place] in ("·", "."):
                inner = waiting.pop(0) if waiting else _unknown(known)
                self.block(place + 1, self._line_end(place, column, end), inner, depth + 1)
            else:
                if waiting:  # the goals are not focused: the first is next, and then nobody knows
                    self._step(place, stop, waiting[0], depth)
                    known, waiting = _unknown(waiting[0]), []
                else:
                    known, waiting = self._step(place, stop, known, depth)
                if stop < end and self.texts[stop] == "<;>":
                    known, waiting = _unknown(known), []
            place = self._following(place, stop, column, end)

    def _step(self, place: int, stop: int, known: Known, depth: int) -> tuple[Known, list[Known]]:
        """Note the state before a step; the state behind it, or the goals that focus dots take one by one."""
        is_known = known.sequent.target is not None and not self.walk.work.is_spent
        if is_known and place not in self.walk.tactics:
            self.walk.tactics[place] = known
        word = self.texts[place]
        after = self._applied(word, place, stop, known.sequent, depth) if self._may_go_on(known) else None
        if after is None:
            return _unknown(known), []
        found = [Known(sequent, word) for sequent in after]
        return (found[0], []) if len(found) == 1 else (_unknown(known), found)

    def _applied(self, word: str, place: int, stop: int, before: Sequent, depth: int) -> list[Sequent] | None:
        if place in self.stated and word != "calc":
            return self._stated(self.stated[place], before, depth)
        if word == "calc":
            return None
        if word in ("change", "show"):
            return (
                [before.proving(self.tokens.source(place + 1, stop))] if self._is_plain(place, stop) else None
            )
        if word in _KEEPING:
            return [before]
        if word == "exfalso":
            return [before.proving("False")]
        if word == "obtain":
            return self._obtain(place, stop, before)
        if before.target is None:
            return None
        return self._on_target(word, place, stop, before, before.target, depth)

    def _on_target(
        self, word: str, place: int, stop: int, before: Sequent, target: str, depth: int
    ) -> list[Sequent] | None:
        if word in ("intro", "rintro"):
            return self._after_patterns(before, self._patterns(place + 1, stop))
        if word in ("constructor", "and_intros") and stop == place + 1:
            parts = conjuncts(target)
            return [before.proving(part) for part in parts] if parts else None
        if word in ("left", "right") and stop == place + 1:
            side = disjunct(target, word)
            return [before.proving(side)] if side else None
        if word == "by_cases":
            return self._by_cases(place, stop, before)
        if word == "by_contra" and stop == place + 2:
            return [before.assuming(f"({self.texts[place + 1]} : ¬({target}))").proving("False")]
        if word in ("exact", "refine", "refine'"):
            return self._given(place, stop, before, target, depth, word)
        return None

    def _is_plain(self, place: int, stop: int) -> bool:
        return not {"at", "from", "by", "with", "?", ":="} & set(self.texts[place:stop]) and stop > place + 1

    def _given(
        self, place: int, stop: int, before: Sequent, target: str, depth: int, word: str
    ) -> list[Sequent] | None:
        if word == "exact":
            self.term(place + 1, stop, Known(before, word), depth + 1)
        if self.texts[place + 1 : place + 2] != ["⟨"] or self.brackets.close(place + 1, stop) != stop - 1:
            return None
        parts = conjuncts(target)
        inner = self._split(place + 2, stop - 1)
        if word == "exact" or not parts or len(parts) != len(inner):
            return None
        left: list[Sequent] = []
        for (first, last), part in zip(inner, parts, strict=True):
            if self.texts[first:last] == ["?", "_"]:
                left.append(before.proving(part))
            elif self.texts[first] in ("fun", "λ") and self.texts[last - 2 : last] == ["?", "_"]:
                after = self._after_patterns(before.proving(part), self._patterns(first + 1, last - 3))
                if after is None or len(after) != 1:
                    return None
                left += after
            elif "?" in self.texts[first:last]:
                return None
            else:
                self.term(first, last, Known(before.proving(part), "refine"), depth + 1)
        return left

    def _stated(self, goal: StatedGoal, before: Sequent, depth: int) -> list[Sequent] | None:
        self.visited.add(goal.begin)
        inner = before.assuming(*goal.binders).proving(goal.conclusion)
        if goal.keyword == "suffices":
            return self._suffices(goal, before, depth)
        if goal.keyword == "show":
            self._proof_of(goal, Known(inner, "show"), depth)
            return [inner]
        self._proof_of(goal, Known(inner, goal.keyword), depth)
        fact = goal.conclusion
        if goal.binders:
            fact = f"∀ {' '.join(goal.binders)}, {fact}"
        return [_with_fact(before, goal.name or "this", fact, goal.keyword == "replace")]

    def _suffices(self, goal: StatedGoal, before: Sequent, depth: int) -> list[Sequent] | None:
        """`suffices h : p by tac`, `suffices h : p from e`; without these the goal with `h` comes first."""
        enough = _with_fact(before, goal.name or "this", goal.conclusion, False)
        stop = layout_end(self.tokens, goal.begin, self.end)
        how = next((i for i in range(goal.begin, stop) if self.texts[i] in ("by", "from")), None)
        if how is None:
            return [enough, before.proving(goal.conclusion)]
        if self.texts[how] == "by":
            self.block(how + 1, stop, Known(enough, "suffices"), depth + 1)
        return [before.proving(goal.conclusion)]

    def _proof_of(self, goal: StatedGoal, known: Known, depth: int) -> None:
        begin, end = goal.proof_begin, goal.proof_end
        if begin < end and self.texts[begin] in (":=", "from", "by"):
            self.term(begin + (self.texts[begin] != "by"), end, known, depth + 1)

    def rest(self, context: tuple[str, ...]) -> None:
        """The stated goals that the walk did not come by, in the theorem's context and the named facts."""
        facts: list[tuple[int, str, str]] = []
        for goal in sorted(self.stated.values(), key=lambda goal: goal.begin):
            column = self.tokens.column(goal.begin)
            facts = [fact for fact in facts if fact[0] <= column]
            if goal.begin not in self.visited and goal.keyword != "suffices":
                self.visited.add(goal.begin)
                if not self.walk.work.take(_BINDER * (len(context) + len(facts) * len(facts))):
                    return
                before = Sequent(context, None)
                for _, name, fact in facts:
                    before = _with_fact(before, name, fact, False)
                inner = before.assuming(*goal.binders).proving(goal.conclusion)
                self._proof_of(goal, Known(inner, goal.keyword), 1)
                if goal.keyword == "show" and self.tokens.is_first(goal.proof_begin):
                    self.block(goal.proof_begin, goal.proof_end, Known(inner, "show"), 1)
            is_fact = goal.keyword in _HAVES and goal.name and not goal.binders
            if is_fact and len(facts) < MAX_FACTS:
                facts.append((column, goal.name, goal.conclusion))

    def _obtain(self, place: int, stop: int, before: Sequent) -> list[Sequent] | None:
        text = self.tokens.source(place + 1, stop)
        left, *right = top_level(text, ":=")
        pattern, *stated = top_level(left, ":")
        if stated:
            return _cases(before, " : ".join(stated), pattern)
        hypothesis = _type_of(before, right[0].strip()) if right else None
        return _cases(before, hypothesis, pattern, right[0].strip()) if hypothesis else None

    def _by_cases(self, place: int, stop: int, before: Sequent) -> list[Sequent] | None:
        if stop < place + 4 or self.texts[place + 2] != ":":
            return None
        name, fact = self.texts[place + 1], self.tokens.source(place + 3, stop)
        return [before.assuming(f"({name} : {fact})"), before.assuming(f"({name} : ¬({fact}))")]

    def _after_patterns(self, before: Sequent, patterns: Sequence[str] | None) -> list[Sequent] | None:
        if not patterns or before.target is None:
            return None
        after = introduced(before.target, patterns)
        if after is None:
            return None
        return [Sequent((*before.context, *sequent.context), sequent.target) for sequent in after]

    def _patterns(self, begin: int, end: int) -> list[str] | None:
        """The patterns of `intro`, one text each; None where there is something else."""
        found: list[str] = []
        place = begin
        while place < end:
            text = self.texts[place]
            if text in ("⟨", "("):
                behind = self.brackets.close(place, end) + 1
            elif text in ("_", "-") or (is_plain_name(text) and text not in KEYWORDS):
                behind = place + 1
            else:
                return None
            found.append(self.tokens.source(place, behind))
            place = behind
        return found

    def _split(self, begin: int, end: int) -> list[tuple[int, int]]:
        """The token ranges between the commas that no bracket encloses."""
        found = [begin]
        while (comma := self.brackets.stop(found[-1], end, _COMMA)) < end:
            found.append(comma + 1)
        return [(first, last) for first, last in zip(found, [*(p - 1 for p in found[1:]), end], strict=True)]

    def _line_end(self, place: int, column: int, end: int) -> int:
        return self.tokens.lines.next_within(place + 1, end, column)

    def _following(self, place: int, stop: int, column: int, end: int) -> int:
        """The next step of the block: behind a `;`, or at its column."""
        if stop < end and self.texts[stop] == ";":
            return stop + 1
        first = self.tokens.lines.next_within(max(place + 1, stop), end, column)
        return first if first < end and self.tokens.column(first) == column else end


def _unknown(known: Known) -> Known:
    return Known(known.sequent.proving(None), known.origin)


def _with_fact(before: Sequent, name: str, fact: str, replaces: bool) -> Sequent:
    context = before.context
    if replaces or name == "this":
        context = tuple(binder for binder in context if not binder.startswith(f"({name} :"))
    return Sequent((*context, f"({name} : {fact})"), before.target)


def _type_of(before: Sequent, name: str) -> str | None:
    """What a hypothesis says, if a binder of its own is in the context."""
    for binder in reversed(before.context):
        inner = binder[1:-1].strip()
        names, *rest = top_level(inner, ":")
        if rest and name in [token.strip() for token in raw_tokens(names)]:
            return inner[len(names) :].lstrip(" :")
    return None


def _cases(before: Sequent, type_: str, pattern: str, used: str = "") -> list[Sequent] | None:
    alternatives = destructured(type_, pattern)
    if alternatives is None:
        return None
    context = tuple(binder for binder in before.context if not used or not binder.startswith(f"({used} :"))
    return [Sequent((*context, *binders), before.target) for binders in alternatives]
