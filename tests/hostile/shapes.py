"""Texts that make careless readers slow: each shape at any length."""

from __future__ import annotations

from collections.abc import Callable, Mapping

Shape = Callable[[int], str]
"""Makes a text of about so many characters."""


def repeated(unit: str, before: str = "", after: str = "") -> Shape:
    """A unit, again and again, between two ends."""
    return lambda size: before + unit * (max(0, size - len(before) - len(after)) // len(unit)) + after


def nested(opening: str, closing: str, before: str = "", inside: str = "") -> Shape:
    """Brackets in brackets."""

    def make(size: int) -> str:
        depth = max(0, size - len(before) - len(inside)) // (len(opening) + len(closing))
        return before + opening * depth + inside + closing * depth

    return make


def numbered(line: str, before: str = "", after: str = "") -> Shape:
    """Lines that are all different: `{}` in them is a number."""

    def make(size: int) -> str:
        count = max(1, size // (len(line) + 5))
        return before + "".join(line.format(number) for number in range(count)) + after

    return make


LEXICAL: Mapping[str, Shape] = {
    "open strings": repeated('\\"{', 'theorem x : "'),
    "open strings, a line each": repeated('"\n', "theorem x : "),
    "open raw strings": repeated('r#" '),
    "raw strings of many kinds": repeated('r##"a"# r#"b r###"c"## '),
    "open names": repeated("«", "theorem "),
    "open names of words": repeated("«a b ", "theorem "),
    "open comments": repeated("/- "),
    "open doc comments": repeated("/-- a\n"),
    "nested comments": nested("/- ", " -/"),
    "deep comments, many": repeated("/-/-/-/-/-/- a -/-/-/-/-/-/ "),
    "closed comments only": repeated("-/ "),
    "line comments": repeated("-- a /- \n"),
    "quotes": repeated("'"),
    "back slashes": repeated("\\", '"'),
    "backticks": repeated("`"),
    "dots": repeated("."),
    "dotted name": repeated("a.", "theorem "),
    "one long name": repeated("a", "theorem "),
    "digits": repeated("1"),
    "numbers and dots": repeated("1.2e"),
    "white space": repeated(" "),
    "blank lines": repeated("\n"),
    "carriage returns": repeated("\r"),
    "dashes": repeated("-"),
    "slashes": repeated("/"),
    "combining marks": repeated("a\u0301"),
    "beyond the first plane": repeated("𝔸"),
    "no characters": repeated("\0"),
    "lone surrogates": repeated("\ud800"),
}
"""What a lexer meets."""

TERMS: Mapping[str, Shape] = {
    "arrows": repeated("p → ", after="p"),
    "iffs": repeated("p ↔ ", after="p"),
    "conjunctions": repeated("p ∧ ", after="p"),
    "negations": repeated("¬", after="p"),
    "for all": repeated("∀ x, ", after="p"),
    "for all, binders": repeated("∀ (x : α) {y : β x} [C y], ", after="p"),
    "exists": repeated("∃ x ∈ s, ", after="p"),
    "one binder of many names": repeated("x ", "∀ (", " : α), p"),
    "lambdas": repeated("fun x => ", after="x"),
    "lets": repeated("let x := y; ", after="x"),
    "ifs": repeated("if p then ", after="q"),
    "sums": repeated("a + ", after="a"),
    "equalities": repeated("a = ", after="a"),
    "mixed operators": repeated("a + b * c - d ^ e = ", after="a"),
    "application": repeated("a ", "f "),
    "parentheses": nested("(", ")", inside="p"),
    "parentheses never closed": repeated("("),
    "parentheses never opened": repeated(")", "p"),
    "brackets of many kinds": nested("([{⟨", "⟩}])", inside="p"),
    "brackets crossed": repeated("([)]{(})"),
    "angle brackets": repeated("⟨a, "),
    "bars": repeated("|", "a "),
    "norms": repeated("‖a‖ * "),
    "set builders": nested("{x | ", "}", inside="p"),
    "universes": repeated(".{"),
    "types ascribed": nested("(", " : α)", inside="p"),
    "projections": repeated(".1", "a"),
    "inaccessible names": repeated("a✝ "),
    "colons": repeated(": "),
    "assignments": repeated(":= "),
    "by": repeated("by ", "theorem x : p := "),
    "by, in parentheses": repeated("(by ", "theorem x : p := "),
    "coercions": repeated("↑", after="a"),
    "matches": repeated("match a with | b => ", after="c"),
}
"""What a reader of terms meets."""

FILES: Mapping[str, Shape] = {
    "imports": numbered("import A.B{}\n"),
    "one line of imports": repeated("import A "),
    "opens": numbered("open A{}\n"),
    "one open of many names": repeated("A ", "open "),
    "variables": numbered("variable (x{} : α)\n", after="theorem t : p := q\n"),
    "variables that all include": numbered(
        "variable {{x{0} : α}} (h{0} : x{0} = x{0})\n", after="theorem t : p\n"
    ),
    "namespaces": numbered("namespace A{}\n", after="theorem t : p := q\n"),
    "sections": repeated("section\n"),
    "ends": repeated("end\n"),
    "theorems": numbered("theorem t{} : p := by simp\n"),
    "theorems of one name": repeated("theorem t : p := q\n"),
    "attributes": repeated("@[simp] "),
    "attributes nested": nested("@[a (attr := ", ")]"),
    "one attribute of many": repeated("simp, ", "@[", "simp] theorem t : p := q\n"),
    "modifiers": repeated("private ", after="theorem t : p := q\n"),
    "binders": numbered("(x{} : α) ", "theorem t ", ": p := q\n"),
    "structure of many fields": numbered("  a{} : α\n", "structure S where\n"),
    "structure of many parents": numbered("P{}, ", "structure S extends ", "Q where\n"),
    "inductive of many constructors": numbered("  | c{} : S\n", "inductive S where\n"),
    "mutual": repeated("mutual\n"),
    "notations": numbered('notation "n{0}" => f{0}\n', after="theorem t : p := q\n"),
    "aliases": numbered("alias a{0} := b{0}\n"),
    "exports": numbered("export A (b{})\n"),
    "tactics": repeated("  simp\n", "theorem t : p := by\n"),
    "tactics, ever deeper": lambda size: (
        "theorem t : p := by\n"
        + "".join(" " * depth + "· simp\n" for depth in range(1, max(2, int((2 * size) ** 0.5))))
    ),
    "haves": numbered("  have h{0} : p{0} := q\n", "theorem t : p := by\n"),
    "cases": repeated("  rcases h with ⟨a, b⟩ | c\n", "theorem t : p := by\n"),
    "calculations": repeated("    _ = a := by simp\n", "theorem t : p := by\n  calc a = b := c\n"),
    "terms of a rewrite": numbered("a{}, ", "theorem t : p := by\n  rw [", "b]\n"),
    "guillemets in names": numbered("theorem «a {}» : p := q\n"),
    "to_additive": numbered("@[to_additive (attr := simp)] theorem mul_{0} : p := q\n"),
    "deep names": lambda size: "theorem " + ".".join(["a"] * (size // 2)) + " : p := q\n",
}
"""What a reader of whole files meets."""

STATES: Mapping[str, Shape] = {
    "hypotheses": numbered("h{0} : a{0} = b{0}\n", after="⊢ p"),
    "hypotheses of one name": repeated("h : p\n", after="⊢ p"),
    "hypotheses that use each other": lambda size: (
        "".join(f"h{number} : P h{number - 1}\n" for number in range(1, max(2, size // 16))) + "⊢ p"
    ),
    "names of one hypothesis": repeated("x ", after=": ℕ\n⊢ p"),
    "values": numbered("x{0} : α := y{0}\n", after="⊢ p"),
    "goals": repeated("case a\nh : p\n⊢ q\n\n"),
    "turnstiles": repeated("⊢ "),
    "turnstiles, a line each": repeated("⊢\n"),
    "cases": repeated("case "),
    "a type over many lines": repeated("    a +\n", "h : b =\n", "    c\n⊢ p"),
    "indentation": lambda size: (
        "h :\n" + "".join(" " * k + "a\n" for k in range(int((2 * size) ** 0.5))) + "⊢ p"
    ),
    "of the paper": repeated("<VAR> x : ℕ ", after="<GOAL> p"),
    "goal marks of the paper": repeated("<GOAL> "),
    "line of a paste": repeated("> ", after="⊢ p"),
    "escapes of a paste": repeated("\\n", "h : p", "⊢ p"),
    "a goal in a comment": repeated("-- ⊢ p\n"),
    "messages": repeated("error: unsolved goals\nx : ℕ\n⊢ p\n"),
    "tabs": repeated("\t", after="⊢ p"),
    "colons in a line": repeated("a : ", after="\n⊢ p"),
}
"""What a reader of proof states meets."""


def _goal(shape: Shape) -> Shape:
    return lambda size: "x : ℕ\n⊢ " + shape(size)


LEAN: Mapping[str, Shape] = {**LEXICAL, **TERMS, **FILES}
GOALS: Mapping[str, Shape] = {
    **LEXICAL,
    **STATES,
    **{f"the goal: {name}": _goal(shape) for name, shape in TERMS.items()},
}
