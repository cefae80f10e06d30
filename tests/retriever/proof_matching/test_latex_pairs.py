from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retriever.documents.schema import Corpus, DocumentProof, Statement
from retriever.proof_matching.readers.latex_pairs import corpus_pairs
from retriever.proof_matching.readers.latex_text import read_text
from retriever.proof_matching.tokens import encode
from tests.retriever.proof_matching.matching import check_tokens


def line(text: str) -> str:
    problems: list[str] = []
    found = encode(read_text(text, problems))
    assert problems == []
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Let $x$ be 12\\% of a \\emph{Ring}.", "let $i:x be 12 % of a ring ."),
        (
            "$\\mathbb{R} \\mathbb R R \\mathcal{O}_X$",
            "$idouble-struck:R $idouble-struck:R $i:R $iscript:O $i:X",
        ),
        ("$\\mathbf{x y}z \\mathrm{d}x$", "$ibold:xy $i:z $inormal:d $i:x"),
        ("${\\bf a} a$", "$ibold:a $i:a"),
        ("$\\operatorname{Hom}(A, B)$", "$i:Hom $o:( $i:A $o:, $i:B $o:)"),
        ("$\\Spec(R) \\Q$", "$i:Spec $o:( $i:R $o:) $idouble-struck:Q"),
        ("$\\varphi : X_{red} \\to Y^2$", "$i:φ $o:: $i:X $i:r $i:e $i:d $o:→ $i:Y $n:2"),
        (
            "$f(x) = 3.14 \\text{ if $x \\in \\text{Dom}$ or }$",
            "$i:f $o:( $i:x $o:) $o:= $n:3.14 if $i:x $o:∈ $i:Dom or",
        ),
        ("$\\{x \\mid y\\}'$", "$o:{ $i:x $o:| $i:y $o:} $o:'"),
        ("$$\\xymatrix@C=2em{A \\ar@{->}[r]^f \\ar[d] & B \\\\ C}$$", "$i:A $i:f $i:B $i:C"),
        ("\\[a\\] and \\(b\\)", "$i:a and $i:b"),
        (
            "\\begin{align*} a &= b \\\\ &= \\begin{array}{cc} c & d\\end{array}\\end{align*}",
            "$i:a $o:= $i:b $o:= $i:c $i:d",
        ),
        ("an \\'etale \\v{C}ech na\\\"{\\i}ve --- thing", "an étale čech naïve - thing"),
        ("50\\$ % not $this\nand on", "50 $ and on"),
        ("\\begin{enumerate}\\item[(a)] one \\item two\\end{enumerate}", "one two"),
        ("\\href{http://x.y}{the page} [[Definition:Group|groups]]", "the page groups"),
    ],
)
def test_text_and_formulas(text: str, expected: str) -> None:
    assert line(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "by Lemma \\ref{lemma-flat-rings} and \\eqref{eq-one}",
        "by Lemma \\label{lemma-flat-rings}and \\cite[Theorem 3, p. 4]{Author}",
        "by $\\ref{lemma-flat-rings}$ Lemma and \\autoref {lemma-flat-rings}",
        "\\begin{reference}\\cite{Author}\\end{reference}by Lemma \\begin{slogan}It is good\\end{slogan}and",
    ],
)
def test_what_points_at_other_places_is_left_out(text: str) -> None:
    assert line(text) == "by lemma and"


def test_labels_in_equations_are_left_out() -> None:
    assert line("\\begin{equation}\\label{equation-main} x \\tag{4} = \\phantom{y} z\\end{equation}") == (
        "$i:x $o:= $i:z"
    )


def test_a_formula_never_closed_is_told_and_the_next_line_goes_on() -> None:
    problems: list[str] = []
    assert encode(read_text("let $x\nbe open, \\[y", problems)) == "let $i:x be open , $i:y"
    assert problems == ["$ is never closed", "\\[ is never closed"]


def test_math_and_text_are_apart() -> None:
    text, math = read_text("a $a$", [])
    assert text.spelled == "a"
    assert math.spelled == "$a"


