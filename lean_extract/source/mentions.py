"""The names that a proof mentions: every identifier that is not bound locally."""

from __future__ import annotations

from typing import NamedTuple

from lean_extract.source.binders import type_head
from lean_extract.source.free_names import QUANTIFIERS, binding_names
from lean_extract.source.lexer import Tokens, is_identifier
from lean_extract.source.syntax import DEPTH, KEYWORDS, close
from lean_extract.source.tactics import TacticSteps


class Field(NamedTuple):
    """`h.field` where the type of `h` is an application of `receiver` (a name or an operator)."""

    receiver: str
    field: str


class ResultField(NamedTuple):
    """`(f x y).field`: the field of what the constant `function` concludes."""

    function: str
    field: str


Mention = str | Field | ResultField
"""A plain name as written, `.name` where the expected type gives the namespace, or a typed field."""

_SEQUENCE_BINDERS = frozenset(
    ("intro", "intros", "rintro", "rename_i", "ext", "ext1", "funext", "next", "introv", "rintros", "rfunext",
     "obtain", "choose", "intro'", "ext'", "choose!", "peel", "unfold_let", "clear_value")
)  # fmt: skip
_NAMED_FACTS = frozenset(
    ("by_cases", "by_contra", "by_contra!", "by_cases'", "if", "rcases", "cases", "match", "generalize", "wlog",
     "cases'", "induction'", "induction", "interval_cases", "by_contra'", "contrapose!", "contrapose")
)  # fmt: skip
_LETS = frozenset(
    ("have", "let", "haveI", "letI", "replace", "suffices", "set", "let_fun", "have'", "let'", "set!")
)
_PATTERN_ENDS = frozenset((":=", "using", "at", ";", "<;>", "=>", "↦", "from", "·", "by", "generalizing"))
_NULLARY = frozenset(("none", "true", "false", "nil", "zero", "rfl", "trivial", "unit", "isTrue", "isFalse"))
_ALTERNATIVE_REACH = 60


