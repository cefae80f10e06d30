"""Finds the names that a proof mentions: all identifiers that are not bound locally, also by case distinctions."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import islice, takewhile

from lean_extract.limits import MAX_CASES, MAX_PATTERN_TOKENS, MAX_PROJECTIONS
from lean_extract.source.names.binders import Binder
from lean_extract.source.proofs.binding import Binding, goal_end
from lean_extract.source.proofs.goal_flow import GoalFlow
from lean_extract.source.proofs.local_names import (
    Alternative,
    Field,
    LocalNames,
    Mention,
    PartField,
    TypedPart,
)
from lean_extract.source.proofs.tactics import TacticSteps
from lean_extract.syntax.binder_words import QUANTIFIERS
from lean_extract.syntax.brackets import DEPTH
from lean_extract.syntax.keywords import KEYWORDS
from lean_extract.syntax.lexer import Tokens, is_identifier
from lean_extract.syntax.tactic_words import ARROWS, LETS
from lean_extract.syntax.token_grammar import NAME_STARTS
from lean_extract.syntax.types import Range

_NULLARY = frozenset(("none", "true", "false", "nil", "zero", "rfl", "trivial", "unit", "isTrue", "isFalse"))
_ALTERNATIVE_REACH = 60


class _CaseBinding(Binding):
    """Adds the binding forms of case distinctions."""

    def fact(self, index: int) -> None:
        """Read `by_cases h : p`, `if h : p then`, `rcases h : e with` or `cases h with`."""
        texts, word = self.texts, self.texts[index]
        if index not in self.steps.positions and word not in ("if", "match"):
            self._word(index)
            return
        if index + 2 < self.end and texts[index + 2] == ":" and is_identifier(texts[index + 1]):
            self.local.bind(texts[index + 1], (index + 3, goal_end(self.tokens, index + 3, self.end)))
        elif word[:9] == "by_contra" and index + 1 < self.end and index + 1 not in self.firsts:
            self._pattern(index + 1)
        elif word in ("cases", "induction", "rcases", "match"):
            self._cases(index)

    def _cases(self, index: int) -> None:
        """Record the type of the term that is destructured, for its alternatives or the pattern after `with`."""
        column = self.tokens.column(index)
        known = self._plain_type(index + 1) if index + 1 < self.end else None
        found = next((i for i in range(index, min(self.end, index + 60)) if self.texts[i] == "with"), None)
        if found is None:
            return
        pattern_begin = found + 1
        if (
            known is not None
            and pattern_begin < self.end
            and self.texts[pattern_begin] != "|"
            and pattern_begin not in self.firsts
        ):
            end = self.tokens.lines.next_line(pattern_begin, self.end)
            if end - pattern_begin <= MAX_PATTERN_TOKENS:
                self.flow.patterns.bind(pattern_begin, end, known)
                self.flow.branches(index, pattern_begin, end)
            return
        receiver = "" if known is None or isinstance(known, TypedPart) else self.local.head(known)
        noted = self._note_alternatives(pattern_begin, receiver, column)
        self.alternatives.update(noted)
        if known is not None and self.texts[index] == "cases":
            self._alternative_types(known, noted)

    def _note_alternatives(self, begin: int, receiver: str, column: int) -> dict[int, Alternative]:
        """The constructors that the tactic's alternatives name, by the index of their `|`."""
        bars: list[int] = []
        end = self._alternatives_end(begin, column)
        known = self.tactic_bars[bisect_left(self.tactic_bars, begin) :]
        if begin < end and self.texts[begin] == "|" and known[:1] != [begin]:
            known.insert(0, begin)
        for position in islice(takewhile(end.__gt__, known), MAX_CASES):
            if not bars or bars[0] == begin or self.tokens.column(position) == self.tokens.column(bars[0]):
                bars.append(position)
        names = {bar: self._name_after(bar) for bar in bars}
        everyone = frozenset(name for name in names.values() if name != "_")
        return {bar: Alternative(receiver, name, everyone) for bar, name in names.items()}

    def _name_after(self, bar: int) -> str:
        """The constructor after a `|`, with or without `@`; empty at the end of the text."""
        first, second = [*self.texts[bar + 1 : bar + 3], "", ""][:2]
        return second if first == "@" else first

    def _alternatives_end(self, begin: int, column: int) -> int:
        """The first line from `begin` on that is left of a column, or at the column and not an alternative."""
        end = begin
        while (end := self.tokens.lines.next_within(end, self.end, column)) < self.end:
            if self.tokens.column(end) < column or self.texts[end] != "|":
                break
            end += 1
        return end

    def _alternative_types(self, known: Range | TypedPart, noted: dict[int, Alternative]) -> None:
        """Bind the names in `cases h with | inl h => ... | inr h => ...` for a disjunction."""
        if isinstance(known, TypedPart):
            return
        parts = self.local.shape(known)
        for bar, alternative in noted.items():
            if parts.connective == "∨" and alternative.name in ("inl", "inr"):
                side = parts.left if alternative.name == "inl" else parts.right
                self.flow.patterns.bind(bar + 2, bar + 3, side)

    def clause(self, index: int) -> None:
        """Read `with x y`: patterns, unless alternatives or fields follow."""
        position = index + 1
        if position >= self.end or position in self.firsts or self.texts[position] == "|":
            return
        if position + 1 < self.end and self.texts[position + 1] == ":=":
            return
        self._pattern(position)

    def alternative(self, index: int) -> None:
        """Read `| pattern => ...`, in a tactic or in a term."""
        end = self._alternative_end(index + 1)
        if end is None:
            return
        noted = self.alternatives.get(index)
        for position in range(index + 1, end):
            text = self.texts[position]
            if not is_identifier(text) or "." in text or text in KEYWORDS:
                continue
            if noted is not None and text == noted.name and position <= index + 2:
                self.skipped.add(position)
                self.mentions.append((position, noted))
            elif noted is not None:
                # `| succ n ih`: an argument with the same name as the destructured term mostly has its type
                self.bind(
                    position, self.local.type_of(text) if position not in self.flow.patterns.types else None
                )
            elif not (text in _NULLARY or self._is_applied(position, end, index)):
                self.bind(position)

    def _is_applied(self, position: int, end: int, bar: int) -> bool:
        """Whether the name in a pattern is a constructor: it has arguments, and is not an argument itself."""
        before = self.texts[position - 1]
        if position + 1 >= end or not (position - 1 == bar or before in ("(", ",", "⟨", "@", "|")):
            return False
        after = self.texts[position + 1]
        return is_identifier(after) or after in ("(", "⟨", "_", "[") or after[0].isdigit()

    def _alternative_end(self, begin: int) -> int | None:
        depth = 0
        for position in range(begin, min(self.end, begin + _ALTERNATIVE_REACH)):
            text = self.texts[position]
            if depth == 0 and text in ARROWS:
                return position
            depth += DEPTH.get(text, 0)
            if depth < 0 or text in (":=", "by", "fun", ";", "exact", "with"):
                return None
        return None


