import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import BadRecords, BadSettings
from retriever.proof_matching.schema import FONTS, StatementProof, StatementProofs, Token
from retriever.proof_matching.store import read_pairs, write_pairs
from retriever.proof_matching.tokens import decode, encode, kind_of, symbols, words
from tests.commands import command

main = command("retriever match-check")

X = Token("x", "identifier")
BOLD = Token("x", "identifier", "bold")
LET = Token("let", "word")


def a_set() -> StatementProofs:
    pairs = (
        StatementProof("a#1", (LET, X), (BOLD, Token(":", "operator")), "lemma", "math.AG", "a", "a.xhtml:3"),
        StatementProof(
            "b#1",
            (Token("é", "word"),),
            (Token("$", "word"), Token("$", "operator")),
            "theorem",
            "",
            "b",
            "b:1",
        ),
    )
    return StatementProofs(pairs, {"a#1": "train", "b#1": "test"})


def written(tmp_path: Path) -> tuple[Path, list[str]]:
    path = tmp_path / "pairs.jsonl"
    write_pairs(path, a_set())
    return path, path.read_text(encoding="utf-8").splitlines()


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path, lines = written(tmp_path)
    assert read_pairs(path) == a_set()
    assert json.loads(lines[1])["statement"] == "let $i:x"
    assert [pair.key for pair in read_pairs(path).part("test")] == ["b#1"]
    assert list(tmp_path.iterdir()) == [path]


def test_the_vocabularies_are_apart_and_so_are_fonts() -> None:
    spelled = [token.spelled for token in (LET, X, BOLD, Token("x", "word"), Token("$", "word"))]
    assert spelled == ["let", "$x", "$bold:x", "x", "$"]
    assert [token.is_math for token in (LET, X)] == [False, True]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda line: line[:30], "is not JSON: "),
        (lambda line: "[]", "is not a JSON object"),
        (lambda line: "[" * 100_000, "is not JSON: nested too deeply"),
        (
            lambda line: line.replace('"part": "test"', '"part": "dev"'),
            "has the part 'dev', which is not one of train, valid, test",
        ),
        (lambda line: line.replace('"key": "b#1"', '"key": 7'), "has no text as 'key'"),
        (lambda line: line.replace("b#1", "a#1"), "has the key 'a#1' a second time"),
        (lambda line: line.replace("$o:$", "$q:$"), "has a proof in which '$q:$' is not a symbol"),
        (lambda line: line.replace("$o:$", "$obald:$"), "has a proof in which '$obald:$' is not a symbol"),
        (lambda line: line.replace("$o:$", "$o:"), "has a proof in which '$o:' is not a symbol"),
        (lambda line: line.replace('"é"', '"É"'), "has a statement in which 'É' is not a word"),
        (lambda line: line.replace('"é"', '"a  b"'), "has a statement in which '' is not a word"),
        (lambda line: line.replace('"é"', '""'), "has an empty statement"),
        (lambda line: line.replace('"b#1"', '"b\\ud835"'), "has half a character"),
    ],
)
def test_what_is_wrong_is_told_with_its_line_and_the_rest_is_read(tmp_path, change, told) -> None:  # type: ignore[no-untyped-def]
    path, lines = written(tmp_path)
    third = lines[2].replace("b#1", "c#1")
    head = lines[0].replace('"pairs": 2', '"pairs": 3')
    path.write_text("\n".join([head, lines[1], change(lines[2]), third]) + "\n", encoding="utf-8")
    complaints: list[str] = []
    read = read_pairs(path, complaints)
    assert [pair.key for pair in read.pairs] == ["a#1", "c#1"]
    assert len(complaints) == 1
    assert complaints[0].startswith(f"{path}:3: {told}")
    with pytest.raises(BadRecords, match="is damaged"):
        read_pairs(path)


def test_a_file_that_ends_between_two_lines_is_told(tmp_path: Path) -> None:
    path, lines = written(tmp_path)
    for kept in (1, 2):
        path.write_text("\n".join(lines[:kept]) + "\n", encoding="utf-8")
        complaints: list[str] = []
        assert len(read_pairs(path, complaints).pairs) == kept - 1
        assert complaints == [f"{path}:{kept}: ends after {kept - 1} of 2 pairs"]
    first_builds = lines[0].replace(', "pairs": 2', "")
    path.write_text("\n".join([first_builds, lines[1]]) + "\n", encoding="utf-8")
    assert len(read_pairs(path).pairs) == 1


@pytest.mark.parametrize(
    ("head", "message", "hint"),
    [
        ('{"format": "match-pairs", "version": 2}', "version 2", "python -m retriever match-build"),
        ('{"dataset": {}}', "line 1", "python -m retriever match-build"),
        ("2", "line 1", "name the folder"),
        (",theory,proof,meta", "line 1", "CSV"),
        ("", "line 1", "python -m retriever match-build"),
    ],
)
def test_another_version_is_told_with_a_hint(tmp_path: Path, head: str, message: str, hint: str) -> None:
    path, lines = written(tmp_path)
    path.write_text("\n".join([head, *lines[1:]]), encoding="utf-8")
    with pytest.raises(BadRecords) as caught:
        read_pairs(path, [])
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_a_missing_file_and_one_that_is_no_text(tmp_path: Path) -> None:
    with pytest.raises(BadRecords, match="cannot be read"):
        read_pairs(tmp_path / "none")
    (tmp_path / "bytes").write_bytes(b"\xff\xff")
    with pytest.raises(BadRecords, match="is not text"):
        read_pairs(tmp_path / "bytes")