class _Scanner:
    """One pass over a proof, in which locally bound names gather."""

    def __init__(
        self, tokens: Tokens, begin: int, end: int, local: dict[str, str], steps: TacticSteps
    ) -> None:
        self.tokens, self.texts = tokens, tokens.texts
        self.begin, self.end = begin, end
        self.local = local
        self.positions = steps.positions
        self.steps = steps
        self.firsts = set(tokens.firsts(begin, end))
        self.mentions: list[tuple[int, Mention]] = []

    def run(self) -> list[tuple[int, Mention]]:
        texts, local, mentions, positions = self.texts, self.local, self.mentions, self.positions
        for index in range(self.begin, self.end):
            text = texts[index]
            handler = _HANDLERS.get(text)
            if handler is not None:
                handler(self, index)
            elif text in KEYWORDS or index in positions:
                continue
            elif is_identifier(text):
                if "." in text:
                    self._dotted(index, text)
                elif text not in local:
                    mentions.append((index, text))
            elif text[0] == "." and len(text) > 1:
                self._projection(index, text)
        return mentions

    def _dotted(self, index: int, text: str) -> None:
        head, _, rest = text.partition(".")
        if head == "this" or head in self.local:
            receiver = self.local.get(head, "")
            if receiver:
                self.mentions.append((index, Field(receiver, rest)))
        else:
            self.mentions.append((index, text))

    def _projection(self, index: int, text: str) -> None:
        """`.foo`: a projection of what stands before it, or a name in the expected namespace."""
        if index == 0 or self.tokens.end(index - 1) != self.tokens.starts[index]:
            if text[1:2].isalpha():
                self.mentions.append((index, text))
            return
        before = self.texts[index - 1]
        if before == ")":
            opener = self._opener(index - 1)
            if opener + 1 < index:
                head = self.texts[opener + 1]
                if head == "@":
                    head = self.texts[opener + 2]
                if is_identifier(head) and head.partition(".")[0] not in self.local and head not in KEYWORDS:
                    self.mentions.append((index, ResultField(head, text[1:])))
        elif is_identifier(before):
            receiver = self.local.get(before)
            if receiver:
                self.mentions.append((index, Field(receiver, text[1:])))
            elif receiver is None and before not in KEYWORDS:
                self.mentions.append((index, ResultField(before, text[1:])))

    def _opener(self, index: int) -> int:
        depth = 0
        for place in range(index, self.begin - 1, -1):
            depth += DEPTH.get(self.texts[place], 0)
            if depth == 0:
                return place
        return index

    def bind(self, name: str, head: str = "") -> None:
        """From here on `name` is local; `head` is what its type is an application of."""
        self.local[name] = head

    def quantifier(self, index: int) -> None:
        """`fun x y ↦`, `∀ x : T,`, `∑ i ∈ s,`."""
        if index + 1 < self.end and self.texts[index + 1] == "|":
            return
        names, _ = binding_names(self.texts, index + 1, self.end)
        for name in names:
            if is_identifier(name) and "." not in name:
                self.local[name] = ""
        self._typed_binders(index + 1)

    def _typed_binders(self, index: int) -> None:
        """The types of `fun (h : a = b) ↦`."""
        texts = self.texts
        while index < self.end and texts[index] == "(":
            behind = close(texts, index, self.end)
            if index + 2 < behind and texts[index + 2] == ":":
                self.local[texts[index + 1]] = type_head(texts, index + 3, behind)
            index = behind + 1

    def set_builder(self, index: int) -> None:
        """`{x | p}`, `{x : T // p}`, `{x ∈ s | p}`."""
        if index + 2 < self.end and self.texts[index + 2] in ("|", ":", "∈", "//"):
            name = self.texts[index + 1]
            if is_identifier(name) and "." not in name:
                self.local[name] = ""

    def sequence(self, index: int) -> None:
        """`intro x ⟨y, z⟩`, `obtain ⟨x, hx⟩ | h := ...`."""
        if index in self.positions:
            self._pattern(index + 1)
        else:
            self._word(index)

    def _word(self, index: int) -> None:
        """A tactic's name that stands where no tactic does: a name like any other."""
        text = self.texts[index]
        if text not in KEYWORDS and text not in self.local:
            self.mentions.append((index, text))

    def _pattern(self, index: int) -> None:
        texts = self.texts
        depth = 0
        type_depth: int | None = None
        for place in range(index, self.end):
            text = texts[place]
            if depth == 0 and (text in _PATTERN_ENDS or (place in self.firsts and place > index)):
                return
            step = DEPTH.get(text)
            if step is not None:
                depth += step
                if depth < 0:
                    return
                if type_depth is not None and depth < type_depth:
                    type_depth = None
            elif text == ":":
                if depth == 0:
                    return
                type_depth = depth
            elif type_depth is None and is_identifier(text) and text not in KEYWORDS and "." not in text:
                if text != "rfl":
                    self.local[text] = ""

    def let(self, index: int) -> None:
        """`have h : T := ...`, `let x := ...`, `suffices h : T`."""
        texts = self.texts
        place = index + 1
        if place >= self.end:
            return
        name = texts[place]
        if name in (":", ":="):
            self._declare("this", place)
        elif (is_identifier(name) and name not in KEYWORDS) or name == "this":
            self._declare(name, place + 1)
        else:
            self._pattern(place)

    def _declare(self, name: str, place: int) -> None:
        """Bind `name`, whose binders, type or value begin at `place`."""
        texts = self.texts
        while place < self.end and texts[place] in ("(", "{", "[", "⦃"):
            behind = close(texts, place, self.end)
            self._pattern_names(place, behind)
            place = behind + 1
            name, self.local[name] = name, ""
        if place < self.end and texts[place] == ":":
            self.local[name] = type_head(texts, place + 1, self._goal_end(place + 1))
        else:
            self.local[name] = ""

    def _pattern_names(self, begin: int, end: int) -> None:
        for place in range(begin + 1, end):
            text = self.texts[place]
            if text == ":":
                return
            if is_identifier(text) and "." not in text:
                self.local[text] = ""

    def _goal_end(self, begin: int) -> int:
        return goal_end(self.tokens, begin, self.end)

    def fact(self, index: int) -> None:
        """`by_cases h : p`, `if h : p then`, `rcases h : e with`."""
        if index not in self.positions and self.texts[index] not in ("if", "match"):
            self._word(index)
            return
        if index + 2 < self.end and self.texts[index + 2] == ":" and is_identifier(self.texts[index + 1]):
            end = goal_end(self.tokens, index + 3, self.end)
            self.local[self.texts[index + 1]] = type_head(self.texts, index + 3, end)
        elif self.texts[index][:9] == "by_contra" and index + 1 < self.end and index + 1 not in self.firsts:
            self._pattern(index + 1)

    def clause(self, index: int) -> None:
        """`with x y`: patterns, unless alternatives or fields follow."""
        place = index + 1
        if place >= self.end or place in self.firsts or self.texts[place] == "|":
            return
        if place + 1 < self.end and self.texts[place + 1] == ":=":
            return
        self._pattern(place)

    def alternative(self, index: int) -> None:
        """`| pattern => ...`."""
        end = self._alternative_end(index + 1)
        if end is None:
            return
        of_tactic = index in self.steps.tactic_bars
        for place in range(index + 1, end):
            text = self.texts[place]
            if not is_identifier(text) or "." in text or text in KEYWORDS or text in _NULLARY:
                continue
            if of_tactic and (place == index + 1 or self.texts[place - 1] == "@"):
                self.positions.add(place)
                continue
            if not of_tactic and self._is_applied(place, end, index):
                continue
            self.local[text] = ""

    def _is_applied(self, place: int, end: int, bar: int) -> bool:
        """Whether the name in a pattern is a constructor: it has arguments, and is none itself."""
        before, after = self.texts[place - 1], self.texts[place + 1]
        if place + 1 >= end or not (place - 1 == bar or before in ("(", ",", "⟨", "@", "|")):
            return False
        return is_identifier(after) or after in ("(", "⟨", "_", "[") or after[0].isdigit()

    def _alternative_end(self, begin: int) -> int | None:
        depth = 0
        for place in range(begin, min(self.end, begin + _ALTERNATIVE_REACH)):
            text = self.texts[place]
            if depth == 0 and text in ("=>", "↦"):
                return place
            depth += DEPTH.get(text, 0)
            if depth < 0 or text in (":=", "by", "fun", ";", "exact", "with"):
                return None
        return None


