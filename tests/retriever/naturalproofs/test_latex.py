import re

from hypothesis import given
from hypothesis import strategies as st

from retriever.naturalproofs.readers.latex import LatexSource, bracketed, environments, lines, marked

_PIECES = st.sampled_from(
    [
        "word ", "\n", "%", "\\%", "\\\\", "$x$", "\\begin{lemma}", "\\end{lemma}", "\\begin{proof}",
        "\\end{proof}", "\\begin{verbatim}", "\\end{verbatim}", "\\verb|a%b|", "[T]", "\\", "{", "}",
    ]
)  # fmt: skip


def found(text: str) -> tuple[list[tuple[str, str]], list[str]]:
    """Names and bodies of the closed environments, and the complaints."""
    source = LatexSource("a.tex", text)
    complaints: list[str] = []
    closed = [one for one in environments(source, complaints) if one.closed]
    return [(one.name, source.text[one.inside : one.stop]) for one in closed], complaints


def test_environments_inside_each_other() -> None:
    text = "\\begin{lemma}A \\begin{equation}x\\end{equation}\\end{lemma}\\begin {proof} B\\end{proof}"
    assert found(text) == (
        [("lemma", "A \\begin{equation}x\\end{equation}"), ("equation", "x"), ("proof", " B")],
        [],
    )


def test_comments_are_not_read() -> None:
    text = "% \\begin{lemma}\nA\\% \\begin{remark}50\\% of it % \\end{remark}\n\\end{remark}"
    assert found(text) == ([("remark", "50\\% of it " + " " * len("% \\end{remark}") + "\n")], [])


def test_a_line_break_before_a_comment_does_not_hide_it() -> None:
    assert found("\\\\% \\begin{lemma}") == ([], [])


def test_verbatim_is_shown_and_not_read() -> None:
    text = (
        "\\begin{remark}\\begin{verbatim}\n\\begin{lemma} 50% \\end{remark}\n\\end{verbatim}"
        " \\verb|\\end{remark} %| end\\end{remark}"
    )
    bodies, complaints = found(text)
    assert complaints == []
    assert bodies == [("remark", text.removeprefix("\\begin{remark}").removesuffix("\\end{remark}"))]


def test_the_preamble_is_not_read() -> None:
    text = "\\newcommand{\\bl}{\\begin{lemma}}\n\\begin{document}\\begin{lemma}A\\end{lemma}\\end{document}"
    bodies, complaints = found(text)
    assert complaints == []
    assert bodies[1:] == [("lemma", "A")]


def test_unbalanced_environments_are_told_and_the_rest_goes_on() -> None:
    text = (
        "\\begin{lemma}\n\\begin{lemma}A\n\\begin{center}\n\\end{lemma}\n\\end{proof}\n"
        "\\begin{remark}B\\end{remark}"
    )
    bodies, complaints = found(text)
    assert bodies == [("lemma", "A\n\\begin{center}\n"), ("remark", "B")]
    assert complaints == [
        "a.tex:3: \\begin{center} is never closed.",
        "a.tex:5: \\end{proof} closes nothing.",
        "a.tex:1: \\begin{lemma} is never closed.",
    ]


def test_an_open_one_is_there_to_be_seen() -> None:
    source = LatexSource("a.tex", "\\begin{lemma} A \\begin{lemma}B\\end{lemma}")
    assert [(one.start, one.closed) for one in environments(source, [])] == [(0, False), (16, True)]


@given(st.lists(_PIECES, max_size=30).map("".join))
def test_places_stay_what_they_are(text: str) -> None:
    source = LatexSource("a.tex", text)
    breaks = [match.start() for match in re.finditer("\n", text)]
    for kept in (source.text, source.code):
        assert len(kept) == len(text)
        assert [match.start() for match in re.finditer("\n", kept)] == breaks
        assert all(new in (old, " ") for old, new in zip(text, kept, strict=True))


@given(st.lists(_PIECES, max_size=30).map("".join))
def test_every_beginning_and_end_is_matched_or_told(text: str) -> None:
    source = LatexSource("a.tex", text)
    complaints: list[str] = []
    all_ = environments(source, complaints)
    closed = [one for one in all_ if one.closed]
    assert len(all_) == source.code.count("\\begin{")
    assert len(closed) + sum("closes nothing" in one for one in complaints) == source.code.count("\\end{")
    assert len(all_) - len(closed) == sum("never closed" in one for one in complaints)
    for one in closed:
        assert source.code.startswith(f"\\begin{{{one.name}}}", one.start)
        assert source.code.startswith(f"\\end{{{one.name}}}", one.stop)
        for other in closed:
            assert one.end <= other.start or other.end <= one.start or one == other or (
                (one.start < other.start) == (other.end < one.end)
            )  # fmt: skip


def test_marks() -> None:
    source = LatexSource(
        "a.tex", "\\proof A \\bbox \\bbox \\proofs % \\proof\n\\proof B \\proof C$\\bbox$ \\proof D"
    )
    assert [
        (source.text[one.inside : one.stop], one.closed) for one in marked(source, "p", "proof", "bbox")
    ] == [
        (" A ", True),
        ("", False),
        (" C$", True),
        ("", False),
    ]


def test_brackets() -> None:
    assert bracketed("x [A {[2]} b] c", 1) == ("A {[2]} b", 13)
    assert bracketed("x\n[A]", 1) == ("", 1)
    assert bracketed("[never", 0) == ("", 0)
    assert bracketed("[never\n\nx]", 0) == ("", 0)
    assert bracketed("", 0) == ("", 0)


def test_lines() -> None:
    assert lines("\n  a  \n\n \nb\n") == ("  a", "b")
