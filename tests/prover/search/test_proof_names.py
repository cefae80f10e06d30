"""What the files of found proofs are called."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from prover.search.proving import file_name, stems_of


def test_readable_names_stay() -> None:
    names = ["Nat.add_comm", "foo'", "foo_", "foo₁", "α", "β", "a_b", "定理", "x"]
    assert stems_of(names) == {name: name for name in names}
    assert file_name("x", 1) == "x.lean"
    assert file_name("x", 2) == "x.pass2.lean"


def test_other_names_are_hashed_and_stay_readable() -> None:
    stems = stems_of(["a/b", "Foo", "foo", "x.pass2", ".hidden", "t (line 3)", "n" * 300])
    assert stems["a/b"].startswith("a_b-")
    assert stems["Foo"].startswith("Foo-")
    assert stems["foo"].startswith("foo-")
    assert stems["x.pass2"].startswith("x.pass2-")
    assert stems[".hidden"].startswith("hidden-")
    assert stems["t (line 3)"].startswith("t__line_3_-")
    assert stems["n" * 300].startswith("nnn")


@given(
    st.lists(
        st.text(alphabet="aAß/_'.-2éE\u0301sS\ud800 ", max_size=6)
        | st.text(max_size=300)
        | st.sampled_from(
            ["x", "X.PASS2", "x.pass2", "x.pass22", "é" * 100, "é" * 101, "a" * 400, "a" * 401]
        ),
        unique=True,
    )
)
def test_each_proof_has_a_file_of_its_own(names: list[str]) -> None:
    stems = stems_of(names)
    files = [file_name(stems[name], number) for name in names for number in (1, 2, 22)]
    folded = {unicodedata.normalize("NFC", unicodedata.normalize("NFC", one).casefold()) for one in files}
    assert len(folded) == len(files)
    for one in files:
        assert len(one.encode()) < 200
        assert not set(one) & set('/\\\0:*?"<>|')
        assert not one.startswith(".")
