import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lean_extract.common.errors import BadRecords
from retriever.documents.schema import Corpus, DocumentProof, Split, Splits, Statement
from retriever.documents.store import problems_of, read_corpus, write_corpus
from tests.commands import command

main = command("retriever naturalproofs-check")

THEOREM = Statement(
    id=3,
    type="theorem",
    label="Even Sum",
    title="Even Sum",
    contents=("Let $a$ and $b$ be even.", "Then $a + b$ is even: $2 \\mid a + b$."),
    refs=("Evenness",),
    ref_ids=(5,),
    proofs=(
        DocumentProof(
            ("Write $a = 2c$.", "Use Evenness and Distributivity."), ("Evenness", "Elsewhere"), (5,)
        ),
        DocumentProof(("Clear – see Evenness.",), ("Evenness",), (5,)),
    ),
    categories=("Parity",),
    toplevel_categories=("Number Theory",),
    recursive_categories=("Number Theory", "Parity"),
)
CORPUS = Corpus(
    theorems=(THEOREM, Statement(4, "theorem", "Odd Sum", "Odd Sum", ("Two odds make an even.",))),
    definitions=(Statement(5, "definition", "Evenness", "Evenness", ("$2 \\mid n$.",)),),
    others=(Statement(9, "other", "Axiom", "Axiom", (), ("Even Sum",), (3,)),),
)
SPLITS = Splits(Split(((3, 0),), (5, 9)), Split((), (3, 5, 9)), Split(((3, 1),), (3, 5, 9)))


def plain(tmp_path: Path) -> dict[str, Any]:
    """The corpus as JSON, to be damaged."""
    write_corpus(tmp_path / "whole.json", CORPUS, SPLITS)
    read: dict[str, Any] = json.loads((tmp_path / "whole.json").read_text(encoding="utf-8"))
    return read


def saved(tmp_path: Path, whole: object) -> Path:
    path = tmp_path / "some.json"
    path.write_text(json.dumps(whole), encoding="utf-8")
    return path


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_corpus(tmp_path / "a.json", CORPUS, SPLITS)
    assert read_corpus(tmp_path / "a.json") == (CORPUS, SPLITS)
    write_corpus(tmp_path / "b.json", CORPUS)
    assert read_corpus(tmp_path / "b.json") == (CORPUS, None)


def test_the_file_has_the_released_keys(tmp_path: Path) -> None:
    whole = plain(tmp_path)
    assert list(whole) == ["dataset", "splits"]
    assert list(whole["dataset"]) == ["theorems", "definitions", "others", "retrieval_examples"]
    assert whole["dataset"]["retrieval_examples"] == [3]
    assert whole["splits"]["test"] == {"ref_ids": [3, 5, 9], "examples": [[3, 1]]}
    assert whole["dataset"]["theorems"][0]["proofs"][0]["refs"] == ["Evenness", "Elsewhere"]


def test_keys_that_the_released_files_leave_out_may_be_missing(tmp_path: Path) -> None:
    whole = plain(tmp_path)
    for key in ("proofs", "categories"):
        del whole["dataset"]["definitions"][0][key]
    del whole["dataset"]["retrieval_examples"]
    assert read_corpus(saved(tmp_path, whole)) == (CORPUS, SPLITS)


DAMAGE: list[tuple[list[str | int], object, str]] = [
    (["theorems", 0, "title"], "half \ud835", "half a character"),
    (["theorems", 0, "id"], "3", "dataset.theorems[0].id: is '3', not a whole number"),
    (["theorems", 0, "id"], True, "dataset.theorems[0].id: is True, not a whole number"),
    (["theorems", 1, "id"], 3, "dataset.theorems[1].id: is 3, which is the id of dataset.theorems[0] too"),
    (["definitions", 0, "type"], "theorem", "dataset.definitions[0].type: is 'theorem' in the list of"),
    (["others", 0, "title"], None, "dataset.others[0].title: is null, not text"),
    (["theorems", 0, "contents"], "one line", "dataset.theorems[0].contents: is 'one line', not a list"),
    (["theorems", 0, "contents", 1], 7, "dataset.theorems[0].contents[1]: is 7, not text"),
    (["theorems", 1], [1], "dataset.theorems[1]: is a list of 1, not an object"),
    (["theorems", 0, "proofs", 0], "by hand", "dataset.theorems[0].proofs[0]: is 'by hand', not an object"),
    (["theorems", 0, "proofs", 1, "ref_ids", 0], 77, "[0].proofs[1].ref_ids[0]: is 77, the id of nothing"),
    (["theorems", 0, "proofs", 1, "ref_ids", 0], 9, "[0].proofs[1]: has ref_ids that are not the ids"),
    (["theorems", 0, "ref_ids"], [5, 5], "dataset.theorems[0]: has ref_ids that are not the ids of its refs"),
    (["theorems", 0, "refs"], [], "dataset.theorems[0]: has ref_ids that are not the ids of its refs"),
    (["retrieval_examples"], [5], "dataset.retrieval_examples: names 5, which is the id of no theorem"),
]