def test_the_command_tells_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, lines = written(tmp_path)
    assert main([str(path)]) == 0
    path.write_text("\n".join([*lines, *lines[1:]]), encoding="utf-8")
    assert main([str(path)]) == 1
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 3 and told[-1].endswith(":5: ends after 4 of 2 pairs")
    assert main([str(tmp_path / "none")]) == 1
    assert "cannot be read" in capsys.readouterr().err


_SIGNS = st.characters(exclude_categories=("Cs",))


@given(
    st.lists(st.text(_SIGNS, max_size=8)),
    st.lists(st.tuples(st.text(_SIGNS, max_size=4), st.sampled_from(FONTS))),
)
def test_any_tokens_survive_a_line(texts: list[str], leaves: list[tuple[str, str]]) -> None:
    tokens = [token for text in texts for token in words(text)]
    tokens += [token for text, font in leaves for token in symbols(text, kind_of(text), font)]
    assert decode(encode(tokens)) == tuple(tokens)


RELEASED = """2

arXiv:0801.0001\tmath.AG|math.NT\tOn wombats
arXiv:0801.0002\tcs.LO\tOn tunnels

arXiv:0801.0001|S1.Thm1
____________
text\tLemma 2. Let
math\tx ∈ R____double-struck
text\tbe small.
____________
text\tTake
math\tmath_x____bold 12 ____

0002|None
____________
text\tTwo.
____________
text\tYes.

"""


def release(folder: Path, text: str, part: str = "train") -> Path:
    """A folder named mixed; its other parts are empty."""
    where = folder / "mixed"
    where.mkdir(exist_ok=True)
    for name in ("train", "dev", "test"):
        (where / f"mixed_conservation_{name}").write_text(
            text if name == part else "0\n\n\n", encoding="utf-8"
        )
    return where


def test_the_authors_files_are_read(tmp_path: Path) -> None:
    folder = release(tmp_path, RELEASED, "dev")
    one, two = read_pairs(folder).pairs
    assert encode(one.statement) == "lemma 2 . let $i:x $o:∈ $idouble-struck:R be small ."
    assert encode(one.proof) == "take $ibold:x $n:12 $o:____"
    assert (one.key, one.source) == ("arXiv:0801.0001|S1.Thm1", "arXiv:0801.0001")
    assert (one.kind, one.category) == ("lemma", "math.AG")
    assert one.location == f"{folder}/mixed_conservation_dev:6"
    assert (two.kind, two.category) == ("statement", "")
    assert set(read_pairs(folder).splits.values()) == {"valid"}


def test_a_release_without_articles_is_read(tmp_path: Path) -> None:
    folder = release(tmp_path, "0\n\n\n" + RELEASED[RELEASED.index("0002|") :])
    assert [pair.key for pair in read_pairs(folder).pairs] == ["0002|None"]


@pytest.mark.parametrize(
    ("old", "new", "line", "told"),
    [
        ("text\tTake", "Take", 12, "a line of a pair that is neither text nor math."),
        ("text\tYes.\n", "", 15, "the proof is empty."),
        ("text\tTwo.\n", "", 15, "the statement is empty."),
        (
            "____________\ntext\tYes.",
            "text\tYes.",
            15,
            "a pair is a name, a statement and a proof; this has others.",
        ),
        ("arXiv:0801.0002\tcs.LO\tOn tunnels", "On tunnels", 4, "neither an article nor part of a pair."),
        ("0002|None", "arXiv:0801.0001|S1.Thm1", 15, "'arXiv:0801.0001|S1.Thm1' is there a second time."),
    ],
)
def test_what_is_wrong_in_a_release_is_told(tmp_path: Path, old: str, new: str, line: int, told: str) -> None:
    folder = release(tmp_path, RELEASED.replace(old, new))
    complaints: list[str] = []
    assert read_pairs(folder, complaints).pairs
    assert complaints == [f"{folder}/mixed_conservation_train:{line}: {told}"]


def test_a_release_cut_off_keeps_what_came_before(tmp_path: Path) -> None:
    folder = release(tmp_path, RELEASED[: RELEASED.index("____________\ntext\tYes")])
    complaints: list[str] = []
    assert len(read_pairs(folder, complaints).pairs) == 1
    assert len(complaints) == 1


def test_another_layout_level_or_a_missing_part_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadRecords, match="number of articles"):
        read_pairs(release(tmp_path, ",theory,proof,meta\n"))
    with pytest.raises(BadSettings, match="no level"):
        read_pairs(tmp_path / "mixed", level="total")
    with pytest.raises(BadRecords, match="cannot be read"):
        read_pairs(tmp_path / "mixed", level="full")
