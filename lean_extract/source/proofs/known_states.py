"""Infers the proof states that a proof's text determines, without running Lean.

These are the start of a theorem, the goals that `have`, `show`, `suffices` and `calc` state, and the results of
`intro`, `rintro`, `constructor`, `refine ⟨?_, ?_⟩`, `left`, `right`, `by_cases`, `by_contra`, `exfalso` and
`obtain` if the shape of the goal is explicit in the text. After any other tactic (`rw`, `simp`, ...) the target
is unknown until the proof states one again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lean_extract.limits import MAX_FACTS, MAX_STATE_DEPTH, STATES_CHARACTERS, STATES_PER_CHARACTER
from lean_extract.source.budget import Budget
from lean_extract.source.proofs.inner_goals import StatedGoal, layout_end, stated_goals
from lean_extract.source.proofs.propositions import Sequent, conjuncts, disjunct, introduced
from lean_extract.source.proofs.sequents import KnownState, obtained, with_fact
from lean_extract.source.proofs.tactics import AfterStep, ProofWalk, Step
from lean_extract.syntax.keywords import KEYWORDS
from lean_extract.syntax.lexer import Tokens, is_plain_name
from lean_extract.syntax.tactic_words import (
    ARROWS,
    FACTS,
    FUNCTIONS,
    GIVING,
    INTRO_PATTERNS,
    LETS,
    SPLITTING,
    UNCHANGING,
)

_BINDER = 20
"""The cost of a binder, in characters."""
_ARROW_REACH = 60
"""The most tokens before the arrow of a function."""
_NOT_RECORDED = FUNCTIONS | LETS | {"by", "calc", "match", "if", "show", "suffices", "|"}
"""First words of terms that are recorded only in part, or not at all."""


@dataclass(frozen=True, slots=True)
class TermProof:
    """A stated goal, or the whole theorem, that a term proves: the state, and the term's text and tokens."""

    known: KnownState
    term: str
    begin: int
    end: int


@dataclass(slots=True)
class KnownStates:
    """The known states of a proof: by the first token of a tactic, and for terms given as proofs."""

    work: Budget = field(default_factory=lambda: Budget(0))
    tactics: dict[int, KnownState] = field(default_factory=dict)
    terms: list[TermProof] = field(default_factory=list)


def known_states(
    tokens: Tokens, begin: int, end: int, context: tuple[str, ...], conclusion: str
) -> KnownStates:
    """The states that the text of the proof [begin, end) determines.

    Args:
        tokens: the tokens of the file.
        begin: the first token of the proof.
        end: the token after the proof.
        context: the theorem's binders as text.
        conclusion: the theorem's conclusion as text.
    """
    work = allowed_work(tokens, begin, end)
    walk = StateWalk(tokens, end, work, {goal.begin: goal for goal in stated_goals(tokens, begin, end)})
    walk.term(begin, end, KnownState(Sequent(context, conclusion or None), "start"), 0)
    walk.rest(context)
    return walk.found


def allowed_work(tokens: Tokens, begin: int, end: int) -> Budget:
    """How many characters of states may be examined in a proof."""
    return Budget(STATES_CHARACTERS + STATES_PER_CHARACTER * (tokens.starts[end - 1] - tokens.starts[begin]))


