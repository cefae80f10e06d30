from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lean_extract.common.errors import BadSource
from retriever.documents.schema import Corpus, DocumentProof, Statement
from retriever.naturalproofs.readers.latex_sources import read_stacks

PARITY = r"""\input{preamble}
\begin{document}
\section{Parity}
\label{section-parity}
\begin{definition}
\label{definition-even}
An integer is {\it even} if $2$ divides it.
\end{definition}

\begin{lemma}
\label{lemma-sum}
Sums of even integers are even:

\begin{equation}
\label{equation-sum}
2a + 2b = 2(a + b)
\end{equation}
\end{lemma}

\begin{proof}
See Equation (\ref{equation-sum}) and % Lemma \ref{lemma-hidden}
Definition \ref{definition-even}, and again Definition \ref{definition-even}.
\end{proof}
% \begin{lemma} \label{lemma-hidden} Nothing. \end{lemma}

\begin{remark}
\label{remark-half}
Compare Products, Lemma \ref{products-lemma-square}.
\end{remark}
\end{document}
"""
PRODUCTS = r"""\begin{lemma}
\label{lemma-square}
Squares of even integers are even.
\end{lemma}
\begin{proof}
By Parity, Lemma \ref{parity-lemma-sum} and Section \ref{parity-section-parity}.
\end{proof}
"""


def read(folder: Path, files: Mapping[str, str], published: bool = False) -> tuple[Corpus, list[str]]:
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    complaints: list[str] = []
    return read_stacks(folder, complaints, published), complaints


def lemma(label: str, proof: str = "Clear.") -> str:
    statement = f"\\begin{{lemma}}\n\\label{{{label}}}\nA.\n\\end{{lemma}}\n"
    return f"{statement}\\begin{{proof}}\n{proof}\n\\end{{proof}}\n"


def test_two_chapters(tmp_path: Path) -> None:
    corpus, complaints = read(tmp_path / "s", {"parity.tex": PARITY, "products.tex": PRODUCTS})
    assert complaints == []
    assert [one.id for one in corpus.statements] == [1, 3, 0, 2]
    summed, square = corpus.theorems
    assert summed == Statement(
        id=1,
        type="theorem",
        label="parity-lemma-sum",
        title="parity-lemma-sum",
        contents=(
            "Sums of even integers are even:",
            "\\begin{equation}",
            "\\label{equation-sum}",
            "2a + 2b = 2(a + b)",
            "\\end{equation}",
        ),
        proofs=(
            DocumentProof(
                (
                    "See Equation (\\ref{equation-sum}) and",
                    "Definition \\ref{definition-even}, and again Definition \\ref{definition-even}.",
                ),
                ("parity-equation-sum", "parity-definition-even", "parity-definition-even"),
                (0, 0),
            ),
        ),
        categories=("parity",),
    )
    assert square.proofs[0].refs == ("parity-lemma-sum", "parity-section-parity")
    assert square.proofs[0].ref_ids == (1,)
    assert [one.label for one in corpus.definitions] == ["parity-definition-even"]
    assert [(one.label, one.ref_ids) for one in corpus.others] == [("parity-remark-half", (3,))]


def test_the_example_in_the_chapter_on_style_is_no_lemma(tmp_path: Path) -> None:
    corpus, _ = read(tmp_path / "s", {"a.tex": lemma("lemma-a"), "coding.tex": lemma("lemma-b")})
    assert [one.label for one in corpus.theorems] == ["a-lemma-a"]


def test_all_that_does_not_fit_is_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    text = (
        "\\begin{proof}\nOf nothing.\n\\end{proof}\n"  # 1
        + lemma("lemma-a", "See \\ref{lemma-gone}.")  # 4
        + "\\begin{proof}\nAgain.\n\\end{proof}\n"  # 11
        + lemma("lemma-a")  # 14
        + lemma("lemma-empty", "% later")  # 21
        + "\\begin{lemma}\n\\label{lemma-open}\n"  # 28
        + "\\begin{proof}\nOf the open one.\n\\end{proof}\n"  # 30
        + lemma("lemma-last", "By \\ref{lemma-a}.")  # 33
    )
    corpus, complaints = read(tmp_path / "s", {"a.tex": text})
    assert complaints == [
        "a.tex:28: \\begin{lemma} is never closed.",
        "a.tex:15: label lemma-a is defined twice, first at a.tex:5.",
        "a.tex:1: a proof of no theorem that is known; it is left out.",
        "a.tex:11: a second proof of a-lemma-a; the first is kept.",
        "a.tex:25: the proof of a-lemma-empty is empty; it is left out.",
        "a.tex:30: a proof of no theorem that is known; it is left out.",
        "a.tex:9: a link to lemma-gone, which is nowhere.",
    ]
    assert [(one.label, len(one.proofs)) for one in corpus.theorems] == [
        ("a-lemma-a", 1),
        ("a-lemma-line-14", 1),
        ("a-lemma-empty", 0),
        ("a-lemma-last", 1),
    ]
    assert corpus.theorems[-1].proofs[0].ref_ids == (0,)
    assert corpus.theorems[0].proofs[0] == DocumentProof(("See \\ref{lemma-gone}.",))


