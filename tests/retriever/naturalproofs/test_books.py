from pathlib import Path

import pytest

from lean_extract.common.errors import BadSource
from retriever.documents.schema import DocumentProof
from retriever.naturalproofs.readers.latex_sources import read_stein, read_trench

STEIN = r"""\chapter{Counting}\label{ch:counting}
\begin{definition}[Even]\label{defn:even}\index{even}%
An integer is \defn{even} if it is $2a$.
\end{definition}
% \begin{definition}[Odd]\label{defn:odd}
% Not even.
% \end{definition}
\begin{theorem}[\href{http://example.org/x}{The Sum}]\label{thm:sum}%
Sums of even integers are even.
\end{theorem}
\begin{proof}
Use Definition~\ref{defn:even}; see Chapter~\ref{ch:counting}.
\end{proof}
\begin{algorithm}{Halving}\label{alg:half}
Given $2a$, find $a$.
\end{algorithm}
\begin{proof}
Divide.
\end{proof}
\begin{lemma}
Zero is even.
\end{lemma}
\begin{proposition}\label{prop:square}
Squares of even integers are even.
\end{proposition}
\begin{proof}[Proof of Proposition~\ref{prop:square}
$\left(\Rightarrow\right)$]
By Theorem~\ref{thm:sum}.
\end{proof}
"""
TRENCH = r"""\documentclass{book}
\def\proof{\noindent Proof }
\begin{document}
\begin{theorem}[Sums]\label{thmtype:1.1}
Limits of sums are sums of limits.
\end{theorem}

\proof
Let $\epsilon > 0$. $$ x < \epsilon. \eqno{\bbox} $$

\begin{example} Nothing. \bbox
\end{example}
\begin{corollary}\label{thmtype:1.2}
So for three.
\end{corollary}
\proof Use Theorem~\ref{thmtype:1.1} twice. \bbox
\begin{proposition}
No statement in this book.
\end{proposition}
\begin{lemma}\label{thmtype:1.3}
Open.
\end{lemma}
\proof This does not end.
\begin{definition}\label{thmtype:1.4}
A limit.
\end{definition}
\bbox
\end{document}
"""


def test_stein(tmp_path: Path) -> None:
    (tmp_path / "body.tex").write_text(STEIN, encoding="utf-8")
    complaints: list[str] = []
    corpus = read_stein(tmp_path, complaints)
    assert read_stein(tmp_path / "body.tex", []) == corpus
    assert complaints == ["body.tex:17: a proof of no theorem that is known; it is left out."]
    even = corpus.definitions[0]
    assert (len(corpus.definitions), even.label, even.title) == (1, "body-defn:even", "Even")
    assert even.contents == ("\\index{even}", "An integer is \\defn{even} if it is $2a$.")
    summed, zero, square = corpus.theorems
    assert (summed.label, summed.title) == ("body-thm:sum", "The Sum")
    assert summed.proofs == (
        DocumentProof(
            ("Use Definition~\\ref{defn:even}; see Chapter~\\ref{ch:counting}.",),
            ("body-defn:even", "body-ch:counting"),
            (even.id,),
        ),
    )
    assert (zero.label, zero.title, zero.proofs) == ("body-lemma-line-20", "", ())
    assert square.proofs == (DocumentProof(("By Theorem~\\ref{thm:sum}.",), ("body-thm:sum",), (summed.id,)),)
    assert corpus.others == ()
    assert all(one.categories == () for one in corpus.statements)


def test_stein_as_the_authors_count(tmp_path: Path) -> None:
    (tmp_path / "body.tex").write_text(STEIN, encoding="utf-8")
    corpus = read_stein(tmp_path, [], published=True)
    assert [one.title for one in corpus.definitions] == ["Even", "Odd"]
    assert [len(one.proofs) for one in corpus.theorems] == [1, 1, 1]
    assert corpus.theorems[1].proofs == corpus.theorems[2].proofs


def test_trench(tmp_path: Path) -> None:
    (tmp_path / "TRENCH_REAL_ANALYSIS.tex").write_text(TRENCH, encoding="utf-8")
    complaints: list[str] = []
    corpus = read_trench(tmp_path, complaints)
    assert complaints == ["TRENCH_REAL_ANALYSIS.tex:23: \\proof is never closed."]
    stem = "TRENCH_REAL_ANALYSIS"
    assert [(one.label, one.title, len(one.proofs)) for one in corpus.theorems] == [
        (f"{stem}-thmtype:1.1", "Sums", 1),
        (f"{stem}-thmtype:1.2", "", 1),
        (f"{stem}-thmtype:1.3", "", 0),
    ]
    assert corpus.theorems[0].proofs[0].contents == ("Let $\\epsilon > 0$. $$ x < \\epsilon. \\eqno{",)
    assert corpus.theorems[1].proofs[0].ref_ids == (corpus.theorems[0].id,)
    assert [one.label for one in corpus.definitions] == [f"{stem}-thmtype:1.4"]


@pytest.mark.parametrize("reader", [read_stein, read_trench])
def test_no_book(tmp_path: Path, reader: object) -> None:
    assert callable(reader)
    with pytest.raises(BadSource, match="does not exist"):
        reader(tmp_path, [])
