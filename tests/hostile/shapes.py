"""Texts that make careless readers slow: each shape at any length."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain, islice
from random import Random

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


_TOKENS = r"""
theorem def instance example private noncomputable open set_option in namespace end import public variable by have let
fun λ match with induction case calc rw simp exact at decide unfold sorry prelude module @[ @[simp] attribute [ ] ( )
{ } ⟨ ⟩ « » «a» ' " r" r#" \ -- /- -/ /-- <- ← := => ↦ ; , . : | ⊢ · <;> <| = + - → ∀ ≥ ? ?_ _ ! a a.b x✝ 1 1. ` $ %
# \begin{a} \end{a} [[ ]] {{ }} <a> & config axioms:
"""
"""What Lean's text consists of, and some of what other readers look for."""


_ONCE_SLOW = (
    ("@[simp] ", ""),
    ("private\n", ""),
    ("open a in ", ""),
    ("-- a /- b -/\n", ""),
    ("-- ", "\n|"),
    ("unfold a ", ";"),
    ("rw ", "]"),
    ("let ", ";"),
    ("λ ", ";"),
    ("at ", "["),
    ("« ", ""),
    ("decide + ", ""),
    (" \n", "x"),
    ("'", "x"),
)
"""Pieces, each with an end, that took exponential, cubic or quadratic time somewhere."""


def pieces(count: int, seed: int = 0) -> Mapping[str, Shape]:
    """Texts that repeat one short piece, in a line or over lines: those that were slow once, each token, and some of
    the pieces of two and three tokens.

    Args:
        count: how many.
        seed: another one chooses other pieces.
    """
    chosen = islice(chain(_ONCE_SLOW, _pieces(Random(seed))), count)
    return {f"{piece!r}, then {end!r}": repeated(piece, after=end) for piece, end in chosen}


def _pieces(chance: Random) -> Iterator[tuple[str, str]]:
    gaps, ends = ("", " ", " ", "\n", "\n  "), ("", "", "x", ";", "]", "\n|")
    tokens = _TOKENS.split()
    for token in tokens:
        yield token + chance.choice(gaps), chance.choice(ends)
    while True:
        parts = chance.choices(tokens, k=chance.choice((2, 3)))
        yield "".join(part + chance.choice(gaps) for part in parts), chance.choice(ends)


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

NESTED: Mapping[str, Shape] = {
    "arrows in parentheses": nested("p → (", ")", inside="q"),
    "for all in parentheses": nested("∀ x, (", ")", inside="q"),
    "conjunctions in parentheses": nested("p ∧ (", ")", inside="q"),
    "bounds of many names": lambda size: f"∃ {'x ' * (size // 4)}> {'a + ' * (size // 8)}a, p",
    "strings that end in a back slash": repeated('"\\', "h := ", "\\"),
    "«»": repeated("«a»."),
}
"""Further terms, with connectives in parentheses."""

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
    "anonymous instances": numbered("instance : C{0} := x\n"),
    "an instance of many binders": numbered("[C x{0}] (x{0} : α) ", "instance ", ": D x := y\n"),
    "instances under many variables": numbered("variable (x{0} : α)\ninstance : C x{0} := y\n"),
    "instances and notations": numbered('notation "n{0}" => f{0}\ninstance : C n{0} := x\n'),
    "commands before commands": repeated("whatsnew in\n", after="theorem t : p := q\n"),
    "commands before commands, in a line": repeated(
        "local instance : C := x in ", after="theorem t : p := q\n"
    ),
    "ins": repeated("in\n"),
    "ins in a theorem": repeated("  in\n", "theorem t : p :=\n"),
    "quotations": repeated("`(def a := 1)\n"),
    "quotations that are open": repeated("`(\n"),
    "quotations in quotations": nested("`(a\n", ")"),
    "public sections": repeated("public section\n", "module\n"),
    "to_dual of relations": numbered("@[to_dual] theorem t{0} : a ≤ b ⊔ c := q\n"),
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
    "hypotheses in a line": numbered("h{0} : a{0} = b{0} ", after="⊢ p"),
    "names in a line": lambda size: "x : A " + "y z w " * (size // 6) + ": B ⊢ p",
    "binders in a line": repeated("∀ x, p x h : ", "h : ", "q ⊢ p"),
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

QUERIES: Mapping[str, Shape] = {
    "words": numbered("word{} "),
    "one word": repeated("a"),
    "one word of capitals": repeated("A"),
    "humps": repeated("aB"),
    "a name of many parts": repeated("a."),
    "underscores": repeated("_"),
    "separators": repeated("-"),
    "words that are in the table": repeated("mean value theorem derivative "),
    "small words": repeated("the of and "),
    "possessives": repeated("a's"),
    "strokes": repeated("a'"),
    "marks on one letter": repeated("\u0301\u0327", "a"),
    "symbols": repeated("∑ x ∈ s, f x = "),
    "parentheses": nested("(", ")", inside="a = b"),
    "a name and a symbol": repeated("a ≤ b_c."),
    "quotes of Lean": repeated("«a b» "),
    "beyond the first plane": repeated("𝔸𝔹 "),
    "question marks": repeated("?_ "),
    "asterisks": repeated("*"),
}
"""What somebody types into a search."""

LATEX: Mapping[str, Shape] = {
    "verbatim never closed": repeated("\\begin{verbatim} "),
    "verbatim of many kinds": repeated("\\begin{comment}\\begin{lstlisting}\\begin{Verbatim} "),
    "verb of many bars": lambda size: "".join(
        f"\\verb{chr(0x2200 + number % 700)}a" for number in range(size // 7)
    ),
    "comments": repeated("% a\n"),
    "back slashes": repeated("\\"),
    "environments nested": nested("\\begin{a}", "\\end{a}", inside="x"),
    "environments never closed": repeated("\\begin{a}"),
    "ends of nothing": lambda size: "\\begin{a}" * (size // 16) + "\\end{b}" * (size // 16),
    "environments crossed": repeated("\\begin{a}\\begin{b}\\end{a}\\end{b}"),
    "statements nested": nested("\\begin{theorem}\n", "\\end{theorem}\n", inside="x\n"),
    "titles never closed": repeated("\\begin{theorem}[a"),
    "statements": numbered(
        "\\begin{theorem}\\label{t{0}}\na \\ref{{t{0}}}\n\\end{{theorem}}\n".replace(
            "{theorem}\\label{t{0}}", "{{theorem}}\\label{{t{0}}}"
        )
    ),
    "statements and proofs": repeated("\\begin{theorem}a\\end{theorem}\\begin{proof}b\\end{proof}\n"),
    "labels in environments": repeated(
        "\\begin{a}\\label{x}\\end{a}\\label{y}", "\\begin{theorem}\n", "\\end{theorem}\n"
    ),
    "one label": repeated("\\label{a}"),
    "one link of many labels": repeated("a,", "\\begin{theorem}\\ref{", "}\\end{theorem}"),
    "labels never closed": repeated("\\label{"),
    "spaces behind a command": repeated(" ", "\\label"),
    "proofs by marks": repeated("\\proof a \\bbox "),
    "proofs by marks, never ended": repeated("\\proof "),
    "brackets": repeated("[", "\\begin{theorem}"),
    "formulas never closed": repeated("\\[ a\n"),
    "formulas of all kinds, never closed": repeated("\\[ a\n\\( a\n\\begin{align} b\n$$ $ c\n"),
    "formulas whose braces stay open": repeated("$a{$ "),
    "formulas of all kinds whose braces stay open": repeated(
        "\\[{\\] \\({\\) \\begin{align}{\\end{align} ${$ "
    ),
    "dollars": repeated("$"),
    "formulas": repeated("$a$ "),
    "texts in formulas": nested("$\\text{", "}$", inside="a"),
    "braces": nested("{", "}", inside="a"),
    "braces in a formula": nested("{", "}", before="$", inside="a"),
    "braces never closed in a formula": repeated("\\text{", "$"),
    "a long name in a formula": repeated("a", "$\\mathrm{", "}$"),
    "digits in a formula": repeated("1", "$", "x$"),
    "digits and dots in a formula": repeated("1.", "$", "x$"),
    "arrows of xy": repeated("\\ar@/", "$", "$"),
    "arrows of xy, bent": repeated("@(a)@{b}", "$\\ar", "$"),
    "options never closed": repeated("\\color[a", "$", "$"),
    "matrices": repeated("\\left@a", "$", "$"),
    "notes never closed": repeated("\\begin{reference} "),
    "links of a wiki": repeated("[[a|b"),
    "accents": repeated("\\'{\\i"),
    "marks on one letter": repeated("\u0301\u0327", "a"),
}
"""What a reader of LaTeX meets."""

WIKI: Mapping[str, Shape] = {
    "nowiki never closed": repeated("<nowiki>"),
    "comments never closed": repeated("<!-- "),
    "included never closed": repeated("<onlyinclude>", "== Theorem ==\n"),
    "headings": repeated("== Theorem ==\n"),
    "one heading of equals signs": repeated("="),
    "a heading that does not end": repeated("= ", "=="),
    "a heading with spaces behind": repeated(" \t", "== Theorem ==", "x"),
    "headings that get deeper": repeated("= a =\n== a ==\n=== a ===\n"),
    "links never closed": repeated("[[a|"),
    "links": repeated("[[a|b]] ", "== Theorem ==\n"),
    "links to nowhere, a line each": numbered("[[Nowhere {}]]\n", "== Theorem ==\n"),
    "brackets": repeated("["),
    "pages taken in": repeated("{{:a}} ", "== Theorem ==\n", "x"),
    "pages taken in, with spaces": repeated(" ", "== Proof ==\n{{:a}}", "x"),
    "categories": numbered("[[Category:A{}]]\n"),
    "marks that are not seen": repeated("\u200e"),
    "underscores in a title": repeated("_", "[[a", "]]"),
}
"""What a reader of MediaWiki's markup meets."""


def _page(number: int, title: str, text: str) -> str:
    return f"<page><title>{title}{number}</title><revision><text>{text}</text></revision></page>\n"


XML: Mapping[str, Shape] = {
    "elements nested": nested("<a>", "</a>", inside="x"),
    "elements never closed": repeated("<a>"),
    "elements never opened": lambda size: "<a>" * (size // 8) + "</b>" * (size // 8),
    "end tags out of order": repeated("<b><i></b></i>"),
    "a comment never closed": repeated("<!-- "),
    "a long comment": repeated("a", "<!--", "-->"),
    "sections of characters never closed": repeated("<![CDATA["),
    "declarations never closed": repeated("<!a "),
    "processing never closed": repeated("<?a "),
    "tags never closed": repeated("<a "),
    "attributes": numbered("a{}='b' ", "<a ", "/>"),
    "attributes without values": repeated("a ", "<a ", ">"),
    "attributes with an open quote": repeated("a='b=' ", "<a c='", ">"),
    "a long attribute": repeated("a", "<a b='", "'/>"),
    "references": repeated("&amp;"),
    "references never closed": repeated("&#x"),
    "ampersands": repeated("&"),
    "angle brackets": repeated("<"),
    "angle brackets closed": repeated(">"),
    "a script never closed": repeated("</scrip", "<script>"),
    "a title never closed": repeated("</titl", "<title>"),
    "theorems and proofs": repeated(
        "<div class='ltx_theorem'>a <math><mi>x</mi></math></div><div class='ltx_proof'>b</div>\n"
    ),
    "theorems nested": nested("<div class='ltx_theorem'>", "</div>", inside="a"),
    "a formula nested": nested("<mrow>", "</mrow>", "<div class='ltx_theorem'><math>", "<mi>x</mi>"),
    "a leaf nested": nested("<mi>", "</mi>", "<div class='ltx_theorem'><math>", "x"),
    "one leaf": repeated("1", "<div class='ltx_theorem'><math>", "x</math></div>"),
    "a fence": repeated(
        "<mi>x</mi>",
        f"<div class='ltx_theorem'><math><mfenced separators='{',' * 1000}'>",
        "</mfenced></math></div>",
    ),
    "meanings nested": nested("<semantics>", "</semantics>", "<div class='ltx_theorem'><math>", "<mi>x</mi>"),
    "meanings beside each other": repeated(
        "<annotation-xml/>", "<div class='ltx_theorem'><math><semantics>", "</semantics></math></div>"
    ),
    "one class of many names": repeated("a ", "<div class='ltx_theorem ", "'>x</div>"),
}
"""What a reader of XML and HTML meets."""

DUMPS: Mapping[str, Shape] = {
    "pages": lambda size: "".join(_page(one, "P", "== Theorem ==\na\n") for one in range(size // 80)),
    "pages of one title": lambda size: _page(1, "P", "== Theorem ==\na\n") * (size // 80),
    "redirects in a chain": lambda size: (
        "".join(
            f'<page><title>P{one}</title><redirect title="P{one + 1}"/></page>\n'
            for one in range(size // 120)
        )
        + _page(0, "T", "== Theorem ==\na\n== Proof ==\n" + "[[P0]] " * (size // 24))
    ),
    "categories in a chain": lambda size: (
        _page(0, "Category:C", "[[Category:Proofs by Topic]]")
        + "".join(
            _page(one, "Category:C", f"[[Category:C{one - 1}]]") for one in range(1, max(2, size // 240))
        )
        + "".join(
            _page(one, "T", f"== Theorem ==\n[[Category:C{max(2, size // 240) - 1}]]")
            for one in range(size // 240)
        )
    ),
    "pages below each other": lambda size: "".join(
        _page(0, "T" + "/a" * depth, "== Theorem ==\na\n== Proof ==\nb\n")
        for depth in range(int(size**0.5 / 1.5))
    ),
    "elements nested": nested("<a>", "</a>"),
    "links to nowhere": lambda size: _page(
        0, "T", "== Theorem ==\n" + "".join(f"[[N{one}]]\n" for one in range(size // 12))
    ),
}
"""What a reader of MediaWiki's dumps meets, without the root element."""
