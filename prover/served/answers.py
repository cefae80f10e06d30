"""Reads tactics and proofs in what a model writes: in fences, in prose, in JSON, after what it thinks. Pure.

In linear time. Nothing here decides what is a proof: what is read is filtered as any text is (`tactic_text.defect`),
then Lean judges.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lean_extract.syntax.keywords import DEFINITION_WORDS, MODIFIERS, SCOPE_WORDS, THEOREM_WORDS, any_of
from lean_extract.syntax.tactic_text import LONGEST, defect
from lean_extract.syntax.tactic_tokens import tactic_tokens
from lean_extract.syntax.tactic_words import FACTS, GIVING, GOAL_KEEPING, INTRODUCING, SPLITTING
from prover.candidates import key_of
from prover.limits import MAX_MODEL_CHARACTERS, MAX_WRITTEN_TACTICS
from prover.search.theorem import script
from prover.served.listed import ListedTactics
from prover.tactic_words import MODULES

_FENCES = ("```", "~~~")
_LEAN = frozenset(("", "lean", "lean4", "tactics", "tactic", "lean3"))
_LONGEST_LINE = 2 * LONGEST
_OPEN_THOUGHT, _END_OF_THOUGHT = "<think>", "</think>"
_NUMBER = re.compile(r"(?:\d{1,3}[.)]|[-*•])\s+")
_SPAN = re.compile(r"`([^`\n]++)`")
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff\ufffe\uffff]"
)
_JOINS = ("|", "·", "<;>", ")", "]", "}", "⟩", "else", "then", "with ", "at ", "using ")
"""What begins a line that belongs to the tactic above, even at the margin."""
_DECLARED = re.compile(
    rf"(?:@\[[^\]\n]*+\]\s*+)?(?:(?:{any_of(MODIFIERS)})\s+)*+(?:{any_of(THEOREM_WORDS | DEFINITION_WORDS)})\b"
)
_NEXT_COMMAND = re.compile(rf"(?:{any_of(SCOPE_WORDS | {'open', 'variable', 'set_option'})})\b|#\w")
_USUAL = (
    frozenset(MODULES)
    | GIVING
    | INTRODUCING
    | SPLITTING
    | FACTS
    | GOAL_KEEPING
    | frozenset(("apply", "assumption", "calc", "change", "congr", "constructor", "contradiction", "decide"))
    | frozenset(("exists", "exfalso", "ext", "funext", "grind", "left", "omega", "rfl", "right", "rw", "rwa"))
    | frozenset(("show", "simp", "simp_all", "simpa", "split", "suffices", "symm", "trivial", "unfold"))
)
"""First words by which a line of prose is taken for a tactic."""


class AnswerReader:
    """Reads a model's text as it arrives, in pieces of any size.

    `whole`: whether only whole proofs are wanted, rather than the tactics for the next step, each as soon as its last
    line is there. What proves nothing, runs commands or cannot be read is left out; each text comes once.
    """

    def __init__(self, *, whole: bool = False) -> None:
        self._whole = whole
        self._listed = ListedTactics()
        self._rest: list[str] = []
        """The pieces of the line that is being written."""
        self._left = MAX_MODEL_CHARACTERS
        self._is_thinking = False
        self._fence = ""
        """The marks that end the block of code; empty outside of one."""
        self._is_lean = False
        self._block: list[str] = []
        self._group: list[str] = []
        """The lines of the tactic that is being written."""
        self._groups = 0
        self._has_declaration = False
        self._had_block = False
        self._prose: list[str] = []
        self._found: dict[str, str] = {}

    @property
    def is_full(self) -> bool:
        """Whether nothing more will be read."""
        return self._left <= 0 or len(self._found) >= MAX_WRITTEN_TACTICS

    def feed(self, piece: str) -> list[str]:
        """What is complete with the next piece."""
        piece = piece[: max(self._left, 0)]
        self._left -= len(piece)
        return self._fed(self._listed.feed(piece))

    def _fed(self, piece: str) -> list[str]:
        self._rest.append(piece)
        if "\n" not in piece:
            return []
        *lines, last = "".join(self._rest).split("\n")
        self._rest = [last]
        return [text for line in lines for text in self._line(line)]

    def finish(self) -> list[str]:
        """What is left at the end of the text."""
        held = self._fed(self._listed.finish())
        found = [*held, *self._line("".join(self._rest)), *self._end_block()]
        self._rest = []
        if not self._had_block and self._prose:
            lines, self._prose = self._prose, []
            found += self._prose_found(lines)
        return found

    def _line(self, line: str) -> Iterator[str]:
        """Read one line. What a model thinks is skipped, with marks on lines of their own or within one."""
        if len(line) > _LONGEST_LINE:  # of a line that nobody would read, what follows the last thought
            before, end, line = line.rpartition(_END_OF_THOUGHT)
            self._is_thinking = (self._is_thinking or _OPEN_THOUGHT in before) and not end
        line = _CONTROL.sub("", line[:_LONGEST_LINE]).replace("\t", "  ").rstrip()
        while line or not self._is_thinking:
            if self._is_thinking:
                _, end, line = line.partition(_END_OF_THOUGHT)
                if not end:
                    return
                self._is_thinking = False
                continue
            before, begin, after = line.partition(_OPEN_THOUGHT)
            if _END_OF_THOUGHT in before:  # the server's template has opened the thought
                self._forget()
                line = line.rpartition(_END_OF_THOUGHT)[2]
                continue
            yield from self._read(before)
            if not begin:
                return
            self._is_thinking, line = True, after

    def _forget(self) -> None:
        """Drop what was written while the model thought."""
        self._fence, self._block, self._group, self._prose = "", [], [], []
        self._groups, self._had_block, self._has_declaration = 0, False, False

    def _read(self, line: str) -> Iterator[str]:
        bare = line.strip()
        mark = next((mark for mark in _FENCES if bare.startswith(mark)), "")
        if self._fence and mark == self._fence:
            yield from self._end_block()
        elif not self._fence and mark:
            self._fence = mark
            self._is_lean = bare.strip("`~").strip().lower().split(" ")[0] in _LEAN
            self._had_block |= self._is_lean
        elif not self._fence:
            self._prose.append(line)
            if not self._whole:
                yield from self._spans(bare)
        elif self._is_lean:
            yield from self._code(line)

    def _code(self, line: str) -> Iterator[str]:
        self._block.append(line)
        self._has_declaration |= _DECLARED.match(line) is not None
        if self._whole or self._has_declaration:
            return
        is_further = not line.strip() or line[0] == " " or line.startswith(_JOINS)
        if not is_further:
            yield from self._end_group()
        self._group.append(line)

    def _end_group(self) -> Iterator[str]:
        lines, self._group = self._group, []
        text = _without_comments(lines)
        if text:
            self._groups += 1
            yield from self._new(_NUMBER.sub("", text, count=1) if _NUMBER.match(text) else text)

    def _end_block(self) -> Iterator[str]:
        """The block as a whole, after its last tactic."""
        block, self._block, self._fence = self._block, [], ""
        is_declared, self._has_declaration = self._has_declaration, False
        if not is_declared and not self._whole:
            yield from self._end_group()
        self._group = []
        groups, self._groups = self._groups, 0
        if is_declared:
            proof = proof_in(block)
            yield from self._new(proof)
            if not self._whole:
                yield from (text for step in steps_of(proof)[:1] for text in self._new(step))
        elif self._whole or groups > 1:
            yield from self._new(_without_comments(block))

    def _spans(self, line: str) -> Iterator[str]:
        """Code within a line of prose."""
        for span in _SPAN.findall(line):
            if _first_word(span) in _USUAL:
                yield from self._new(span)

    def _prose_found(self, lines: Sequence[str]) -> Iterator[str]:
        """Tactics in a text without a block of code."""
        if any(_DECLARED.match(line) for line in lines):
            yield from self._new(proof_in(lines))
            return
        if self._whole:
            text = _without_comments(lines)
            if _first_word(text) in _USUAL or text.startswith(("·", "by\n", "by ")):
                yield from self._new(text)
            return
        for line in lines:
            bare = _NUMBER.sub("", line.strip(), count=1) if _NUMBER.match(line.strip()) else line.strip()
            if _first_word(bare) in _USUAL:
                yield from self._new(bare)

    def _new(self, text: str) -> Iterator[str]:
        text = script([text])
        if text.startswith(("by ", "by\n")):
            text = script([text[2:].lstrip(" ").removeprefix("\n")])
        key = key_of(text)
        if key and key not in self._found and not self.is_full and defect(text) is None:
            self._found[key] = text
            yield text


def read_answer(text: str, *, whole: bool = False) -> list[str]:
    """The tactics, or the whole proofs, in a text."""
    reader = AnswerReader(whole=whole)
    return [*reader.feed(text), *reader.finish()]


def proof_in(lines: Sequence[str]) -> str:
    """The proof of the last declaration, as tactics; empty if it has none."""
    starts = [number for number, line in enumerate(lines) if _DECLARED.match(line)]
    if not starts:
        return ""
    own = [lines[starts[-1]]]
    for line in lines[starts[-1] + 1 :]:
        if _NEXT_COMMAND.match(line):
            break
        own.append(line)
    text = "\n".join(own)[: 2 * LONGEST]
    body = _after_colon_equals(text)
    if body is None:
        return ""
    word, rest = body.lstrip()[:2], body.lstrip()[2:]
    if word == "by" and (not rest or rest[0] in " \n"):
        first, _, others = rest.lstrip(" ").partition("\n")
        return script([_without_comments([first, *script([others]).split("\n")])])
    return f"exact {script([body])}" if body.strip() else ""


def steps_of(proof: str) -> list[str]:
    """The steps of a proof at its outermost level."""
    found: list[list[str]] = []
    for line in proof.split("\n"):
        if found and (not line.strip() or line[0] == " " or line.startswith(_JOINS)):
            found[-1].append(line)
        else:
            found.append([line])
    return ["\n".join(lines).rstrip() for lines in found if lines[0].strip()]


def _after_colon_equals(text: str) -> str | None:
    """What follows the first `:=` outside brackets; None if there is none."""
    depth = 0
    for token in tactic_tokens(text):
        if token.kind == "open":
            depth += 1
        elif token.kind == "close":
            depth -= 1
        elif token.text == ":" and depth <= 0 and text.startswith(":=", token.start):
            return text[token.start + 2 :]
    return None


def _without_comments(lines: Sequence[str]) -> str:
    """The lines without those that only hold a comment, and without empty ones around."""
    return script(["\n".join(line for line in lines if not line.lstrip().startswith("--"))])


def _first_word(text: str) -> str:
    return text.split(maxsplit=1)[0].rstrip(",;") if text.strip() else ""
