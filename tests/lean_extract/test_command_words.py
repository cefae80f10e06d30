"""The words with which a command begins are the same wherever a text is cut into commands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.session.document import LeanDocument
from lean_extract.session.places import tactic_word
from lean_extract.session.tactic_sites import guesses
from lean_extract.source.grammar.commands import split_commands
from lean_extract.source.reader import read_module
from lean_extract.syntax.keywords import COMMAND_WORDS, GOVERNING_WORDS
from lean_extract.syntax.lexer import tokenize
from lean_extract.syntax.tactic_text import defect

WORDS = sorted(COMMAND_WORDS)
IN_TACTICS = {"open", "local", "scoped", "nonrec", "include", "omit"}
NEW = [
    "irreducible_def", "grind_pattern", "unseal", "seal", "simproc", "recommended_spelling", "assert_not_exists",
    "initialize_simps_projections", "initialize_simps_projections?", "notation3", "proof_wanted", "run_meta",
    "compile_inductive", "register_simp_attr", "count_heartbeats", "declare_syntax_cat", "binder_predicate",
    "builtin_dsimproc", "with_weak_namespace", "theorem_wanted", "unif_hint", "variable?", "recall",
]  # fmt: skip
THEOREM = "theorem t : p := by\n  sorry\n"


def test_the_words_that_were_missing_are_there() -> None:
    assert set(NEW) <= COMMAND_WORDS


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), st.sampled_from(["", "\n", "-- x\n"]))
def test_a_declaration_ends_before_the_next_command(commands: list[str], gap: str) -> None:
    below = "".join(f"{word} x\n" for word in commands)
    document = LeanDocument(f"{THEOREM}{gap}{below}")
    end = len(THEOREM) if gap.startswith("--") else len(THEOREM) + len(gap)
    assert document.declaration(THEOREM.index("sorry")) == (0, end)


@pytest.mark.parametrize("word", sorted(COMMAND_WORDS - {"deriving"}))
def test_the_reader_of_files_cuts_there_too(word: str) -> None:
    tokens = tokenize(f"{THEOREM}{word} x\n")
    assert [tokens.texts[one.begin] for one in split_commands(tokens)] == ["theorem", word]


@given(st.sampled_from(WORDS), st.sampled_from(["x", "'", ".y"]))
def test_a_longer_name_is_no_command(word: str, more: str) -> None:
    document = LeanDocument(f"{THEOREM}{word}{more}\n")
    assert document.declaration(THEOREM.index("sorry"))[1] == len(document.text) or f"{word}{more}" in WORDS


@pytest.mark.parametrize("word", sorted(GOVERNING_WORDS))
@pytest.mark.parametrize("place", ["above", "before"])
def test_what_governs_a_declaration_belongs_to_it(word: str, place: str) -> None:
    break_ = "\n" if place == "above" else " "
    first = f"theorem s : p := q\n\n{word} x y in{break_}"
    document = LeanDocument(f"{first}{THEOREM}")
    site = guesses(document, document.position(len(first) + THEOREM.index("sorry")), is_term=None)[0]
    assert (site.command, site.name) == (document.text.index(f"\n{word}") + 1, "t")


@pytest.mark.parametrize("prefix", ["local", "scoped"])
def test_a_local_notation_governs_a_declaration(prefix: str) -> None:
    first = f'theorem s : p := q\n\n{prefix} notation "x" => y in\n'
    document = LeanDocument(f"{first}{THEOREM}")
    site = guesses(document, document.position(len(first) + THEOREM.index("sorry")), is_term=None)[0]
    assert document.text[site.command :].startswith(prefix)


@pytest.mark.parametrize("word", sorted(set(NEW) - IN_TACTICS))
def test_no_tactic_may_contain_a_command(word: str) -> None:
    assert defect(f"exact h\n{word} x") == f"it contains the command `{word}`"


@pytest.mark.parametrize("word", sorted(IN_TACTICS))
def test_what_only_changes_the_scope_may_stand_in_a_tactic(word: str) -> None:
    assert defect(f"{word} Foo in simp") is None


@pytest.mark.parametrize("word", NEW)
def test_no_command_is_a_tactic(word: str) -> None:
    assert tactic_word(f"  {word} x", 3) is None


def test_the_name_of_an_irreducible_definition_is_its_own() -> None:
    first = "theorem s : p := q\n\nirreducible_def "
    document = LeanDocument(f"{first}d : p := by\n  sorry\n")
    site = guesses(document, document.position(document.text.index("sorry")), is_term=None)[0]
    assert site.name == "d"
    assert site.start == document.text.index("irreducible_def")


@pytest.mark.parametrize(
    "word", sorted(GOVERNING_WORDS - {"attribute", "variable", "variables", "universes"})
)
def test_the_reader_finds_what_is_governed(word: str) -> None:
    read = read_module(f"{word} x in {THEOREM}", "M", "")
    assert [premise.name for premise in read.premises] == ["t"]