_HANDLERS = {
    **dict.fromkeys(QUANTIFIERS, _Scanner.quantifier),
    **dict.fromkeys(_SEQUENCE_BINDERS, _Scanner.sequence),
    **dict.fromkeys(_NAMED_FACTS, _Scanner.fact),
    **dict.fromkeys(_LETS, _Scanner.let),
    "{": _Scanner.set_builder,
    "with": _Scanner.clause,
    "|": _Scanner.alternative,
}

_GOAL_ENDS = frozenset((":=", "from", "by", ";", "<;>", "then", "with", "using"))


def goal_end(tokens: Tokens, begin: int, end: int) -> int:
    """Where the proposition that begins at `begin` ends: at `:=`, `from`, `by`, or its line's margin."""
    texts = tokens.texts
    depth = 0
    lets = 0
    for index in range(begin, end):
        text = texts[index]
        step = DEPTH.get(text)
        if step is not None:
            depth += step
            if depth < 0:
                return index
        elif depth == 0:
            if text in ("let", "have", "letI", "haveI"):
                lets += 1
            elif text == ":=" and lets:
                lets -= 1
            elif text in _GOAL_ENDS:
                return index
    return end


def scan_mentions(
    tokens: Tokens, begin: int, end: int, local: dict[str, str], steps: TacticSteps
) -> list[tuple[int, Mention]]:
    """The mentions in the tokens [begin, end), each with its token, in order.

    Args:
        local: names bound outside, with the heads of their types; not altered.
        steps: where the tactics of the range stand (their own words are no mentions).
    """
    return _Scanner(tokens, begin, end, dict(local), steps).run()
