import bz2
import gzip
from collections.abc import Callable, Mapping
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lean_extract.common.errors import BadSource
from retriever.documents.schema import Corpus, DocumentProof
from retriever.naturalproofs.readers.dump import read_pages
from retriever.naturalproofs.readers.proofwiki import Topics, read_proofwiki
from retriever.naturalproofs.readers.wikitext import categories, links, section, shown, title_of, visible

EVEN_SUM = """== Theorem ==
<onlyinclude>
Let $a, b$ be [[Definition:Even Integer|even]].

Then $a + b < \\infty$ is [[Definition:Even Integer|even]]. <!-- [[Nowhere]] -->
</onlyinclude>

== Proof ==
By [[distributivity]] and [[Definition:Even Integer]]:
* see [[Whole Plus]] and [[Not There|a gap]].
<nowiki>[[Nowhere]]</nowiki>
{{qed}}
[[Category:Parity]]
[[Category:Examples]]
"""
PAGES = {
    "Even Sum": EVEN_SUM,
    "Even Sum/Proof 2": (
        "== Theorem ==\n{{:Even Sum}}\n\n== Proof ==\nBy [[Even Sum/Lemma#Part 1|the lemma]].\n"
    ),
    "Even Sum/Lemma": "== Lemma ==\n$2 \\divides 2 c$.\n\n== Proof ==\nClear.\n",
    "Odd Sum": "== Theorem ==\nOdd and odd.\n\n=== Corollary ===\nMore.\n\n== Proof ==\n{{ProofWanted}}\n",
    "Zero": "== Theorem ==\n\n== Proof ==\n\n\n== Sources ==\n",
    "Definition:Even Integer": (
        "== Definition ==\n$2 \\divides n$, see [[Even Sum]].\n\n=== Also ===\nMore.\n"
    ),
    "Definition:Odd Integer": "{{stub}}\n",
    "Whole Plus": ("Sum of Wholes",),
    "Sum of Wholes": "== Axiom ==\nWholes have sums.\n",
    "Distributivity": "== Axiom ==\n$a (b + c)$, not [[Not There]]\n",
    "Unlinked": "== Notes ==\nNobody comes here.\n",
    "Talk:Even Sum": "== Theorem ==\nReally?\n",
    "User talk:Ann": "== Theorem ==\nHello.\n",
    "Category:Parity": "[[Category:Number Theory]]",
    "Category:Number Theory": "[[Category:Proofs by Topic]][[Category:Parity]]",
    "Category:Examples": "[[Category:Maintenance]]",
}


def dump(pages: Mapping[str, str | tuple[str]]) -> str:
    """A dump; a tuple holds where a page redirects to."""
    parts = ['<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/">', "<siteinfo/>"]
    for title, content in pages.items():
        text, redirect = (content, "") if isinstance(content, str) else ("", content[0])
        sends = f"<redirect title={quoteattr(redirect)} />" if redirect else ""
        parts.append(f"<page>\n<title>{escape(title)}</title>{sends}")
        parts.append(f"<revision><text>{escape(text)}</text></revision>\n</page>")
    return "\n".join((*parts, "</mediawiki>\n"))


def read(path: Path, pages: Mapping[str, str | tuple[str]]) -> tuple[Corpus, list[str]]:
    path.write_text(dump(pages), encoding="utf-8")
    complaints: list[str] = []
    return read_proofwiki(path, complaints), complaints


def test_pages_by_kind(tmp_path: Path) -> None:
    corpus, _ = read(tmp_path / "d.xml", PAGES)
    assert [one.label for one in corpus.theorems] == ["Even Sum", "Odd Sum", "Zero"]
    assert [one.label for one in corpus.definitions] == ["Definition:Even Integer", "Definition:Odd Integer"]
    assert [one.label for one in corpus.others] == ["Even Sum/Lemma", "Sum of Wholes", "Distributivity"]
    assert [one.id for one in corpus.statements] == list(range(8))
    assert all(one.label == one.title for one in corpus.statements)