@pytest.mark.parametrize(("where", "what", "message"), DAMAGE)
def test_damage_is_told_with_its_place(
    tmp_path: Path, where: list[str | int], what: object, message: str
) -> None:
    whole = plain(tmp_path)
    target = whole["dataset"]
    for key in where[:-1]:
        target = target[key]
    target[where[-1]] = what
    path = saved(tmp_path, whole)
    with pytest.raises(BadRecords) as caught:
        read_corpus(path)
    assert str(path) in caught.value.message
    assert caught.value.hint
    assert any(message in str(problem) for problem in problems_of(path))
    complaints: list[str] = []
    corpus, _ = read_corpus(path, complaints)
    assert any(line.startswith(f"{path}: ") and message in line for line in complaints)
    assert any(one in corpus.statements for one in CORPUS.statements), "the rest is lost"


@pytest.mark.parametrize("key", ["id", "type", "label", "title", "contents", "refs", "ref_ids", "proofs"])
def test_a_missing_key_is_told(tmp_path: Path, key: str) -> None:
    whole = plain(tmp_path)
    del whole["dataset"]["theorems"][0][key]
    with pytest.raises(BadRecords, match=rf"dataset\.theorems\[0\]: lacks the key '{key}'"):
        read_corpus(saved(tmp_path, whole))


def test_a_key_more_is_told_and_passed_over(tmp_path: Path) -> None:
    whole = plain(tmp_path)
    whole["dataset"]["theorems"][0]["colour"] = "red"
    path = saved(tmp_path, whole)
    assert read_corpus(path)[0] == CORPUS
    assert [str(problem) for problem in problems_of(path)] == [
        "dataset.theorems[0]: has the key 'colour', which is not of this layout"
    ]
    assert main([str(path)]) == 0


@pytest.mark.parametrize(
    ("part", "key", "value", "message"),
    [
        ("test", "examples", [[3, 2]], "splits.test.examples: names [3, 2], which is not a proof"),
        ("test", "examples", [[5, 0]], "splits.test.examples: names [5, 0], which is not a proof"),
        ("valid", "examples", [[3]], "splits.valid.examples[0]: is a list of 1, not a pair"),
        ("train", "ref_ids", [5, 78], "splits.train.ref_ids: names 78, the id of nothing"),
    ],
)
def test_splits_of_something_else_are_told(
    tmp_path: Path, part: str, key: str, value: object, message: str
) -> None:
    whole = plain(tmp_path)
    whole["splits"][part][key] = value
    path = saved(tmp_path, whole)
    assert [str(problem) for problem in problems_of(path) if message in str(problem)]
    with pytest.raises(BadRecords):
        read_corpus(path)


def test_a_lost_proof_leaves_the_numbers_of_the_others(tmp_path: Path) -> None:
    whole = plain(tmp_path)
    del whole["dataset"]["theorems"][0]["proofs"][0]["contents"]
    corpus, _ = read_corpus(saved(tmp_path, whole), [])
    assert corpus.theorems[0].proofs == (DocumentProof(()), THEOREM.proofs[1])


