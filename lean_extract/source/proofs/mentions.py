"""Finds the names that a proof mentions: all identifiers that are not bound locally."""

from __future__ import annotations

from collections.abc import Sequence

from lean_extract.source.names.binders import Binder
from lean_extract.source.proofs.alternatives import CaseBinding
from lean_extract.source.proofs.goal_flow import GoalFlow
from lean_extract.source.proofs.local_names import MAX_PATH, Field, LocalNames, Mention, PartField, TypedPart
from lean_extract.source.proofs.tactics import TacticSteps
from lean_extract.syntax.binder_words import QUANTIFIERS
from lean_extract.syntax.keywords import KEYWORDS
from lean_extract.syntax.lexer import Tokens, is_identifier
from lean_extract.syntax.tactic_words import LETS
from lean_extract.syntax.token_grammar import NAME_STARTS
from lean_extract.syntax.types import Range

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


class _Scanner(CaseBinding):
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
            if index - start > MAX_PATH:
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
        most = min(index - 1, first + MAX_PATH)
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
