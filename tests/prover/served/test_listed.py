"""Tactics as JSON."""

from __future__ import annotations

import itertools
import json
from typing import Any

import hypothesis.strategies as st
import jsonschema
from hypothesis import given

from lean_extract.goals import parse_goal
from lean_extract.records import Premise
from prover.served.answers import AnswerReader
from prover.served.listed import schema_for

GOAL = parse_goal("p q : Prop\nh : p ∧ q\n⊢ q ∧ p")
PREMISES = [Premise(name, "theorem", "M", (), "p") for name in ("And.intro", '«a "b»', "Nat.add_comm'")]
SCHEMA = json.loads(schema_for(GOAL, PREMISES, 8))
_ITEM = SCHEMA["properties"]["tactics"]["items"]["properties"]
_TACTICS = st.fixed_dictionaries(
    {
        "tactic": st.sampled_from(_ITEM["tactic"]["enum"]),
        "terms": st.lists(st.sampled_from(_ITEM["terms"]["items"]["enum"]), max_size=3),
        "at": st.sampled_from(_ITEM["at"]["enum"]),
    }
)


def read(text: str, *cuts: int) -> list[str]:
    """The tactics of an answer that arrives in pieces."""
    reader, found = AnswerReader(), []
    places = sorted({0, len(text), *(min(cut, len(text)) for cut in cuts)})
    for begin, end in itertools.pairwise(places):
        found += reader.feed(text[begin:end])
    return [*found, *reader.finish()]


def answer(*tactics: Any) -> str:
    return json.dumps({"tactics": tactics}, ensure_ascii=False, indent=1)


def test_the_forms_of_tactics() -> None:
    written = answer(
        {"tactic": "exact", "terms": ["And.intro", "_", "?_"], "at": ""},
        {"tactic": "rw", "terms": ["Nat.add_comm'", "h"], "at": "h"},
        {"tactic": "rw ←", "terms": ["Nat.add_comm'", "h"], "at": ""},
        {"tactic": "simp only", "terms": ['«a "b»'], "at": ""},
        {"tactic": "omega", "terms": ["h"], "at": "h"},
        "exact h.2",
    )
    assert read(written) == [
        "exact And.intro _ ?_",
        "rw [Nat.add_comm', h] at h",
        "rw [← Nat.add_comm', ← h]",
        'simp only [«a "b»]',
        "omega",
        "exact h.2",
    ]


@given(st.lists(_TACTICS, min_size=1, max_size=8), st.lists(st.integers(0, 2000)))
def test_what_the_schema_allows_names_only_what_exists_however_it_arrives(
    tactics: list[dict[str, Any]], cuts: list[int]
) -> None:
    jsonschema.validate({"tactics": tactics}, SCHEMA)
    written = answer(*tactics)
    found = read(written, *cuts)
    assert found == read(written)
    for one in found:
        assert any(one.startswith(item["tactic"].split()[0]) for item in tactics)


@given(st.text(alphabet='{}[]":,\\ \nabu0exact_', max_size=80), st.lists(st.integers(0, 90)))
def test_any_text_is_read_the_same_in_pieces(text: str, cuts: list[int]) -> None:
    for whole in (text, f'{{"tactics": {text}', f'{{"tactics": ["exact h", {text}'):
        assert read(whole, *cuts) == read(whole)


def test_what_is_no_tactic_is_left_out() -> None:
    odd = answer(
        1, None, ["simp"], {"tactic": "exact"}, {"tactic": 1}, {"tactic": "sorry", "terms": []},
        {"tactic": "rw", "terms": "h"}, {"tactic": "rw", "terms": [1]}, "sorry", "#eval 1", "",
    )  # fmt: skip
    assert read(odd) == []
    assert read('{"tactics": ["rfl"') == ["rfl"]
    assert read("{") == read('{"') == read('{"tactics": ["rfl') == []