@pytest.mark.parametrize(
    "whole",
    [
        {"dataset": {"theorems": [], "definitions": [], "other": [], "proofs": []}},
        {"theorems": [], "definitions": [], "others": []},
        [],
        {
            "dataset": {"theorems": [], "definitions": [], "others": []},
            "splits": {"train": {"example_ids": []}},
        },
    ],
)
def test_another_layout_is_refused(tmp_path: Path, whole: object) -> None:
    path = saved(tmp_path, whole)
    for complaints in (None, []):
        with pytest.raises(BadRecords, match="another layout") as caught:
            read_corpus(path, complaints)
        assert "June 2021" in caught.value.hint


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRecords, match="cannot be read"):
        read_corpus(tmp_path / "none.json")
    (tmp_path / "latin.json").write_bytes(b'{"dataset": "\xe9"}')
    with pytest.raises(BadRecords, match="is not JSON"):
        read_corpus(tmp_path / "latin.json")


def test_an_example_is_in_one_split_and_has_an_answer(tmp_path: Path) -> None:
    whole = plain(tmp_path)
    whole["splits"]["test"]["examples"] = [[3, 1], [3, 0], [3, 0]]
    path = saved(tmp_path, whole)
    told = [str(problem) for problem in problems_of(path)]
    assert any("splits.test.examples: names [3, 0], which is in train, too" in line for line in told)
    _, splits = read_corpus(path, [])
    assert splits is not None and splits.train.examples == ((3, 0),)
    assert splits.test.examples == ((3, 1),)
    for key in ("refs", "ref_ids"):
        whole["dataset"]["theorems"][0]["proofs"][1][key] = []
    whole["splits"]["test"]["examples"] = [[3, 1]]
    path = saved(tmp_path, whole)
    assert [problem.harmless for problem in problems_of(path)] == [True]
    _, splits = read_corpus(path)
    assert splits is not None and splits.test.examples == ()


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ('{"format": "match-pairs", "version": 1}\n{"key": "a"}\n', "Expected the JSON"),
        ("\\documentclass{book}", "Expected the JSON"),
        ('{"dataset": {"theorems": [{"id": 1, "title": "An op', "cut off"),
    ],
)
def test_a_file_of_another_kind_is_not_called_cut_off(tmp_path: Path, text: str, hint: str) -> None:
    (tmp_path / "file").write_text(text, encoding="utf-8")
    with pytest.raises(BadRecords) as caught:
        read_corpus(tmp_path / "file")
    assert hint in caught.value.hint


@given(data=st.data())
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_file_cut_off_anywhere_is_refused(tmp_path: Path, data: st.DataObject) -> None:
    write_corpus(tmp_path / "whole.json", CORPUS, SPLITS)
    whole = (tmp_path / "whole.json").read_bytes().rstrip()
    cut = tmp_path / "cut.json"
    cut.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    with pytest.raises(BadRecords) as caught:
        read_corpus(cut, [])
    assert str(cut) in caught.value.message


_LINE = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    kinds = draw(st.lists(st.sampled_from(["theorem", "definition", "other"]), max_size=6))
    ids = draw(st.lists(st.integers(), min_size=len(kinds), max_size=len(kinds), unique=True))
    statements = [
        Statement(id, kind, f"label {id}", draw(_LINE), tuple(draw(st.lists(_LINE, max_size=2))))
        for id, kind in zip(ids, kinds, strict=True)
    ]
    linked = []
    for statement in statements:
        targets = draw(st.lists(st.sampled_from(ids), max_size=3))
        refs = (*(f"label {id}" for id in targets), "a section")
        proofs = (DocumentProof((draw(_LINE),), refs, tuple(targets)),) if statement.type == "theorem" else ()
        linked.append(replace(statement, refs=refs, ref_ids=tuple(targets), proofs=proofs))
    return Corpus(
        *(tuple(one for one in linked if one.type == kind) for kind in ("theorem", "definition", "other"))
    )


@given(corpus=corpora())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_corpus_survives(tmp_path: Path, corpus: Corpus) -> None:
    write_corpus(tmp_path / "any.json", corpus)
    assert read_corpus(tmp_path / "any.json") == (corpus, None)


def test_the_command_tells_everything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = plain(tmp_path)
    whole["dataset"]["theorems"][0]["ref_ids"] = [6]
    whole["dataset"]["others"][0]["label"] = 1
    path = saved(tmp_path, whole)
    assert main([str(path)]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert f"{path}: dataset.theorems[0].ref_ids[0]: is 6, the id of nothing" in printed
    assert f"{path}: dataset.others[0].label: is 1, not text" in printed
    assert main([str(tmp_path / "none.json")]) == 1
    assert "cannot be read" in capsys.readouterr().err