def test_a_proof_behind_a_remark_is_not_the_lemmas(tmp_path: Path) -> None:
    text = (
        "\\begin{lemma}\nA.\n\\end{lemma}\n\\begin{remark}\nB.\n\\end{remark}\n"
        "\\begin{proof}\nC.\n\\end{proof}"
    )
    corpus, complaints = read(tmp_path / "s", {"a.tex": text})
    assert corpus.theorems[0].proofs == ()
    assert complaints == ["a.tex:7: a proof of no theorem that is known; it is left out."]


def test_a_proof_may_name_its_theorem(tmp_path: Path) -> None:
    text = (
        "\\begin{theorem}\n\\label{theorem-big}\nA.\n\\end{theorem}\n"
        + lemma("lemma-small")
        + "\\begin{proof}[Proof of Theorem \\ref{theorem-big}]\nBy \\ref{lemma-small}.\n\\end{proof}"
    )
    corpus, complaints = read(tmp_path / "s", {"a.tex": text})
    assert complaints == []
    assert corpus.theorems[0].proofs == (
        DocumentProof(("By \\ref{lemma-small}.",), ("a-lemma-small",), (1,)),
    )


def test_a_link_is_not_taken_for_one_into_a_file_of_a_longer_name(tmp_path: Path) -> None:
    files = {"a-b.tex": lemma("lemma-y"), "b.tex": lemma("lemma-y")}
    files["a.tex"] = lemma("lemma-x", "By \\ref{b-lemma-y}.")
    corpus, complaints = read(tmp_path / "s", files)
    assert complaints == []
    assert next(one for one in corpus.theorems if one.label == "a-lemma-x").proofs[0].refs == ("b-lemma-y",)


def test_a_link_in_brackets_counts_for_the_statement(tmp_path: Path) -> None:
    remark = "\\begin{remark}[After Lemma \\ref{lemma-a}]\n\\label{remark-b}\nB.\n\\end{remark}\n"
    corpus, _ = read(tmp_path / "s", {"a.tex": lemma("lemma-a") + remark})
    assert (corpus.others[0].contents, corpus.others[0].ref_ids) == (("B.",), (0,))


def test_what_the_authors_pass_over(tmp_path: Path) -> None:
    text = lemma("lemma-example-of-use") + lemma("lemma-b", "By \\ref{lemma-example-of-use}.")
    ours, _ = read(tmp_path / "s", {"a.tex": text})
    theirs, _ = read(tmp_path / "s", {"a.tex": text}, published=True)
    assert ours.theorems[1].proofs[0].ref_ids == (0,)
    assert theirs.theorems[1].proofs[0].ref_ids == ()


def test_a_file_in_latin_1(tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_bytes(lemma("lemma-a", "Clear.\nSee Poincaré.").encode("latin-1"))
    complaints: list[str] = []
    corpus = read_stacks(tmp_path, complaints)
    assert corpus.theorems[0].proofs[0].contents == ("Clear.", "See Poincaré.")
    assert complaints == ["a.tex:7: is not UTF-8; the file is read as Latin-1."]


def test_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(BadSource, match="has no LaTeX files"):
        read_stacks(tmp_path, [])
    (tmp_path / "a.tex").mkdir()
    with pytest.raises(BadSource, match="cannot be read"):
        read_stacks(tmp_path, [])


_KINDS = {"lemma": "theorem", "theorem": "theorem", "definition": "definition", "remark": "other"}


@given(data=st.data())
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_chapters_are_read_as_they_were_meant(tmp_path: Path, data: st.DataObject) -> None:
    chapters = data.draw(
        st.lists(st.lists(st.sampled_from(sorted(_KINDS)), max_size=4), min_size=1, max_size=3)
    )
    meant = [
        (f"c{chapter}", kind, f"{kind}-{number}")
        for chapter, kinds in enumerate(chapters)
        for number, kind in enumerate(kinds)
    ]
    texts = {f"c{chapter}.tex": "\n" for chapter in range(len(chapters))}
    expected = []
    for chapter, kind, label in meant:
        targets = data.draw(st.lists(st.integers(0, len(meant) - 1), max_size=3))
        links = " and ".join(
            f"\\ref{{{meant[one][2]}}}"
            if meant[one][0] == chapter and data.draw(st.booleans())
            else f"\\ref{{{meant[one][0]}-{meant[one][2]}}}"
            for one in targets
        )
        noise = data.draw(
            st.sampled_from(["", "% \\end{lemma}\n", "$$x$$\n", "\\begin{center}\n\\end{center}\n"])
        )
        has_proof = _KINDS[kind] == "theorem" and data.draw(st.booleans())
        body = f"\\begin{{{kind}}}\n\\label{{{label}}}\n{noise}A.\n\\end{{{kind}}}\n"
        proof = f"\\begin{{proof}}\nB {links}\n{noise}\\end{{proof}}\n" if has_proof else ""
        texts[f"{chapter}.tex"] += body + noise + proof
        expected.append((f"{chapter}-{label}", _KINDS[kind], [tuple(targets)] if has_proof else []))
    corpus, complaints = read(tmp_path / "s", texts)
    assert complaints == []
    by_id = sorted(corpus.statements, key=lambda one: one.id)
    assert [(one.label, one.type, [proof.ref_ids for proof in one.proofs]) for one in by_id] == expected