def test_a_theorem_with_two_proofs(tmp_path: Path) -> None:
    corpus, _ = read(tmp_path / "d.xml", PAGES)
    theorem = corpus.theorems[0]
    assert theorem.contents == ("Let $a, b$ be even.", "Then $a + b < \\infty$ is even.")
    assert theorem.refs == ("Definition:Even Integer", "Definition:Even Integer")
    assert theorem.ref_ids == (3, 3)
    assert theorem.proofs == (
        DocumentProof(
            (
                "By distributivity and Definition:Even Integer:",
                "* see Whole Plus and a gap.",
                "{{qed}}",
            ),
            ("Distributivity", "Definition:Even Integer", "Sum of Wholes"),
            (7, 3, 6),
        ),
        DocumentProof(("By the lemma.",), ("Even Sum/Lemma",), (5,)),
    )


def test_statements_end_where_their_section_does(tmp_path: Path) -> None:
    corpus, _ = read(tmp_path / "d.xml", PAGES)
    _, odd, zero = corpus.theorems
    assert (odd.contents, odd.proofs) == (("Odd and odd.",), ())
    assert (zero.contents, zero.proofs) == ((), ())
    even, stub = corpus.definitions
    assert even.contents == ("$2 \\divides n$, see Even Sum.", "=== Also ===", "More.")
    assert (even.ref_ids, stub.contents) == ((0,), ())
    assert corpus.others[1].contents == ("== Axiom ==", "Wholes have sums.")


def test_what_is_wrong_is_told_with_its_line(tmp_path: Path) -> None:
    _, complaints = read(tmp_path / "d.xml", PAGES)
    lines = (tmp_path / "d.xml").read_text(encoding="utf-8").split("\n")
    gap = next(number for number, line in enumerate(lines, 1) if "[[Not There|a gap]]" in line)
    axiom = next(number for number, line in enumerate(lines, 1) if "not [[Not There]]" in line)
    zero = next(number for number, line in enumerate(lines, 1) if "<title>Zero<" in line)
    assert complaints == [
        f"d.xml:{zero + 3}: the proof in Zero is empty.",
        f"d.xml:{gap}: a link to Not There, which is nowhere.",
        f"d.xml:{axiom}: a link to Not There, which is nowhere.",
    ]


def test_categories_are_flooded(tmp_path: Path) -> None:
    theorem = read(tmp_path / "d.xml", PAGES)[0].theorems[0]
    assert theorem.categories == ("Parity", "Examples")
    assert theorem.toplevel_categories == ("Number Theory",)
    assert theorem.recursive_categories == ("Number Theory", "Parity")


def test_a_second_page_of_a_title_is_told(tmp_path: Path) -> None:
    path = tmp_path / "d.xml"
    page = "<page><title>A</title><revision><text>== Theorem ==\nB{}.</text></revision></page>\n"
    path.write_text(f"<mediawiki>\n{page.format(1)}{page.format(2)}</mediawiki>")
    complaints: list[str] = []
    assert [one.contents for one in read_proofwiki(path, complaints).theorems] == [("B1.",)]
    assert complaints == ["d.xml:4: a second page A; the first is kept."]


def test_redirects_in_a_circle(tmp_path: Path) -> None:
    pages: dict[str, str | tuple[str]] = {"A": ("B",), "B": ("A",)}
    pages["C"] = "== Theorem ==\nX\n== Proof ==\n[[A]] and [[C]]\n"
    corpus, complaints = read(tmp_path / "d.xml", pages)
    assert corpus.theorems[0].proofs[0].ref_ids == (0,)
    assert len(complaints) == 1
    assert "a link to A, which is nowhere" in complaints[0]


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress)])
def test_packed_dumps(tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]) -> None:
    expected, _ = read(tmp_path / "d.xml", PAGES)
    packed = pack((tmp_path / "d.xml").read_bytes())
    path = tmp_path / f"d.xml{suffix}"
    path.write_bytes(packed)
    assert read_proofwiki(path, []) == expected
    path.write_bytes(packed[:-20])
    if suffix == ".gz":
        complaints: list[str] = []
        kept = [page.title for page in read_pages(path, complaints)]
        assert kept
        assert kept == list(PAGES)[: len(kept)]
        assert complaints[-1].endswith(f"{len(kept)} pages are kept.")
    else:
        with pytest.raises(BadSource, match="cannot be read: Compressed file ended"):
            read_proofwiki(path, [])


