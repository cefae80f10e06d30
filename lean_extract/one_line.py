"""Hypotheses that were printed on one line: `f : ℝ → ℝ h : ∀ x, f x = 0` are two.

The next hypothesis begins with the names before a colon that no bracket and no binder encloses. Which of the words
before the colon are names, and which still belong to the type, is decided by what is known: a variable that has not
been introduced is a name. Where that does not decide, only the last word is a name, and the reading is in doubt.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import pairwise

from lean_extract.goals import format_goal, parse_goal
from lean_extract.records import Goal, Hypothesis
from lean_extract.syntax.binder_words import BINDING_ENDS, QUANTIFIERS
from lean_extract.syntax.brackets import BARS, CLOSERS, DEPTH
from lean_extract.syntax.inaccessible import DAGGER, MARK, SUPERSCRIPTS
from lean_extract.syntax.keywords import KEYWORDS
from lean_extract.syntax.lexer import is_identifier, raw_tokens
from lean_extract.syntax.operators import NULLARY, POSTFIX
from lean_extract.syntax.tactic_words import LETS

_TERM_ENDS = {
    **dict.fromkeys(LETS, frozenset((":=",))),
    "if": frozenset(("then",)),
    "match": frozenset(("with",)),
    "show": frozenset(("from", "by")),
}
"""Words whose own colon belongs to a term, each with what ends that part of the term."""
_NOTHING: frozenset[str] = frozenset()
_KEYWORDS = KEYWORDS - {"this", "Type", "Prop", "Sort"}
_SORTS = frozenset(("Type", "Sort"))
_UNIVERSE = re.compile(r"[uvw](?:_?\d+|[₀-₉]+)?'*\Z")
_VARIABLE = re.compile(rf"(?:[A-Za-zα-ωΑ-Ω𝒜-𝖟][0-9'₀-₉]*|h[A-Za-z0-9'_₀-₉]*)(?:{MARK})?\Z")
"""What looks like a variable or a hypothesis, not like a constant."""
_WHOLE = CLOSERS | NULLARY.keys() | POSTFIX.keys() | BARS.keys() | frozenset("₊₀⁺⁻₁₂₃⋯")
"""Tokens that may end a type."""
_MARKS = frozenset((DAGGER, *SUPERSCRIPTS))


@dataclass(frozen=True, slots=True)
class Apart:
    """A goal with one name or group per hypothesis, and the names of those whose beginning is in doubt."""

    goal: Goal
    doubtful: tuple[str, ...] = ()


def hypotheses_apart(goal: Goal) -> Apart:
    """The goal, with each hypothesis that holds several split. Takes time linear in the length of the goal."""
    found: list[Hypothesis] = []
    doubtful: list[str] = []
    known: set[str] = set()
    for hypothesis in goal.hypotheses:
        known.update(hypothesis.names)
        text = format_goal(Goal((hypothesis,), "_")).rpartition("\n")[0]
        splitter = _Splitter(text, known)
        splitter.run()
        doubtful += splitter.doubtful
        found += _parsed(text, splitter.starts) if splitter.starts else [hypothesis]
    if len(found) == len(goal.hypotheses):
        return Apart(goal)
    return Apart(replace(goal, hypotheses=tuple(found)), tuple(doubtful))


def _parsed(text: str, starts: list[int]) -> list[Hypothesis]:
    """The hypotheses that begin at the start of a text and at these offsets."""
    edges = [0, *starts, len(text)]
    lines = [text[begin:end].rstrip() for begin, end in pairwise(edges)]
    return list(parse_goal("\n".join([*lines, "⊢ _"])).hypotheses)


@dataclass(slots=True)
class _Splitter:
    """One pass over the text of a hypothesis."""

    text: str
    known: set[str]
    """The names of the hypotheses so far."""
    starts: list[int] = field(default_factory=list)
    """Where further hypotheses begin."""
    doubtful: list[str] = field(default_factory=list)
    _bound: set[str] = field(default_factory=set)
    _run: list[tuple[int, str]] = field(default_factory=list)
    """The words directly before the current token, and where each begins."""
    _before: str = ""
    """The token before them."""
    _inner: list[str] = field(default_factory=list)
    """The same inside brackets."""
    _in_binder: bool = False
    _until: frozenset[str] = _NOTHING
    """What ends the part of a term whose colon is its own."""
    _has_colon: bool = False

    def run(self) -> None:
        """Find where further hypotheses begin."""
        offset = depth = 0
        was_spaced = True
        for raw in raw_tokens(self.text):
            token = raw.rstrip()
            depth += DEPTH.get(token, 0)
            self._note_bound(token, depth)
            if depth > 0:
                self._end_run("(")
            elif token in _MARKS and not was_spaced and self._run:
                start, word = self._run[-1]
                self._run[-1] = start, word + token
            else:
                self._token(token, offset)
            was_spaced = len(token) < len(raw)
            offset += len(raw)

    def _note_bound(self, token: str, depth: int) -> None:
        """Note the variables of binders, and those of `(i : ι) → f i`."""
        if self._in_binder and is_identifier(token):
            self._bound.add(token)
        if depth > 0 and is_identifier(token):
            self._inner.append(token)
            return
        if token == ":":
            self._bound.update(self._inner)
        self._inner = []

    def _token(self, token: str, offset: int) -> None:
        """Read a token outside brackets."""
        if token in QUANTIFIERS:
            self._in_binder = True
        elif token in BINDING_ENDS:
            self._in_binder = False
        elif token in self._until:
            self._until = _NOTHING
        elif token in _TERM_ENDS:
            self._until = _TERM_ENDS[token]
        elif token == ":" and not (self._in_binder or self._until):
            self._colon()
        elif is_identifier(token) and token not in _KEYWORDS:
            self._run.append((offset, token))
            return
        self._end_run(token)

    def _end_run(self, token: str) -> None:
        self._run = []
        self._before = token

    def _colon(self) -> None:
        """Read a colon that no binder has: the first one is that of the hypothesis itself."""
        if not self._has_colon:
            self._has_colon = True
            return
        first = self._first_name()
        if first < len(self._run):
            self.starts.append(self._run[first][0])
            self.known.update(word for _, word in self._run[first:])
            self._bound = set()

    def _first_name(self) -> int:
        """The index of the first word of the run that is a name; its length if none is."""
        words = [word for _, word in self._run]
        is_field = self._before[:1] == "." and len(self._before) > 1
        is_whole = is_field or self._before in _WHOLE or self._before[:1].isdigit()
        least = 0 if is_whole else 1
        first = len(words)
        while first > least and self._is_name(words, first - 1, is_last=first == len(words)):
            first -= 1
        may_have_more = first > least and first < len(words) and self._may_be_name(words, first - 1)
        if may_have_more or self._may_be_universe(words, first):
            self.doubtful.append(words[-1])
        return first

    @staticmethod
    def _may_be_universe(words: list[str], first: int) -> bool:
        """Whether the first of several names may be the universe in `Type x`."""
        is_after_type = 0 < first < len(words) - 1 and words[first - 1] == "Type"
        return is_after_type and len(words[first].rstrip("'")) == 1

    def _is_name(self, words: list[str], index: int, *, is_last: bool) -> bool:
        if is_last:
            return True
        is_alike = words[index][0] == "h" if words[-1][0] == "h" else words[index][0] != "h"
        is_grouped = (
            is_alike and not words[-1].startswith("inst") and _VARIABLE.match(words[index]) is not None
        )
        return is_grouped and self._may_be_name(words, index)

    def _may_be_name(self, words: list[str], index: int) -> bool:
        """Whether a word can be a new name: not one that is known or bound, nor what is named like a constant."""
        word = words[index]
        sort = words[index - 1] if index > 0 else ""
        is_universe = sort == "Sort" or (sort == "Type" and _UNIVERSE.match(word) is not None)
        is_taken = (
            word in self.known or word in self._bound or word in NULLARY or word in _SORTS or word == "_"
        )
        return not (is_universe or is_taken or "." in word or (word[:1].isupper() and len(word) > 2))
