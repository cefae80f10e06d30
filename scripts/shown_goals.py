"""Goals for `check_shown_tactics.py`: steps of the example library's proofs, and goals in files with an error.

At a step of a proof, the step and what follows in its block give way to `sorry`. The rest of the proof stays, so the
file is whole but for the `sorry`. With --broken each file with an error has a twin in which the error is mended. Half
of these kinds put an error into a file of the example library, above a goal or into its statement; the others are
small files of our own, drawn by seed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lean_extract.records import Position, Span
from lean_extract.session.document import LeanDocument
from lean_extract.source.reader import read_module
from lean_extract.syntax.tactic_text import brackets
from lsp_server.documents.positions import offset_of

MARK = "‸"
LEFT_TO_SORRY = "definition left to sorry"
"""The one kind that Lean only warns of."""
_NAMED = re.compile(r"\b(?:theorem|lemma)\s+(?P<name>[^\s:({\[⦃]+)")
_WORD = re.compile(r"(?<![\w.'])[A-Za-z]\w*\.\w+(?![\w.'])|(?<=[=≤∣∈+*] )[A-Za-z]\w*(?![\w.'])")


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a proof in a file, and where the block that it begins or goes on with ends."""

    path: Path
    theorem: str
    start: Position
    end: Position

    @property
    def key(self) -> str:
        """What names it from one run to the next."""
        return f"{self.path.as_posix()}:{self.start.line + 1}:{self.start.column + 1}"

    def cut(self, text: str, goals: int) -> str:
        """The file with a `sorry` for each goal instead of the step and of what follows in its block."""
        lines = text.split("\n")
        start, end = offset_of(lines, self.start), offset_of(lines, self.end)
        return text[:start] + ("\n" + " " * self.start.column).join(["sorry"] * goals) + text[end:]


def drawn(library: Path, seed: int) -> list[Step]:
    """Every step of every proof by tactics, in an order that the seed decides."""
    found = [step for path in sorted(library.rglob("*.lean")) for step in _steps(path, library.parent)]
    random.Random(seed).shuffle(found)
    return found


def _steps(path: Path, root: Path) -> Iterator[Step]:
    text = path.read_text(encoding="utf-8")
    relative = path.relative_to(root)
    module = read_module(text, ".".join(relative.with_suffix("").parts), str(path))
    lines = text.split("\n")
    for proof in module.proofs:
        spans = [step.span for step in proof.steps]
        for span in spans:
            yield Step(relative, proof.theorem, span.start, _block_end(lines, span, spans))


def _block_end(lines: Sequence[str], span: Span, spans: Sequence[Span]) -> Position:
    """Where the last of the steps ends that follow in the step's block, or deeper."""
    last = span.start.line
    for number in range(span.start.line + 1, len(lines)):
        line = lines[number]
        if line.strip() and len(line) - len(line.lstrip()) < span.start.column:
            break
        last = number
    text = "\n".join(lines)
    start = offset_of(lines, span.start)
    ends = sorted({other.end for other in spans if other.end > span.start and other.end.line <= last})
    for end in reversed(ends):
        problem, still_open = brackets(text[start : offset_of(lines, end)])
        if problem is None and not still_open:
            return end
    return span.end


@dataclass(frozen=True, slots=True)
class Broken:
    """A file with an error, the same file with the error mended, and the place of the goal in each.

    `path`: where in the library's folder the file counts as standing. `theorem`: its full name in the file.
    """

    key: str
    kind: str
    path: Path
    theorem: str
    text: str
    place: Position
    mended: str
    mended_place: Position

    @property
    def has_error(self) -> bool:
        """Whether Lean calls it an error."""
        return self.kind != LEFT_TO_SORRY


Injection = Callable[[str, int, int, random.Random], tuple[str, str] | None]
"""A text marked at the goal, the offset of the goal's declaration, that of its place; with the error, and
mended. None: there is no room for this kind there."""