class StateWalk(ProofWalk[KnownState]):
    """Follows states through the text. The result is in `found`."""

    def __init__(self, tokens: Tokens, end: int, work: Budget, stated: dict[int, StatedGoal]) -> None:
        super().__init__(tokens, end, MAX_STATE_DEPTH)
        self.stated = stated
        self.found = KnownStates(work)
        self.visited: set[int] = set()
        """The stated goals whose proofs have been walked."""

    def enter(self, begin: int, end: int, goal: KnownState) -> bool:
        """Record a term with its state, while the budget lasts."""
        if not self._may_go_on(goal):
            return False
        is_recorded = (
            goal.origin != "exact" and goal.sequent.target and self.texts[begin] not in _NOT_RECORDED
        )
        if is_recorded:
            self.found.terms.append(TermProof(goal, self.tokens.source(begin, end), begin, end))
        return True

    def constructor(self, begin: int, end: int, goal: KnownState) -> list[tuple[tuple[int, int], KnownState]]:
        """The components with the parts of the target, if their numbers are equal."""
        target = goal.sequent.target
        parts = conjuncts(target) if target else None
        inner = self.components(begin, end) if target else []
        if not parts or len(inner) != len(parts):
            return []
        states = [KnownState(goal.sequent.proving(part), "refine") for part in parts]
        return list(zip(inner, states, strict=True))

    def _may_go_on(self, known: KnownState) -> bool:
        """Whether the budget allows to process a state; the cost is proportional to the state's text."""
        return self.found.work.take(
            len(known.sequent.target or "") + _BINDER * len(known.sequent.context) + _BINDER
        )

    def function(self, begin: int, end: int, goal: KnownState, depth: int) -> None:
        """Introduce the arguments of a function, and follow its body."""
        reach = min(end, begin + _ARROW_REACH)
        arrow = next((index for index in range(begin, reach) if self.texts[index] in ARROWS), None)
        if arrow is None or goal.sequent.target is None:
            return
        after = self._after_patterns(goal.sequent, self._patterns(begin + 1, arrow))
        if after and len(after) == 1:
            self.term(arrow + 1, end, KnownState(after[0], "intro"), depth + 1)

    def read_step(self, position: int, column: int, end: int) -> Step:
        """A step up to a `;`, or to the next line of the block."""
        stop = min(end, layout_end(self.tokens, position, end))
        if stop < end and self.texts[stop] == ";":
            return Step(position, stop, stop + 1, column, end)
        following = self.next_line_step(max(position, stop - 1), column, end)
        return Step(position, stop, following, column, end)

    def unfocused(self, goal: KnownState) -> KnownState:
        """The context stays the same; which goal the dot focuses is unknown."""
        return goal.with_unknown_target

    def first_of(
        self, step: Step, first: KnownState, rest: KnownState | None, depth: int
    ) -> KnownState | None:
        """Follow the first of several goals. The target after the step is unknown."""
        self.step(step, first, depth)
        return first.with_unknown_target

    def step(self, step: Step, goal: KnownState, depth: int) -> AfterStep[KnownState]:
        """Record the state before a step. Returns the state after it, or the goals for the next focus dots."""
        begin, stop = step.begin, step.stop
        is_known = goal.sequent.target is not None and not self.found.work.is_spent
        if is_known and begin not in self.found.tactics:
            self.found.tactics[begin] = goal
        word = self.texts[begin]
        after = self._applied(word, begin, stop, goal.sequent, depth) if self._may_go_on(goal) else None
        states = [KnownState(sequent, word) for sequent in after or ()]
        next_state = states[0] if len(states) == 1 else goal.with_unknown_target
        if stop < step.end and self.texts[stop] == "<;>":
            return AfterStep(next_state.with_unknown_target)
        return AfterStep(next_state, states if len(states) > 1 else [])

    def _applied(
        self, word: str, position: int, stop: int, before: Sequent, depth: int
    ) -> list[Sequent] | None:
        if position in self.stated and word != "calc":
            return self._stated(self.stated[position], before, depth)
        if word == "calc":
            return None
        if word in ("change", "show"):
            return (
                [before.proving(self.tokens.source(position + 1, stop))]
                if self._is_plain(position, stop)
                else None
            )
        if word in UNCHANGING:
            return [before]
        if word == "exfalso":
            return [before.proving("False")]
        if word == "obtain":
            return obtained(before, self.tokens.source(position + 1, stop))
        if before.target is None:
            return None
        return self._on_target(word, position, stop, before, before.target, depth)

    def _on_target(
        self, word: str, position: int, stop: int, before: Sequent, target: str, depth: int
    ) -> list[Sequent] | None:
        if word in INTRO_PATTERNS:
            return self._after_patterns(before, self._patterns(position + 1, stop))
        if word in SPLITTING and stop == position + 1:
            parts = conjuncts(target)
            return [before.proving(part) for part in parts] if parts else None
        if word in ("left", "right") and stop == position + 1:
            side = disjunct(target, word)
            return [before.proving(side)] if side else None
        if word == "by_cases":
            return self._by_cases(position, stop, before)
        if word == "by_contra" and stop == position + 2:
            return [before.assuming(f"({self.texts[position + 1]} : ¬({target}))").proving("False")]
        if word in GIVING:
            return self._given(position, stop, before, target, depth, word)
        return None

    def _is_plain(self, position: int, stop: int) -> bool:
        return (
            not {"at", "from", "by", "with", "?", ":="} & set(self.texts[position:stop])
            and stop > position + 1
        )

    def _given(
        self, position: int, stop: int, before: Sequent, target: str, depth: int, word: str
    ) -> list[Sequent] | None:
        if word == "exact":
            self.term(position + 1, stop, KnownState(before, word), depth + 1)
        if (
            self.texts[position + 1 : position + 2] != ["⟨"]
            or self.brackets.close(position + 1, stop) != stop - 1
        ):
            return None
        parts = conjuncts(target)
        inner = self.components(position + 1, stop)
        if word == "exact" or not parts or len(parts) != len(inner):
            return None
        left: list[Sequent] = []
        for (first, last), part in zip(inner, parts, strict=True):
            if self.texts[first:last] == ["?", "_"]:
                left.append(before.proving(part))
            elif self.texts[first] in FUNCTIONS and self.texts[last - 2 : last] == ["?", "_"]:
                after = self._after_patterns(before.proving(part), self._patterns(first + 1, last - 3))
                if after is None or len(after) != 1:
                    return None
                left += after
            elif "?" in self.texts[first:last]:
                return None
            else:
                self.term(first, last, KnownState(before.proving(part), "refine"), depth + 1)
        return left

    def _stated(self, goal: StatedGoal, before: Sequent, depth: int) -> list[Sequent] | None:
        self.visited.add(goal.begin)
        inner = before.assuming(*goal.binders).proving(goal.conclusion)
        if goal.keyword == "suffices":
            return self._suffices(goal, before, depth)
        if goal.keyword == "show":
            self._proof_of(goal, KnownState(inner, "show"), depth)
            return [inner]
        self._proof_of(goal, KnownState(inner, goal.keyword), depth)
        fact = goal.conclusion
        if goal.binders:
            fact = f"∀ {' '.join(goal.binders)}, {fact}"
        return [with_fact(before, goal.name or "this", fact, replaces=goal.keyword == "replace")]

    def _suffices(self, goal: StatedGoal, before: Sequent, depth: int) -> list[Sequent] | None:
        """Follow `suffices h : p by tac` or `suffices h : p from e`; without a proof, the goal with `h` is first."""
        enough = with_fact(before, goal.name or "this", goal.conclusion, replaces=False)
        stop = layout_end(self.tokens, goal.begin, self.end)
        how = next((i for i in range(goal.begin, stop) if self.texts[i] in ("by", "from")), None)
        if how is None:
            return [enough, before.proving(goal.conclusion)]
        if self.texts[how] == "by":
            self.block(how + 1, stop, KnownState(enough, "suffices"), depth + 1)
        return [before.proving(goal.conclusion)]

    def _proof_of(self, goal: StatedGoal, known: KnownState, depth: int) -> None:
        begin, end = goal.proof_begin, goal.proof_end
        if begin < end and self.texts[begin] in (":=", "from", "by"):
            self.term(begin + (self.texts[begin] != "by"), end, known, depth + 1)

    def rest(self, context: tuple[str, ...]) -> None:
        """Add the stated goals that the walk did not reach, with the theorem's context and the named facts."""
        facts: list[tuple[int, str, str]] = []
        for goal in sorted(self.stated.values(), key=lambda goal: goal.begin):
            column = self.tokens.column(goal.begin)
            facts = [fact for fact in facts if fact[0] <= column]
            if goal.begin not in self.visited and goal.keyword != "suffices":
                self.visited.add(goal.begin)
                if not self.found.work.take(_BINDER * (len(context) + len(facts) * len(facts))):
                    return
                before = Sequent(context, None)
                for _, name, fact in facts:
                    before = with_fact(before, name, fact, replaces=False)
                inner = before.assuming(*goal.binders).proving(goal.conclusion)
                self._proof_of(goal, KnownState(inner, goal.keyword), 1)
                if goal.keyword == "show" and self.tokens.is_first(goal.proof_begin):
                    self.block(goal.proof_begin, goal.proof_end, KnownState(inner, "show"), 1)
            is_fact = goal.keyword in FACTS and goal.name and not goal.binders
            if is_fact and len(facts) < MAX_FACTS:
                facts.append((column, goal.name, goal.conclusion))

    def _by_cases(self, position: int, stop: int, before: Sequent) -> list[Sequent] | None:
        if stop < position + 4 or self.texts[position + 2] != ":":
            return None
        name, fact = self.texts[position + 1], self.tokens.source(position + 3, stop)
        return [before.assuming(f"({name} : {fact})"), before.assuming(f"({name} : ¬({fact}))")]

    def _after_patterns(self, before: Sequent, patterns: Sequence[str] | None) -> list[Sequent] | None:
        if not patterns or before.target is None:
            return None
        after = introduced(before.target, patterns)
        if after is None:
            return None
        return [Sequent((*before.context, *sequent.context), sequent.target) for sequent in after]

    def _patterns(self, begin: int, end: int) -> list[str] | None:
        """The texts of the patterns of `intro`; None if there is anything else."""
        found: list[str] = []
        position = begin
        while position < end:
            text = self.texts[position]
            if text in ("⟨", "("):
                pattern_end = self.brackets.close(position, end) + 1
            elif text in ("_", "-") or (is_plain_name(text) and text not in KEYWORDS):
                pattern_end = position + 1
            else:
                return None
            found.append(self.tokens.source(position, pattern_end))
            position = pattern_end
        return found
