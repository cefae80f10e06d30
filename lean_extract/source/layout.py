"""Where tokens stand to each other: brackets and their partners, lines by columns, the next of some words.

Everything is worked out once for a file and then told at once, so that readers which look ahead from many
places take no longer for a text that never has what they look for.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from lean_extract.source.syntax import DEPTH

_NEAR = 200
"""So many tokens are looked at one by one; what lies farther is looked up."""


class Brackets:
    """Which bracket closes which, whatever their kinds."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._closers: dict[int, int] = {}
        self._openers: dict[int, int] = {}
        self._stops: dict[AbstractSet[str], list[int]] = {}
        opened: list[int] = []
        for index, step in enumerate(map(DEPTH.get, texts)):
            if step is None:
                continue
            if step > 0:
                opened.append(index)
            elif opened:
                opener = opened.pop()
                self._closers[opener], self._openers[index] = index, opener
        self._closers.update(dict.fromkeys(opened, len(texts)))

    def close(self, begin: int, end: int) -> int:
        """The bracket that closes the one at `begin`, before `end`; `end - 1` if none does.

        `begin` itself where no bracket is opened there.
        """
        if begin >= end:
            return end - 1
        return min(self._closers.get(begin, begin), end - 1)

    def opener(self, closer: int, begin: int) -> int:
        """The bracket that `closer` closes, from `begin` on; `closer` itself if there is none."""
        found = self._openers.get(closer, closer)
        return found if found >= begin else closer

    def stop(self, begin: int, end: int, words: AbstractSet[str]) -> int:
        """The first of some words from `begin` on that no bracket encloses, or what closes the bracket
        around `begin`; `end` if there is neither before it."""
        depth = 0
        texts = self._texts
        near = min(end, begin + _NEAR)
        for index in range(begin, near):
            text = texts[index]
            step = DEPTH.get(text)
            if step is not None:
                depth += step
                if depth < 0:
                    return index
            elif depth == 0 and text in words:
                return index
        if near == end:
            return end
        table = self._stops.get(words)
        if table is None:
            table = self._stops[words] = self._table(words)
        return min(table[begin], end)

    def _table(self, words: AbstractSet[str]) -> list[int]:
        """For each token where `stop` ends from there on."""
        count = len(self._texts)
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
                found = table[min(self._closers[index] + 1, count)]
            table[index] = found
        return table


class Lines:
    """The first tokens of lines by their columns.

    Each line knows the next one that begins farther left, and one some way along that chain (the jump
    pointers of Myers, 1983), so that a search takes logarithmic time.
    """

    def __init__(self, firsts: Sequence[int], columns: Sequence[int]) -> None:
        self._firsts, self._columns = firsts, [*columns, -1]
        count = len(firsts)
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

    def next_within(self, begin: int, end: int, column: int) -> int:
        """The first token in [begin, end) that begins its line at or left of a column; `end` if none does."""
        line = bisect_right(self._firsts, begin - 1)
        while self._columns[line] > column:
            jump = self._jump[line]
            line = jump if self._columns[jump] > column else self._next[line]
        return min(self._firsts[line], end) if line < len(self._firsts) else end

    def next_line(self, begin: int, end: int) -> int:
        """The first token in [begin, end) that comes first on its line; `end` if there is none."""
        line = bisect_right(self._firsts, begin - 1)
        return min(self._firsts[line], end) if line < len(self._firsts) else end
