from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lean_extract.common.errors import BadSource
from retriever.proof_matching.readers.arxmliv import article_files, article_pairs, read_categories
from retriever.proof_matching.schema import StatementProof
from retriever.proof_matching.tokens import encode
from tests.retriever.proof_matching.articles import page, proof, put, statement


def read(path: Path) -> tuple[list[StatementProof], list[str], Counter[str]]:
    complaints: list[str] = []
    skipped: Counter[str] = Counter()
    pairs = list(article_pairs(path, path.parent, {}, complaints, skipped))
    return pairs, [line.removeprefix(f"{path}:") for line in complaints], skipped


def test_a_theorem_and_the_proof_behind_it_are_a_pair(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        "0801.0001.xhtml",
        page(statement("Let {m} be open."), proof("Then {m} is open, see"), "<p>x</p>"),
    )
    (pair,), complaints, skipped = read(path)
    assert complaints == []
    assert encode(pair.statement) == "let $i:x be open ."
    assert encode(pair.proof) == "then $i:x is open , see"
    assert (pair.key, pair.kind, pair.source) == ("0801.0001#S1.Thm1", "lemma", "0801.0001")
    assert pair.location == f"{path}:3"
    assert skipped == {"annotations in content markup": 2}


def test_old_class_names_and_html(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        "a.html",
        '<!DOCTYPE html><html><meta charset="utf-8"><body><p>Hi<br>there\n<div class="theorem lemma"><p>Let '
        "<MATH><mi>x</mi><mspace/><mo>&InvisibleTimes;</mo><mi>&alpha;</mi></math><p>be</div>\n"
        '<div class="proof">Is <b>cl</b>osed<br>by &eacute;</div></html>',
    )
    (pair,), complaints, _ = read(path)
    assert complaints == []
    assert encode(pair.statement) == "let $i:x $i:α be"
    assert encode(pair.proof) == "is closed by é"
    assert (pair.key, pair.kind, pair.location) == ("a#1", "theorem", f"{path}:2")


def test_named_entities_of_xhtml(tmp_path: Path) -> None:
    text = page(statement("a&nbsp;b &eacute; &amp; {m} &nonsense;"), proof("c"))
    doctype = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "nowhere.dtd">\n<html'
    for name, whole in (("plain.xhtml", text), ("doctype.xhtml", text.replace("<html", doctype, 1))):
        (pair,), complaints, _ = read(put(tmp_path, name, whole))
        assert complaints == []
        assert encode(pair.statement) == "a b é & $i:x & nonsense ;"


def test_only_neighbours_are_pairs(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        "a.xhtml",
        page(
            statement("one", id_="T1"),
            statement("two", id_="T2"),
            "some words",
            proof("of two"),
            proof("of nothing"),
            statement("three", id_="T3"),
            "<p>between</p>\n",
            proof("of nothing"),
            "<section>\n",
            proof("of nothing"),
            "</section>",
        ),
    )
    pairs, complaints, _ = read(path)
    assert [pair.key for pair in pairs] == ["a#T2"]
    assert complaints == [f"{line}: a proof with no statement right before it." for line in (6, 9, 11)]


def test_what_is_in_a_proof_belongs_to_it(tmp_path: Path) -> None:
    inner = statement("inner claim", id_="T2") + proof("inner proof")
    path = put(tmp_path, "a.xhtml", page(statement("outer"), f'<div class="proof">first {inner} last</div>'))
    (pair,), complaints, _ = read(path)
    assert encode(pair.proof) == "first inner claim inner proof last"
    assert complaints == []


def test_numbers_titles_links_and_citations_are_left_out(tmp_path: Path) -> None:
    proof_text = (
        'By <a href="#eq2">(2)</a> and <cite class="ltx_cite">[Kn]</cite> and <a href="http://x.y">this</a>'
        ' <span class="ltx_tag">(3)</span> we are done'
    )
    path = put(tmp_path, "a.xhtml", page(statement("one"), proof(proof_text)))
    (pair,), _, _ = read(path)
    assert encode(pair.proof) == "by and and this we are done"


