"""Time is linear in the length of every file, whatever it holds, and what is left out of one is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.cancellation import Cancelled, cancelled_when
from lean_extract.common.errors import BadRecords, BadSource
from lean_extract.limits import MAX_TOKENS
from lean_extract.records import FORMAT, VERSION, Premise, read_header, read_records
from lean_extract.source.open_file import possible_uses, resting_on_sorry, uses_in
from lean_extract.source.reader import SourceModule, read_module
from lean_extract.source.resolution.link import resolve
from lean_extract.toolchains.compile import header_imports
from lean_extract.traced.extract import trace_proof
from lean_extract.traced.ilean import read_ilean
from tests.hostile.growth import assert_linear
from tests.hostile.shapes import FILES, LEXICAL, TERMS, Shape

LARGEST = 1 << 16
PLACES = {
    "a statement": ("theorem t : ", " := by\n  intro a b\n  constructor\n  · exact a.1\n  · exact b.foo\n"),
    "a hypothesis": ("theorem t (h : ", ") : p := by\n  rcases h with ⟨a, b⟩ | c\n  exact h.1\n"),
    "a term": ("theorem t : p ∧ q := ", "\n"),
    "a tactic": ("theorem t : p → q := by\n  intro h\n  exact ", "\n"),
    "a pattern": ("theorem t (h : a ∧ b) : p := by\n  obtain ⟨", " , x⟩ := h\n  simp\n"),
    "a fact": ("theorem t : p := by\n  have h : ", " := q\n  exact h.1\n"),
    "a value": ("variable (a b : α) [C a]\ndef d := ", "\n"),
    "a field": ("@[ext, mk_iff] structure S where\n  f : ", "\n"),
    "a translation": ("@[to_additive (attr := simp), to_dual] theorem mul_t (h : a * b) : ", " := q\n"),
    "an anonymous instance": ("instance [C a] : ", " := q\n"),
    "a binder of an instance": ("instance [C a] [h : ", "] : C a := q\n"),
    "composed morphisms": ("@[reassoc, elementwise] theorem t : f = ", " := q\n"),
    "a projection": ("@[simps] def d : A ≃ B := { f := ", ", g := h }\n"),
}
"""Where in a file a term stands."""


def _at(place: str, shape: Shape) -> Shape:
    before, behind = PLACES[place]
    return lambda size: before + shape(size) + behind


def _read(text: str, states: bool = True) -> SourceModule:
    return read_module(text, "A", "A.lean", states=states)


@pytest.mark.parametrize("name", FILES)
def test_files_are_read_in_linear_time(name: str) -> None:
    assert_linear(_read, FILES[name], 1 << 18)


@pytest.mark.parametrize("name", LEXICAL)
def test_files_of_odd_tokens_are_read_in_linear_time(name: str) -> None:
    assert_linear(partial(_read, states=False), _at("a tactic", LEXICAL[name]), LARGEST)


@pytest.mark.parametrize("place", PLACES)
def test_terms_are_read_in_linear_time_wherever_they_stand(place: str) -> None:
    """All shapes of a term one after another, so that there is enough to measure."""
    shapes = [_at(place, shape) for shape in TERMS.values()]
    assert_linear(_read_all, lambda size: "\0".join(shape(size // len(shapes)) for shape in shapes), 1 << 19)


def _read_all(texts: str) -> None:
    for text in texts.split("\0"):
        _read(text)


LINKED: dict[str, Shape] = {
    "structures that extend each other": lambda size: (
        "".join(f"structure S{n + 1} extends S{n} where\n" for n in range(size // 40))
        + "".join(f"theorem t{n} (h : S{size // 40}) : p := h.x{n}\n" for n in range(size // 40))
    ),
    "constructors of one name": lambda size: "".join(
        f"inductive T{n} where\n  | c : T{n}\ntheorem t{n} : p := by\n  cases h with\n  | c => rfl\n"
        for n in range(size // 60)
    ),
    "fields of one large statement": lambda size: (
        f"theorem a : {'p ∧ ' * (size // 8)}q := r\ntheorem t : p := f "
        + "".join(f"a.x{n} " for n in range(size // 14))
    ),
    "a name declared again and again": lambda size: (
        "theorem u : p := t\n" * (size // 40) + "theorem t : p := q\n" * (size // 40)
    ),
    "long names": lambda size: f"theorem t : p := {'.'.join(['a'] * (size // 2))}\n",
    "many opened": lambda size: (
        "".join(f"open A{n}\n" for n in range(size // 30))
        + "".join(f"theorem t{n} : p := q{n} r{n}\n" for n in range(size // 30))
    ),
}


@lru_cache(maxsize=4)
def _linked(name: str, size: int) -> tuple[str, SourceModule]:
    """A text and what is read of it, once for all that is done with it."""
    text = LINKED[name](size)
    return text, _read(text, states=False)


@pytest.mark.parametrize(
    "work",
    [
        lambda module: list(resolve([module])),
        lambda module: list(uses_in(module, lambda name: False, module.proofs)),
        lambda module: list(possible_uses(module, module.proofs)),
        lambda module: resting_on_sorry(module, frozenset(("t", "x.y"))),
    ],
    ids=["linked", "uses", "possible uses", "resting on sorry"],
)
@pytest.mark.parametrize("name", LINKED)
def test_mentions_are_resolved_in_linear_time(work: Callable[[SourceModule], Any], name: str) -> None:
    modules: dict[str, SourceModule] = {}

    def read(size: int) -> str:
        text, module = _linked(name, size)
        modules[text] = module
        return text

    assert_linear(lambda text: work(modules[text]), read, 1 << 18)


@pytest.mark.parametrize("name", {**LEXICAL, **FILES})
def test_headers_are_read_in_linear_time(name: str) -> None:
    assert_linear(header_imports, {**LEXICAL, **FILES}[name], 1 << 17)


def test_the_header_of_a_file_is_read_past_its_comments() -> None:
    text = "/- a -/ module -- b\nprelude\npublic /- c -/ import A.B--d\n meta import all C"
    text += " /- import D -/ import E\nx"
    assert header_imports(text) == ("A.B", "C", "E")
    assert header_imports("import A\n/- never closed\nimport B") == ("Init", "A")


def _told(module: SourceModule) -> str:
    return "\n".join(problem.message for problem in module.problems)


BEYOND = {
    "proof": (f"theorem t : p := f {'a ' * MAX_TOKENS}\n", "This proof has more than 20,000 tokens", "t"),
    "statement": (f"theorem u : {'a ' * MAX_TOKENS}\n", "This statement has more than 20,000 tokens", None),
    "name": (f"theorem {'a' * 2000} : p := q\n", "declaration is too long", None),
    "namespace": (
        f"namespace {'.'.join('a' * 60)}\ntheorem t : p := q\n",
        "namespace is too long",
        None,
    ),
    "opened": (
        "".join(f"open A{n}\n" for n in range(120)) + "theorem t : p := q\n",
        "are open here",
        "t",
    ),
    "variables": (
        "".join(f"variable (x{n} : α)\n" for n in range(400)) + "theorem t : x0 = x399 := q\n",
        "Too many variables are in scope here",
        "t",
    ),
    "included": (
        "".join(f"variable [C{n} {'a' * 200}]\n" for n in range(250))
        + "".join(f"theorem t{n} : p := q\n" for n in range(400)),
        "Declarations include too many variables here",
        "t399",
    ),
    "facts": (
        "theorem t : p := by\n" + "".join(f"  have h{n} : p{n} := q\n" for n in range(2500)),
        "This proof states too many goals inside it",
        "t",
    ),
    "attributes": (
        f"@[{'to_additive, ' * 199}simp] theorem mul_t : {'a * ' * 6000}b := q\n",
        "Attributes generate too much text here",
        "mul_t",
    ),
}


@pytest.mark.parametrize("name", BEYOND)
def test_what_is_left_out_is_told_and_the_rest_is_read(name: str) -> None:
    text, message, kept = BEYOND[name]
    module = _read(text + "theorem behind_it : p := q\n")
    assert message in _told(module)
    names = [premise.name.rpartition(".")[2] for premise in module.premises]
    assert "behind_it" in names and (kept is None or kept in names)


def test_what_one_file_makes_is_bounded_by_its_length() -> None:
    """Thousands of variables that thousands of theorems include."""
    text = "".join(f"variable [C{n} α]\n" for n in range(5000))
    text += "".join(f"theorem t{n} : p := q\n" for n in range(5000))
    premises = _read(text).premises
    assert len(premises) == 5000
    assert sum(map(_length, premises)) < (1 << 20) + 16 * len(text)


def _length(premise: Premise) -> int:
    return len(premise.conclusion) + sum(map(len, premise.context))


def test_reading_stops_in_the_midst_of_a_file() -> None:
    text = "theorem t : p := q\n" * 20_000
    answers = chain([False, False], iter(lambda: True, False))
    with pytest.raises(Cancelled), cancelled_when(lambda: next(answers)):
        read_module(text, "A", "A.lean")


VOCABULARY = """
theorem t : def structure S where inductive variable open namespace section end in ( ) { } [ ] ⟨ ⟩ @[ .{ := =>
| , ; <;> · _ ? ← ∈ → ∧ ∨ ¬ ∀ ∃ fun = ≤ a h h.1 a.b .1 .foo rfl by have show calc obtain rcases intro refine
constructor cases with match if then at from using rw simp case first exists set do to_additive simps
"""
WORDS = VOCABULARY.split()


@given(st.lists(st.sampled_from([*WORDS, "\n", "\n  ", "\n    "]), max_size=60), st.booleans())
def test_no_text_is_too_much(words: list[str], states: bool) -> None:
    module = _read(" ".join(words) * 3, states)
    assert "RecursionError" not in _told(module)
    list(resolve([module]))


TERM_VOCABULARY = """
( ) { } [ ] ⟨ ⟩ , : := | ; ∀ ∃ fun λ = ≤ ≫ 𝟙 → ↔ ∧ ¬ × ∘ + - * • ⁻¹ ᵒᵈ ∑ ∏ x ∈ s // if then else let have f a.b .1
x.1.y 0 Type Prop · _ ? @ ! ↑ ‖ ⌊ # $ <| |> Nat α f.{u} by show (·≤·) (a:α) ⦃ ⦄
"""
TERM_WORDS = TERM_VOCABULARY.split()


@given(st.sampled_from(sorted(PLACES)), st.lists(st.sampled_from(TERM_WORDS), max_size=9))
def test_no_term_is_too_odd(place: str, words: list[str]) -> None:
    before, behind = PLACES[place]
    assert "could not be read" not in _told(_read(before + " ".join(words) + behind))


@pytest.mark.parametrize("name", TERMS)
def test_no_nesting_is_too_deep(name: str) -> None:
    for place in PLACES:
        assert "could not be read" not in _told(_read(_at(place, TERMS[name])(1 << 12)))


def _ilean(size: int) -> str:
    """An `.ilean` file that mentions one constant again and again, on one line of many theorems."""
    count = size // 40
    usages = [[0, n, 0, n + 1, f"t{n}", 0, 0, 0, 0] for n in range(count)]
    references = {json.dumps({"c": {"m": "A", "n": "c"}}): {"definition": None, "usages": usages}}
    declared = {f"t{n}": [0, n, 0, n + 1, 0, n, 0, n + 1] for n in range(count)}
    return json.dumps({"version": 5, "module": "A", "decls": declared, "references": references})


def test_an_ilean_file_is_read_in_linear_time(tmp_path: Path) -> None:
    path = tmp_path / "A.ilean"

    def work(text: str) -> None:
        source = "𝔸" * text.count("[")
        path.write_text(text)
        ilean = read_ilean(path, source)
        mentions = ilean.mentions()
        for theorem, place in ilean.declared.items():
            trace_proof(theorem, place, "A", mentions.get(theorem, ()), [""], ())

    assert_linear(work, _ilean, 1 << 19)


DEEP = "[" * 100_000


def test_deep_json_is_told(tmp_path: Path) -> None:
    path = tmp_path / "A.ilean"
    path.write_text(DEEP)
    with pytest.raises(BadSource, match=r"A\.ilean is not an \.ilean file"):
        read_ilean(path, "")
    with pytest.raises(BadRecords):
        read_header(path)
    header = json.dumps({"format": FORMAT, "version": VERSION, "source": "text", "revision": ""})
    path.write_text(f"{header}\n{DEEP}\n")
    complaints: list[str] = []
    assert list(read_records(path, complaints)) == []
    assert len(complaints) == 1 and ":2: not a record" in complaints[0]
