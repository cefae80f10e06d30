"""Settings: what an editor sends is checked, named and defaulted."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.engine.settings import LeanSettings, Settings, parse


def test_nothing_sent_gives_the_defaults() -> None:
    sent: list[Any] = [None, {}, {"premiseSuggest": None}, {"premiseSuggest": {}}]
    for nothing in sent:
        assert parse(nothing) == (Settings(), [])


@pytest.mark.parametrize("wrapped", [False, True])
def test_camel_case_values_are_taken(wrapped: bool) -> None:
    sent: dict[str, Any] = {
        "lean": {"command": "lean --server", "startSeconds": 3, "slots": 4},
        "tactics": {"enabled": False, "extra": ["ring"]},
        "index": {"onSave": False},
        "modelFolder": "m",
    }
    settings, complaints = parse({"premiseSuggest": sent} if wrapped else sent)
    assert complaints == []
    assert settings.lean == LeanSettings(command="lean --server", start_seconds=3.0, slots=4)
    assert settings.tactics.extra == ("ring",)
    assert not settings.tactics.enabled
    assert not settings.index.on_save
    assert settings.model_folder == "m"


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"hovr": {}}, "premiseSuggest.hovr is not a setting; the names are lean, premises"),
        ({"codeactions": {}}, "did you mean codeActions?"),
        ({"lean": {"start_seconds": 3}}, "did you mean startSeconds?"),
        ({"lean": 3}, "premiseSuggest.lean must be an object, not 3"),
        (
            {"premises": {"count": 0}},
            "must be a whole number from 1 to 1000, not 0; the default, 16, is used",
        ),
        ({"premises": {"count": 1.5}}, "whole number"),
        ({"premises": {"count": True}}, "whole number"),
        ({"lean": {"startSeconds": "soon"}}, "a number from 0.1 to 3600"),
        ({"hover": {"enabled": 1}}, "true or false"),
        ({"models": {"device": "gpu"}}, "one of auto, cpu, cuda"),
        ({"tactics": {"extra": "ring"}}, "a list of strings"),
        ({"lean": {"command": ["lean"]}}, "a string"),
        ([1], "premiseSuggest must be an object"),
    ],
)
def test_what_does_not_fit_is_told_and_defaulted(sent: Any, said: str) -> None:
    settings, complaints = parse(sent)
    assert settings == Settings()
    assert len(complaints) == 1
    assert said in complaints[0]


def test_one_bad_value_does_not_spoil_the_others() -> None:
    settings, complaints = parse({"hover": {"count": "x", "enabled": False}, "y": 1})
    assert len(complaints) == 2
    assert (settings.hover.enabled, settings.hover.count) == (False, 5)


def test_the_base_stands_where_nothing_is_sent() -> None:
    base = Settings(lean=LeanSettings(command="my-lean"))
    settings, _ = parse({"lean": {"slots": 3}}, base)
    assert settings.lean == LeanSettings(command="my-lean", slots=3)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["lean", "count", "slots", "hover", "x", "extra"]), inner)
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_json_gives_settings_within_their_ranges(sent: Any) -> None:
    settings, _ = parse(sent)
    assert 1 <= settings.hover.count <= 50
    assert 1 <= settings.lean.slots <= 64
    assert 0.1 <= settings.lean.start_seconds <= 3600