_SEQUENCE_BINDERS = frozenset(
    (
        "intro", "intros", "rintro", "rename_i", "ext", "ext1", "funext", "next", "introv", "rintros",
        "obtain",
        "choose", "intro'", "ext'", "choose!", "peel",
    )
)  # fmt: skip
_NAMED_FACTS = frozenset(
    (
        "by_cases", "by_contra", "by_contra!", "by_cases'", "if", "rcases", "cases", "match", "generalize",
        "wlog", "cases'", "induction'", "induction", "interval_cases", "by_contra'", "contrapose!",
        "contrapose",
    )
)  # fmt: skip
_LETS = LETS | {"replace", "suffices", "set", "let_fun", "have'", "let'", "set!"}

_ASCRIBING = frozenset((":", "fun", "∀", "∃"))


class _Scanner(_CaseBinding):
    """One pass over a proof, which collects mentions and keeps track of local names."""

    def run(self) -> list[tuple[int, Mention]]:
        """The mentions, each with the index of its token."""
        texts, local, mentions, skipped = self.texts, self.local, self.mentions, self.skipped
        for index in range(self.begin, self.end):
            text = texts[index]
            handler = _HANDLERS.get(text)
            if handler is not None:
                handler(self, index)
            elif text in KEYWORDS or index in skipped:
                continue
            elif text[:1] in NAME_STARTS:
                if "." in text:
                    self._dotted(index, text)
                elif text not in local:
                    mentions.append((index, text))
            elif text[0] == "." and len(text) > 1:
                self._projection(index, text)
        return mentions

    def _dotted(self, index: int, text: str) -> None:
        name, _, path = text.partition(".")
        if name in self.local or name == "this":
            self._mention_all(index, self.local.fields(name, path))
        else:
            self.mentions.append((index, text))

    def _mention_all(self, index: int, found: Sequence[Mention]) -> None:
        self.mentions += [(index, mention) for mention in found]

    def _projection(self, index: int, text: str) -> None:
        """Read `.foo`: a projection of what precedes it, or a name in the namespace of the expected type."""
        before = self.texts[index - 1] if index else ""
        if not index or self.tokens.end(index - 1) != self.tokens.starts[index]:
            self._expected(index, text)
        elif before == ")":
            self._result(index, self.brackets.opener(index - 1, self.begin), text[1:])
        elif before[0] == "." and index >= 2:
            self._chained(index)
        elif is_identifier(before):
            self._after_name(index, before, text[1:])
        elif before in ("(", "[", "⟨", "{"):
            self._expected(index, text)

    def _after_name(self, index: int, before: str, path: str) -> None:
        name, _, front = before.partition(".")
        if name in self.local:
            self._replace_fields(index, name, f"{front}.{path}" if front else path)
        elif before not in KEYWORDS:
            self.mentions.append((index, PartField(TypedPart(before), path)))

    def _replace_fields(self, index: int, name: str, path: str) -> None:
        """Add the fields of the whole chain `h.foo.1`, whose first part has already been recorded."""
        known = self.local.fields(name, path)
        self._mention_all(index, known)

    def _chained(self, index: int) -> None:
        """Read `.2` in `h.1.2`, starting again at the beginning of the chain."""
        start = index
        while start > self.begin and self.texts[start][0] == "." and len(self.texts[start]) > 1:
            start -= 1
            if index - start > MAX_PROJECTIONS:
                return
        path = "".join(self.texts[start + 1 : index + 1])[1:]
        first = self.texts[start]
        if is_identifier(first):
            self._after_name(index, first, path)
        elif first == ")":
            self._result(index, self.brackets.opener(start, self.begin), path)

    def _result(self, index: int, opener: int, path: str) -> None:
        """Read `(f x y).path`."""
        first = opener + 1
        if first >= index:
            return
        if self.texts[first] == "@":
            first += 1
        most = min(index - 1, first + MAX_PROJECTIONS)
        while self.texts[first] == "(" and first < most:
            first += 1
        function = self.texts[first]
        ascribed = self._ascription(opener, index)
        if ascribed is not None:
            self._mention_all(index, self.local.fields_of(ascribed, path))
        elif is_identifier(function) and function not in KEYWORDS:
            name, _, front = function.partition(".")
            if name not in self.local:
                self.mentions.append((index, PartField(TypedPart(function), path)))
                return
            is_applied = first + 1 < index - 1
            known = self.local.result(name, front, is_applied)
            if isinstance(known, TypedPart):
                self.mentions.append((index, PartField(known, path)))
            elif known is not None:
                self._mention_all(index, self.local.fields_of(known, path, is_applied))
            elif front:
                self._mention_all(index, self.local.fields(name, f"{front}.{path}"))

    def _ascription(self, opener: int, index: int) -> Range | None:
        """The range of the type in `(e : T).path`; None if there is none."""
        position = self.brackets.stop(opener + 1, index, _ASCRIBING)
        if position < index and self.texts[position] == ":":
            return position + 1, self.brackets.close(opener, self.end)
        return None

    def _expected(self, index: int, text: str) -> None:
        """Read `.foo` where a term is expected. If the goal is known, so is the namespace."""
        goal = self.flow.goals.get(index) or self.flow.goals.get(index - 1)
        if goal is not None and text[1:2].isalpha():
            receiver = self.local.head(goal)
            if receiver:
                self.mentions.append((index, Field(receiver, text[1:])))
                return
        if text[1:2].isalpha():
            self.mentions.append((index, text))