def test_what_is_no_dump_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "d.xml"
    for text in ("", "a < b", "<html></html>"):
        path.write_text(text)
        with pytest.raises(BadSource, match="is not a MediaWiki dump"):
            read_proofwiki(path, [])
    path.write_text("<mediawiki></mediawiki>")
    with pytest.raises(BadSource, match="no theorem and no definition"):
        read_proofwiki(path, [])
    with pytest.raises(BadSource, match="cannot be read"):
        read_proofwiki(tmp_path / "none.xml", [])


@given(data=st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_dump_cut_off_anywhere_keeps_what_came_before(tmp_path: Path, data: st.DataObject) -> None:
    whole = dump(PAGES).encode()
    cut = data.draw(st.integers(len(b"<mediawiki>") + 60, len(whole) - len("</mediawiki>\n")))
    path = tmp_path / "cut.xml"
    path.write_bytes(whole[:cut])
    complaints: list[str] = []
    pages = list(read_pages(path, complaints))
    assert [page.title for page in pages] == list(PAGES)[: whole[:cut].count(b"</page>")]
    assert len(complaints) == 1
    assert complaints[0].startswith(f"cut.xml:{whole[:cut].count(bytes([10])) + 1}: the XML ends early")


_TEXT = st.text(st.characters(exclude_categories=["C", "Z"]) | st.sampled_from(" \n=[]|<&{}"), max_size=40)


@given(pages=st.dictionaries(_TEXT.map(title_of).filter(bool), _TEXT, min_size=1, max_size=4))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_comes_through_the_xml(tmp_path: Path, pages: dict[str, str]) -> None:
    path = tmp_path / "any.xml"
    path.write_text(dump(pages), encoding="utf-8")
    read_back = list(read_pages(path, []))
    assert {page.title: page.text for page in read_back} == pages
    lines = path.read_text(encoding="utf-8").split("\n")
    for page in read_back:
        assert "<text>" in lines[page.line - 1]


@given(_TEXT)
def test_markup_is_read_without_losing_a_line(text: str) -> None:
    seen = visible(text)
    assert seen.count("\n") == text.count("\n")
    for line in shown(seen):
        assert line.strip()
    for title in ("Proof", "="):
        passage = section(seen, title)
        if passage:
            assert seen[passage.start : passage.start + len(passage.text)] == passage.text


def test_links() -> None:
    text = "[[a_b#c|d]] [[#c]] [[ e ]] [[f|g|h]] [[Category:i j|k]] [[not\nhere]]"
    assert [link.title for link in links(text)] == ["A b", "E", "F", "Category:i j"]
    assert categories(text) == ("I j",)
    assert shown(text.replace("[[not\nhere]]", "")) == ("d #c e g|h",)


@given(
    st.dictionaries(
        st.sampled_from("abcdef"), st.lists(st.sampled_from([*"abcdef", "Proofs by Topic"]), max_size=3)
    ),
    st.sampled_from("abcdef"),
)
def test_flood_fill_finds_all_paths(parents: dict[str, list[str]], start: str) -> None:
    def paths(trail: list[str]) -> list[list[str]]:
        above = parents.get(trail[-1], [])
        found = [trail] if "Proofs by Topic" in above else []
        for one in above:
            if one not in trail and one != "Proofs by Topic":
                found += paths([*trail, one])
        return found

    topics = Topics(parents)
    assert topics.toplevel([start]) == tuple(sorted({trail[-1] for trail in paths([start])}))
    on_a_path = {name for trail in paths([start]) for name in trail}
    assert on_a_path <= set(topics.recursive([start]))
