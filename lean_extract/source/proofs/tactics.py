"""Splits tactic blocks into steps, by indentation, separators and focus dots."""

from __future__ import annotations

from dataclasses import dataclass, field

from lean_extract.syntax.binder_words import QUANTIFIERS
from lean_extract.syntax.brackets import DEPTH
from lean_extract.syntax.lexer import Tokens
from lean_extract.syntax.tactic_words import COMBINATORS, CONTAINERS, FOCUS_DOTS, SEPARATORS, TACTIC_BLOCKS

_TACTIC_FOLLOWS = frozenset((("|", "first"), ("in", "open"), ("in", "set_option")))
"""Tokens that are followed by a tactic, with the first word of the step that contains them."""
_COMMA_BINDERS = QUANTIFIERS - {"fun"}
"""Quantifiers whose binders end with a comma."""

_MAX_BLOCKS = 40
"""Levels of nested blocks. The text of each block contains that of all blocks in it. Mathlib has a dozen."""

_NOTED = SEPARATORS | FOCUS_DOTS | _COMMA_BINDERS | {",", "=>", "|", "in"}


@dataclass(slots=True)
class _OpenBlock:
    """An open block: its column, its bracket depth, and the first token of its current step."""

    column: int
    depth: int
    step: int
    commas: int = 0
    """Commas still expected by quantifiers of the current step."""
    is_container: bool = False
    cut: int | None = None
    """The token at which a nested block on its own lines began in the current step."""


@dataclass(slots=True)
class TacticSteps:
    """Steps as token ranges, in order of their first tokens, and all tokens in tactic position."""

    steps: list[tuple[int, int]] = field(default_factory=list)
    positions: set[int] = field(default_factory=set)
    tactic_bars: set[int] = field(default_factory=set)
    """The `|` tokens that begin alternatives of tactics, not of terms."""


class _Splitter:
    """One pass over a proof's tokens with a stack of open blocks."""

    def __init__(self, tokens: Tokens, begin: int, end: int) -> None:
        self.tokens = tokens
        self.texts = tokens.texts
        self.begin, self.end = begin, end
        self.firsts = set(tokens.firsts(begin, end))
        self.blocks: list[_OpenBlock] = []
        self.depth = 0
        self.result = TacticSteps()

    def run(self) -> TacticSteps:
        """All steps of the range."""
        texts, firsts, blocks = self.texts, self.firsts, self.blocks
        before = texts[self.begin - 1]
        for index in range(self.begin, self.end):
            text = texts[index]
            if blocks and index in firsts:
                self._line(index)
            step = DEPTH.get(text)
            if step is not None:
                self._bracket(index, text, step)
            elif text in TACTIC_BLOCKS:
                self._open(index + 1)
            elif blocks and (text in _NOTED or before in COMBINATORS):
                self._inside(index, text)
            before = text
        while self.blocks:
            self._pop(self.end)
        self.result.steps.sort()
        return self.result

    def _line(self, index: int) -> None:
        column = self.tokens.column(index)
        while self.blocks and self.blocks[-1].depth >= self.depth and column < self.blocks[-1].column:
            self._pop(index)
        if not self.blocks:
            return
        block = self.blocks[-1]
        if block.depth == self.depth and column == block.column and index > block.step:
            self._finish(block, index)
            self._begin(block, index)

    def _bracket(self, index: int, text: str, step: int) -> None:
        if step > 0:
            self.depth += 1
            if self.blocks and text in ("(", "{") and self.blocks[-1].step == index:
                self.blocks[-1].is_container = True
                self._open(index + 1)
            return
        self.depth -= 1
        while self.blocks and self.blocks[-1].depth > self.depth:
            self._pop(index)

    def _inside(self, index: int, text: str) -> None:
        block = self.blocks[-1]
        if block.depth != self.depth:
            return
        if text in SEPARATORS:
            self._finish(block, index)
            self._begin(block, index + 1)
        elif text == ",":
            self._comma(block, index)
        elif self._opens_block(block, index, text):
            block.is_container = True
            self._open(index + 1)
        elif index - 1 in self.result.positions and self.texts[index - 1] in COMBINATORS:
            self._combined(block, index)
        elif (text, self.texts[block.step]) in _TACTIC_FOLLOWS:
            self.result.positions.add(index + 1)
        elif text in _COMMA_BINDERS:
            block.commas += 1

    def _opens_block(self, block: _OpenBlock, index: int, text: str) -> bool:
        """Whether the token is a focus dot, or the arrow of `case x =>` and similar tactics."""
        if text in FOCUS_DOTS:
            return block.step == index
        return text == "=>" and not block.is_container and self.texts[block.step] in CONTAINERS

    def _combined(self, block: _OpenBlock, index: int) -> None:
        """Read the token after `try`, `all_goals`, ...: a tactic, or a block if it begins a line."""
        if self.texts[index] == "|":
            self.result.positions.add(index + 1)
        elif index in self.firsts:
            block.is_container = True
            self._open(index)
        else:
            self.result.positions.add(index)

    def _comma(self, block: _OpenBlock, index: int) -> None:
        """Read a comma: it belongs to a quantifier, or ends an inline block (`⟨by simp, h⟩`)."""
        if block.commas:
            block.commas -= 1
            return
        while self.depth and self.blocks and self.blocks[-1].depth == self.depth:
            self._pop(index)

    def _open(self, index: int) -> None:
        """Open a block whose first step begins at `index`."""
        if index >= self.end or DEPTH.get(self.texts[index]) == -1 or len(self.blocks) >= _MAX_BLOCKS:
            return
        column = self.tokens.column(index)
        if self.blocks:
            outer = self.blocks[-1]
            if index in self.firsts:
                if outer.depth == self.depth and column <= outer.column and outer.column >= 0:
                    return
                if outer.cut is None and outer.depth == self.depth:
                    outer.cut = index
        block = _OpenBlock(column, self.depth, index)
        self.blocks.append(block)
        self.result.positions.add(index)

    def _begin(self, block: _OpenBlock, index: int) -> None:
        block.step, block.commas, block.is_container, block.cut = index, 0, False, None
        if index < self.end:
            self.result.positions.add(index)
            if self.texts[index] == "|":
                self.result.tactic_bars.add(index)

    def _finish(self, block: _OpenBlock, end: int) -> None:
        if block.step >= end or block.is_container:
            return
        stop = end if block.cut is None else min(end, block.cut)
        self.result.steps.append((block.step, stop))

    def _pop(self, index: int) -> None:
        block = self.blocks.pop()
        self._finish(block, index)


def split_steps(tokens: Tokens, begin: int, end: int) -> TacticSteps:
    """The steps of all tactic blocks in the tokens [begin, end), including nested ones."""
    if TACTIC_BLOCKS.isdisjoint(tokens.texts[begin:end]):
        return TacticSteps()
    return _Splitter(tokens, begin, end).run()