_PIECES = st.sampled_from(
    [
        "word ", "Ünïcode", "\n", "%", "\\%", "$", "$$", "\\[", "\\]", "\\(", "\\)", "{", "}", "[", "]", "\\",
        "^", "_", "&", "\\\\", "x", "12", "3.5", "'", "\\mathbb", "\\mathcal{O}", "\\mathrm{ab",
        "\\text{ if $x$ ",
        "\\text", "\\operatorname*{Hom}",
        "\\ref{a}", "\\ref", "\\label{b", "\\cite[1]{c}",
        "\\begin{equation}",
        "\\end{equation}", "\\begin{align*}", "\\end{align*}", "\\begin", "\\end{", "\\begin{array}{c}",
        "\\ar@{->}[r]",
        "\\ar", "\\xymatrix@C=1em", "\\bf", "\\foo", "\\'", "\\v", "\\v{", "\\i", "[[a|b]]", "[[", "|",
        "ℝ", "𝐱",
        "\\alpha", "\\to", "\u2062", "\u0301", "$:", "\\$", "\x00", "İ", "ß",
    ]
)  # fmt: skip


@given(st.lists(_PIECES, max_size=40).map("".join) | st.text(max_size=60))
@settings(max_examples=100)
def test_every_text_gives_sane_tokens(text: str) -> None:
    tokens = tuple(read_text(text, []))
    check_tokens(tokens)
    for token in tokens:
        assert (token.kind == "number") <= any(map(str.isdigit, token.text))


_COMMANDS = {"a": "a", "\\alpha": "α", "\\leq": "≤", "+": "+", "7": "7", "\\Hom": "Hom", "\\{": "{"}
_WRITTEN = {"": "{}", "double-struck": "\\mathbb{{{}}}", "script": "\\mathcal{{{}}}"}


@given(
    st.lists(st.tuples(st.sampled_from(sorted(_COMMANDS)), st.sampled_from(sorted(_WRITTEN)), st.booleans()))
)
def test_the_order_of_leaves_and_their_fonts_are_kept(leaves: list[tuple[str, str, bool]]) -> None:
    text = "".join(
        f"_{{{_WRITTEN[font].format(name)}}}" if grouped else f" {_WRITTEN[font].format(name)} "
        for name, font, grouped in leaves
    )
    found = read_text(f"${text}$" if leaves else "", [])
    assert [token.text for token in found] == [_COMMANDS[name] for name, _, _ in leaves]
    for token, (name, font, _) in zip(found, leaves, strict=True):
        assert token.font == (font if name in ("a", "\\alpha", "7") else "")


@pytest.mark.parametrize("deep", ["{" * 5000, "$" + "\\text{ $" * 500, "\\mathbb{" * 2000, "$\\mathbf" * 500])
def test_deep_text_is_read(deep: str) -> None:
    assert encode(read_text(f"{deep}", [])) == ""


def corpus() -> Corpus:
    first = Statement(
        7,
        "theorem",
        "algebra-lemma-flat",
        "Flatness",
        ("Let $R$ be a ring.",),
        proofs=(DocumentProof(("Omitted.",)), DocumentProof(("See Lemma \\ref{algebra-lemma-flat}, $R",))),
        categories=("algebra",),
    )
    second = Statement(8, "theorem", "", "", ("So.",), proofs=(DocumentProof(("Yes.",)),))
    third = Statement(9, "theorem", "book-cor:two", "", ("Hm.",))
    return Corpus((first, second, third))


def test_every_proof_of_a_corpus_makes_a_pair() -> None:
    complaints: list[str] = []
    one, two, three = corpus_pairs(corpus(), Path("some/book.json"), complaints)
    assert (one.key, two.key, three.key) == ("algebra-lemma-flat#0", "algebra-lemma-flat#1", "id-8#0")
    assert (one.kind, one.category, one.source) == ("lemma", "algebra", "algebra")
    assert (three.kind, three.category, three.source) == ("theorem", "", "book")
    assert encode(one.statement) == "let $i:R be a ring ."
    assert encode(two.proof) == "see lemma , $i:R"
    assert complaints == ["some/book.json: algebra-lemma-flat: $ is never closed."]