def test_a_formula_in_content_markup_alone_is_told(tmp_path: Path) -> None:
    lost = "<math id='m9'><apply><plus/><ci>y</ci><ci>z</ci></apply></math>"
    path = put(tmp_path, "a.xhtml", page(statement("one {m} and " + lost), "\n", proof(f"two\n{lost}")))
    (pair,), complaints, _ = read(path)
    assert encode(pair.statement) == "one $i:x and"
    assert complaints == [f"{line}: a formula in content markup alone is left out." for line in (3, 6)]


def test_a_proof_cut_off_is_told_with_its_line(tmp_path: Path) -> None:
    whole = page(statement("one"), proof("its proof"), statement("two", id_="T2"), proof("its other proof"))
    pairs, (told,), _ = read(put(tmp_path, "a.xhtml", whole[: whole.index("other")]))
    assert [pair.key for pair in pairs] == ["a#S1.Thm1"]
    assert told == (
        "6: no element found; what comes before is kept. The theorem or proof of line 6 is cut off."
    )


def test_html_cut_off_is_told_with_its_line(tmp_path: Path) -> None:
    parts = statement("one"), proof("its proof"), statement("two", id_="T2"), proof("its other proof")
    whole = "<!DOCTYPE html>\n" + "".join(parts)
    pairs, (told,), _ = read(put(tmp_path, "a.html", whole[: whole.index("other")]))
    assert [pair.key for pair in pairs] == ["a#S1.Thm1"]
    assert told == (
        "5: <div> is never closed: the file may be cut off; what comes before is kept."
        " The theorem or proof of line 5 is cut off."
    )


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe\x00", b"<?xml version='1.0' encoding='nope'?><a/>", b"\x00" * 9]
)
@pytest.mark.parametrize("name", ["a.xhtml", "a.html"])
def test_a_file_that_is_no_article_stops_nothing(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    pairs, complaints, _ = read(path)
    assert pairs == []
    assert len(complaints) <= 1
    assert name == "a.html" or complaints


@given(
    st.lists(
        st.sampled_from(
            [
                '<div class="theorem">', '<div class="proof">', "</div>", "<math>", "</math>", "<mi>x</mi>",
                "<p>", "</p>", "&lt;", "&bogus;", "text ", "<br/>", "<!-- c -->", "<![CDATA[ d ]]>", "<", ">",
                "<a href='#'>",
                "</a>", "<script>", "</script>", "<?pi?>", "<mfenced/>", "é", "\x0c",
            ]
        ),
        max_size=25,
    ).map("".join),
    st.sampled_from([".html", ".xhtml"]),
)  # fmt: skip
@settings(max_examples=100)
def test_no_markup_raises(tmp_path_factory: pytest.TempPathFactory, text: str, suffix: str) -> None:
    path = put(tmp_path_factory.getbasetemp(), f"any{suffix}", text)
    pairs, _, _ = read(path)
    assert len(pairs) <= text.count("proof")


def test_articles_are_found_at_any_depth_in_order(tmp_path: Path) -> None:
    expected = [put(tmp_path, name, "") for name in ("0801/b.html", "0802/a.xhtml", "c.XML")]
    put(tmp_path, "notes.txt", "")
    assert article_files(tmp_path) == expected
    assert article_files(expected[0]) == expected[:1]
    with pytest.raises(BadSource, match="no file that ends in"):
        article_files(tmp_path / "nowhere")


def test_categories_are_read_and_what_is_wrong_is_told(tmp_path: Path) -> None:
    path = put(tmp_path, "topics.tsv", "0801.1\tmath.AG|math.NT\tOn wombats\n\nbroken\n0801.2\tcs.LO\n")
    complaints: list[str] = []
    assert read_categories(path, complaints) == {"0801.1": "math.AG", "0801.2": "cs.LO"}
    assert complaints == [f"{path}:3: no tab between an article and its categories."]
    with pytest.raises(BadSource, match="cannot be read"):
        read_categories(tmp_path / "none", [])