def cases(library: Path, count: int, seed: int) -> Iterator[Broken]:
    """At least this many cases, kind by kind in turn: not every one has a goal."""
    steps = drawn(library / "Example", seed)
    rng = random.Random(seed)
    kinds = [*INJECTIONS, *TEMPLATES]
    number = 0
    while number < 3 * count and steps:
        kind = kinds[number % len(kinds)]
        if kind in INJECTIONS:
            made = _injected(kind, steps.pop(), library, rng)
        else:
            made = _templated(kind, number // len(kinds), rng)
        if made is not None:
            yield made
        number += 1


def _injected(kind: str, step: Step, library: Path, rng: random.Random) -> Broken | None:
    whole = (library / step.path).read_text(encoding="utf-8")
    text = step.cut(whole, 1)
    place = offset_of(text.split("\n"), step.start)
    document = LeanDocument(text)
    start = document.declaration(place)[0]
    made = INJECTIONS[kind](f"{text[:place]}{MARK}{text[place:]}", start, place, rng)
    if made is None or not _NAMED.search(text, start, place):
        return None
    (broken, where), (mended, mended_where) = map(unmarked, made)
    return Broken(f"{kind}:{step.key}", kind, step.path, step.theorem, broken, where, mended, mended_where)


def _templated(kind: str, number: int, rng: random.Random) -> Broken:
    template, bad, good = TEMPLATES[kind][number % len(TEMPLATES[kind])]
    names = {"n": str(rng.randrange(2, 9)), "m": str(rng.randrange(2, 9)), "id": str(number)}

    def filled(part: str) -> str:
        text = template.replace("⟦⟧", part)
        for name, value in names.items():
            text = text.replace(f"‹{name}›", value)
        return text

    (broken, where), (mended, mended_where) = unmarked(filled(bad)), unmarked(filled(good))
    named = _NAMED.findall(mended[: offset_of(mended.split("\n"), mended_where)])
    path = Path("Example") / f"Broken{number}.lean"
    return Broken(f"{kind}:{number}", kind, path, named[-1], broken, where, mended, mended_where)


def unmarked(text: str) -> tuple[str, Position]:
    """A text without its mark, and where that stood."""
    before, _, after = text.partition(MARK)
    return before + after, Position(before.count("\n"), len(before) - before.rfind("\n") - 1)


def more_goals(case: Broken, goals: int) -> Broken:
    """The case with a `sorry` for each of several goals."""
    further = "".join("\n" + " " * case.place.column + "sorry" for _ in range(goals - 1))

    def put(text: str, place: Position) -> str:
        end = offset_of(text.split("\n"), place) + len("sorry")
        return text[:end] + further + text[end:]

    return replace(case, text=put(case.text, case.place), mended=put(case.mended, case.mended_place))


def _above(broken: str, mended: str = "") -> Injection:
    """A command above the goal's declaration."""

    def put(text: str, start: int, place: int, rng: random.Random) -> tuple[str, str] | None:
        above = _above_comments(text, start)
        bad, good = (f"{text[:above]}{one}\n\n{text[above:]}" for one in (broken, mended))
        return bad, good

    return put


def _above_comments(text: str, start: int) -> int:
    """Where the doc comment and attributes above a declaration begin."""
    lines = text[:start].split("\n")
    last = len(lines) - 1
    while last > 0 and lines[last - 1].strip():
        last -= 1
    return len("\n".join(lines[:last])) + (last > 0)


def _before(broken: str, mended: str = "skip") -> Injection:
    """A tactic above the goal's place, in its own block."""

    def put(text: str, start: int, place: int, rng: random.Random) -> tuple[str, str] | None:
        column = place - text.rfind("\n", 0, place) - 1
        if text[place - column : place].strip():
            return None
        bad, good = (f"{text[:place]}{one}\n{' ' * column}{text[place:]}" for one in (broken, mended))
        return bad, good

    return put


def _binder(broken: str, mended: str = "") -> Injection:
    """A binder after the theorem's name."""

    def put(text: str, start: int, place: int, rng: random.Random) -> tuple[str, str] | None:
        name = _NAMED.search(text, start, place)
        if name is None:
            return None
        bad, good = (f"{text[: name.end()]}{one}{text[name.end() :]}" for one in (broken, mended))
        return bad, good

    return put


def _typo(text: str, start: int, place: int, rng: random.Random) -> tuple[str, str] | None:
    """A name in the statement with a letter too many."""
    name = _NAMED.search(text, start, place)
    end = text.find(":=", start, place)
    words = list(_WORD.finditer(text, name.end(), end)) if name and end > 0 else []
    if not words:
        return None
    word = rng.choice(words)
    return f"{text[: word.end()]}zz{text[word.end() :]}", text


def _no_import(text: str, start: int, place: int, rng: random.Random) -> tuple[str, str] | None:
    """One import is forgotten."""
    imports = list(re.finditer(r"^import Example.*\n", text, re.MULTILINE))
    if not imports:
        return None
    line = rng.choice(imports)
    return text[: line.start()] + "\n" + text[line.end() :], text


def _twice(text: str, start: int, place: int, rng: random.Random) -> tuple[str, str] | None:
    """The theorem's name is taken already."""
    name = _NAMED.search(text, start, place)
    if name is None:
        return None
    above = _above_comments(text, start)
    return f"{text[:above]}theorem {name['name']} : True := trivial\n\n{text[above:]}", text


def _no_end(text: str, start: int, place: int, rng: random.Random) -> tuple[str, str] | None:
    """The file ends after the goal, in the middle of a term or a comment."""
    end = place + len(MARK) + len("sorry")
    return f"{text[:end]}\n{rng.choice(['/- to do', '  exact (foo', '  have : (1 = '])}", text


INJECTIONS: dict[str, Injection] = {
    "typo in the statement": _typo,
    "missing import": _no_import,
    "name declared twice": _twice,
    "file that does not end": _no_end,
    "bad binder type": _binder(" (bad : No.Such 3)"),
    "wrong number of arguments": _binder(" (bad : Nat.succ 1 2 = 3)"),
    "broken variable line": _above("variable (bad : No.Such)"),
    "universe declared twice": _above("universe twofold twofold"),
    "unknown namespace opened": _above("open No.Such.Place"),
    "broken theorem above": _above("theorem broken_above : 1 = 2 := by exact no_such_lemma"),
    "parse error above": _above("theorem broken_above (a : ℕ : a = a := by"),
    "broken simp lemma above": _above(
        "@[simp] theorem broken_above (n : ℕ) : n = 0 := by exact no_such_lemma"
    ),
    "error in an earlier have": _before("have above : True := no_such_lemma", "have above : True := trivial"),
    "error in an earlier statement": _before("have above : no_such = 1 := rfl", "have above : 1 = 1 := rfl"),
    "unknown tactic above": _before("frobnicate"),
    "unknown lemma above": _before("simp only [no_such_lemma]"),
}

_IMPORT = "import Example.Nat.Basic\n\n"
_TWIST = (
    f"{_IMPORT}class Twist (α : Type) where\n  twist : α → α\n  twist_twist : ∀ a, twist (twist a) = a\n\n"
)
_GOALS = ("f ‹n› = f ‹m›", "f ‹n› = ‹n›", "f (f ‹n›) = f ‹n›", "f ‹n› = f ‹n› + 0")
_PROOF = f" := by\n  {MARK}sorry\n"


def _defined(bad: str, good: str) -> list[tuple[str, str, str]]:
    """A definition that the goal unfolds, with an error in it, or without."""
    head = f"{_IMPORT}def f (k : ℕ) : ℕ := ⟦⟧\n\ntheorem of_f : "
    return [(f"{head}{goal}{_PROOF}", bad, good) for goal in _GOALS]


def _defined_through(bad: str, good: str) -> list[tuple[str, str, str]]:
    """The same, with another definition in between."""
    inner = "noncomputable def g (k : ℕ) : ℕ := ⟦⟧\n\nnoncomputable def f (k : ℕ) : ℕ := g k + 0"
    return [(f"{_IMPORT}{inner}\n\ntheorem of_f : {goal}{_PROOF}", bad, good) for goal in _GOALS]


def _of_instance(*bad: str) -> list[tuple[str, str, str]]:
    head = f"{_TWIST}instance : Twist ℕ := ⟨⟦⟧⟩\n\ntheorem of_twist : Twist.twist ‹n› = "
    goals = ("‹m›", "‹n›", "Twist.twist ‹m›")
    return [(f"{head}{goal}{_PROOF}", one, "fun k => k, fun _ => rfl") for goal in goals for one in bad]


TEMPLATES: dict[str, list[tuple[str, str, str]]] = {
    "missing instance": [
        (f"{_TWIST}theorem twice_same {{α : Type}} ⟦⟧(a : α) : {goal}{_PROOF}", "", "[Twist α] ")
        for twice in ["Twist.twist (Twist.twist a)"]
        for goal in (f"{twice} = a", "Twist.twist a = a", f"a = {twice}")
    ],
    "unfinished calc": [
        (
            f"{_IMPORT}theorem chain (a b c : ℕ) (hab : a = b) (hbc : b = c) : a = c := by\n"
            f"  calc a = ⟦⟧\n    _ = c := by {MARK}sorry\n",
            bad,
            "b := hab",
        )
        for bad in ("b := no_such", "no_such := hab", "b := by", "_ := hab hab")
    ],
    "broken definition above": _defined("k + no_such k", "k + ‹n›"),
    LEFT_TO_SORRY: _defined("sorry", "k + ‹n›"),
    "definition of the wrong type": _defined("(k = k)", "‹n› * k"),
    "definition on a broken one": _defined_through("no_such k", "k + ‹n›"),
    "broken instance above": _of_instance("fun k => no_such k, fun _ => rfl", "sorry, sorry"),
    "broken structure above": [
        (
            f"{_IMPORT}structure Box where\n  value : ⟦⟧\n\ntheorem of_box (b c : Box) : {goal}{_PROOF}",
            "No.Such",
            "ℕ",
        )
        for goal in ("b.value = c.value", "b = c", "b.value = b.value")
    ],
}