_HANDLERS = {
    **dict.fromkeys(QUANTIFIERS, _Scanner.quantifier),
    **dict.fromkeys(_SEQUENCE_BINDERS, _Scanner.sequence),
    **dict.fromkeys(_NAMED_FACTS, _Scanner.fact),
    **dict.fromkeys(_LETS, _Scanner.let),
    "{": _Scanner.brace,
    "(": _Scanner.parenthesis,
    ":=": _Scanner.assignment,
    "with": _Scanner.clause,
    "|": _Scanner.alternative,
    "·": _Scanner.dot,
}


def scan_mentions(
    tokens: Tokens, begin: int, end: int, binders: Sequence[Binder], statement: Range, steps: TacticSteps
) -> list[tuple[int, Mention]]:
    """The mentions in the tokens [begin, end), each with the index of its token, in order.

    Args:
        tokens: the tokens of the file.
        begin: the first token.
        end: the token after the last one.
        binders: the binders in scope at the proof.
        statement: the tokens of the statement that is proved.
        steps: the positions of the tactics in the range, whose own words are not mentions.
    """
    local = LocalNames(tokens.texts, binders)
    flow = GoalFlow(tokens, end, local)
    if statement[0] < statement[1]:
        flow.term(begin, end, flow.goal(statement))
    return _Scanner(tokens, begin, end, local, steps, flow).run()
