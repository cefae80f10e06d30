from pathlib import Path

import pytest

from lean_extract.common.errors import BadSettings
from retriever.documents.schema import Corpus, DocumentProof, Statement
from retriever.documents.store import problems_of, read_corpus
from retriever.naturalproofs.readers.build import build, figures_table
from tests.commands import command

main = command("retriever naturalproofs-build")

CHAPTER = r"""\begin{definition}
\label{definition-even}
An integer is even if $2$ divides it.
\end{definition}
\begin{lemma}
\label{lemma-sum}
Sums of even integers
are even.
\end{lemma}
\begin{proof}
Definition \ref{definition-even}, and \ref{definition-even}.
\end{proof}
\begin{lemma}
\label{lemma-zero}
Zero is even.
\end{lemma}
\begin{proof}
Clear.
\end{proof}
"""


@pytest.fixture
def stacks(tmp_path: Path) -> Path:
    folder = tmp_path / "stacks"
    folder.mkdir()
    (folder / "parity.tex").write_text(CHAPTER, encoding="utf-8")
    return folder


def test_figures_are_counted_by_hand() -> None:
    corpus = Corpus(
        (
            Statement(
                0,
                "theorem",
                "a",
                "",
                ("one two", "$x$"),
                ("b",),
                (1,),
                (DocumentProof(("abc",), ("b",), (1,)),),
            ),
            Statement(2, "theorem", "c", "", (), (), (), (DocumentProof(("a b c", "d"), ("gone",)),)),
        ),
        (Statement(1, "definition", "b", "", ("x y  z",)),),
    )
    assert figures_table(corpus).splitlines()[2:] == [
        "| Theorem | 2 | 5.0 | 1.5 | 1.0 | 0.5 |",
        "| Proof | 2 | 4.5 | 2.5 | 1.5 | 0.5 |",
        "| Definition | 1 | 6.0 | 3.0 | 1.0 | 0.0 |",
        "| Other | 0 | - | - | - | - |",
        "| Example | 1 | 3.0 | 1.0 | 1.0 | 1.0 |",
    ]


def test_the_command_writes_a_sound_file_and_prints_the_rows(
    tmp_path: Path, stacks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new" / "stacks.json"
    assert main(["stacks", str(stacks), str(out)]) == 0
    printed = capsys.readouterr()
    corpus, splits = read_corpus(out)
    assert (splits, problems_of(out)) == (None, ())
    assert corpus == build("stacks", stacks, [])
    assert printed.out == figures_table(corpus) + "\n"
    assert "| Example | 1 | 60.0 | 4.0 | 1.0 | 2.0 |" in printed.out.splitlines()
    assert printed.err == ""


def test_complaints_are_told_up_to_twenty(
    tmp_path: Path, stacks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (stacks / "b.tex").write_text("\\end{lemma}\n" * 25, encoding="utf-8")
    assert main(["stacks", str(stacks), str(tmp_path / "out.json")]) == 0
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "b.tex:1: \\end{lemma} closes nothing."
    assert told[19:] == ["b.tex:20: \\end{lemma} closes nothing.", "... and 5 more; 25 in all."]


def test_the_other_kinds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "body.tex").write_text("\\begin{theorem}\nA.\n\\end{theorem}", encoding="utf-8")
    (tmp_path / "d.xml").write_text(
        "<mediawiki><page><title>A</title><text>== Theorem ==\nB.</text></page></mediawiki>", encoding="utf-8"
    )
    for kind, source in (("stein", "body.tex"), ("trench", "body.tex"), ("proofwiki", "d.xml")):
        out = tmp_path / f"{kind}.json"
        assert main([kind, str(tmp_path / source), str(out)]) == 0
        assert len(read_corpus(out)[0].theorems) == 1
        assert "| Theorem | 1 | 2.0 |" in capsys.readouterr().out


def test_nothing_is_written_for_a_source_that_cannot_be_read(
    tmp_path: Path, stacks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    assert main(["stacks", str(tmp_path / "none"), str(out)]) == 2
    (stacks / "parity.tex").write_text("Nothing here.", encoding="utf-8")
    assert main(["stacks", str(stacks), str(out)]) == 2
    assert main(["proofwiki", str(stacks / "parity.tex"), str(out)]) == 2
    assert not out.exists()
    told = capsys.readouterr()
    assert told.out == ""
    assert "has no LaTeX files" in told.err
    assert "has no statement in the environments of stacks" in told.err
    assert "is not a MediaWiki dump" in told.err


def test_settings_that_make_no_sense(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="for LaTeX"):
        build("proofwiki", tmp_path, [], published=True)
    with pytest.raises(BadSettings, match="no source 'wiki'"):
        build("wiki", tmp_path, [])
