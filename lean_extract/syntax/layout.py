"""Searches over tokens: matching brackets, lines by column, and the next of some words.

Scanning token by token is fastest if the result is near. Once the scans have covered several times the whole
file, a table is computed, and later searches use it. So the time of readers stays linear even on a text in
which the results are far away or missing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet

from lean_extract.syntax.brackets import DEPTH

_PATIENCE = 4
"""How many times the number of tokens may be scanned before a table is computed."""


class Brackets:
    """Matches brackets, regardless of their kinds."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._left = _PATIENCE * len(texts)
        self._pairs: tuple[dict[int, int], dict[int, int]] | None = None
        """Closers by openers, and openers by closers, once the table has been computed."""
        self._stops: dict[AbstractSet[str], list[int]] = {}

    def close(self, begin: int, end: int) -> int:
        """The index before `end` of the bracket that closes the one at `begin`; `end - 1` if there is none.

        It is `begin` itself if that token is not an opening bracket.
        """
        if self._left > 0:
            depth = 0
            for index in range(begin, end):
                depth += DEPTH.get(self._texts[index], 0)
                if depth <= 0:
                    self._left -= index - begin
                    return index
            self._left -= end - begin
            return end - 1
        return min(self._partners()[0].get(begin, begin), end - 1) if begin < end else end - 1

    def opener(self, closer: int, begin: int) -> int:
        """The index, from `begin` on, of the bracket that `closer` closes; `closer` itself if there is none."""
        if self._left > 0:
            depth = 0
            for index in range(closer, begin - 1, -1):
                depth += DEPTH.get(self._texts[index], 0)
                if depth >= 0:
                    self._left -= closer - index
                    return index
            self._left -= closer - begin
            return closer
        found = self._partners()[1].get(closer, closer)
        return found if found >= begin else closer

    def stop(self, begin: int, end: int, words: AbstractSet[str]) -> int:
        """The index of the first of these words from `begin` on that is not inside further brackets, or of the
        bracket that closes the one around `begin`; `end` if neither comes before it."""
        if self._left <= 0:
            table = self._stops.get(words)
            if table is None:
                table = self._stops[words] = self._table(words)
            return min(table[begin], end) if begin < end else end
        depth = 0
        texts = self._texts
        for index in range(begin, end):
            text = texts[index]
            step = DEPTH.get(text)
            if step is not None:
                depth += step
                if depth < 0:
                    break
            elif depth == 0 and text in words:
                break
        else:
            index = end
        self._left -= index - begin
        return index

    def _partners(self) -> tuple[dict[int, int], dict[int, int]]:
        if self._pairs is None:
            closers: dict[int, int] = {}
            openers: dict[int, int] = {}
            opened: list[int] = []
            for index, step in enumerate(map(DEPTH.get, self._texts)):
                if step is None:
                    continue
                if step > 0:
                    opened.append(index)
                elif opened:
                    opener = opened.pop()
                    closers[opener], openers[index] = index, opener
            closers.update(dict.fromkeys(opened, len(self._texts)))
            self._pairs = closers, openers
        return self._pairs

    def _table(self, words: AbstractSet[str]) -> list[int]:
        """The result of `stop` for each token as `begin`."""
        closers, count = self._partners()[0], len(self._texts)
        table = [count] * (count + 1)
        found = count
        for index in range(count - 1, -1, -1):
            text = self._texts[index]
            step = DEPTH.get(text)
            if step is None:
                if text in words:
                    found = index
            elif step < 0:
                found = index
            else:
                found = table[min(closers[index] + 1, count)]
            table[index] = found
        return table


class Lines:
    """Searches the first tokens of lines by their columns.

    Args:
        firsts: the indices of these tokens, ascending.
        column: gives the column of a token.
    """

    def __init__(self, firsts: Sequence[int], column: Callable[[int], int]) -> None:
        self._firsts, self._column = firsts, column
        self._left = _PATIENCE * len(firsts)
        self._chains: _Chains | None = None

    def next_within(self, begin: int, end: int, column: int) -> int:
        """The first token in [begin, end) that begins a line at or left of `column`; `end` if there is none."""
        line = bisect_right(self._firsts, begin - 1)
        if self._left <= 0:
            if self._chains is None:
                self._chains = _Chains(list(map(self._column, self._firsts)))
            line = self._chains.next_within(line, column)
            return min(self._firsts[line], end) if line < len(self._firsts) else end
        start = line
        while line < len(self._firsts):
            first = self._firsts[line]
            if first >= end or self._column(first) <= column:
                break
            line += 1
        self._left -= line - start
        return min(self._firsts[line], end) if line < len(self._firsts) else end

    def next_line(self, begin: int, end: int) -> int:
        """The first token in [begin, end) that begins a line; `end` if there is none."""
        line = bisect_right(self._firsts, begin - 1)
        return min(self._firsts[line], end) if line < len(self._firsts) else end


class _Chains:
    """For each line, a link to the next line that begins further left, and one to a line further along that
    chain (the jump pointers of Myers, 1983), so that a search takes logarithmic time."""

    def __init__(self, columns: Sequence[int]) -> None:
        count = len(columns)
        self._columns = [*columns, -1]
        self._next, self._jump, self._depth = [count] * (count + 1), [count] * (count + 1), [0] * (count + 1)
        waiting: list[int] = [count]
        for line in range(count - 1, -1, -1):
            while self._columns[waiting[-1]] >= self._columns[line]:
                waiting.pop()
            self._link(line, waiting[-1])
            waiting.append(line)

    def _link(self, line: int, following: int) -> None:
        self._next[line], self._depth[line] = following, self._depth[following] + 1
        near = self._jump[following]
        far, depth = self._jump[near], self._depth
        self._jump[line] = far if depth[following] - depth[near] == depth[near] - depth[far] else following

    def next_within(self, line: int, column: int) -> int:
        """The first line from `line` on that begins at or left of `column`; the number of lines if there is none."""
        while self._columns[line] > column:
            jump = self._jump[line]
            line = jump if self._columns[jump] > column else self._next[line]
        return line
