"""Whatever JSON comes as a request: each id over the real wire is answered exactly once."""

from __future__ import annotations

from itertools import count
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.hostile.raw_client import RawClient, encoded, request
from tests.lsp_server.wire import INVALID_REQUEST, METHODS, code

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
SURROGATES = st.text(st.characters(categories=["Cs", "Lu"]), max_size=4)
URIS = (
    st.sampled_from(["untitled:sane", "file:///no/such/A.lean", "file:///no/such/\ud800.lean", "file://["])
    | JSON
)
PLACES = (
    st.fixed_dictionaries({"line": st.integers(-1, 3) | JSON, "character": st.integers(-1, 9) | JSON}) | JSON
)
NAMED = st.fixed_dictionaries(
    {},
    optional={
        "textDocument": st.fixed_dictionaries({"uri": URIS}) | JSON,
        "position": PLACES,
        "range": st.fixed_dictionaries({"start": PLACES, "end": PLACES}) | JSON,
        "context": st.fixed_dictionaries({"diagnostics": JSON}, optional={"only": JSON}) | JSON,
        "command": st.sampled_from(["premise-suggest.suggest", "premise-suggest.index"]) | JSON,
        "arguments": st.lists(JSON, max_size=2) | JSON,
        "insert": SURROGATES | JSON,
        "as": st.sampled_from(["tactic", "name"]) | JSON,
        "query": SURROGATES | JSON,
        "goal": JSON,
        "k": JSON,
        "name": SURROGATES,
        "module": SURROGATES,
    },
)
CALLED = st.sampled_from([*METHODS, "premiseSuggest/declaration", "workspace/executeCommand", "initialize"])
IDS = st.sampled_from(["number", "text"]) | JSON
numbers = count()


@settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(CALLED | st.text(max_size=9) | JSON, NAMED | JSON, IDS)
def test_whatever_is_asked_is_answered_once(raw_client: RawClient, method: Any, params: Any, id: Any) -> None:
    id = (
        {"number": next(numbers), "text": f"\ud800 {next(numbers)}"}.get(id, id)
        if isinstance(id, str)
        else id
    )
    raw_client.send(encoded(request(id, method, params)))
    is_id = (
        isinstance(id, int | str) and not isinstance(id, bool) and (isinstance(id, str) or abs(id) < 2**63)
    )
    answer = raw_client.answer(id if is_id else None)
    assert ("result" in answer) is not ("error" in answer)
    if not is_id:
        assert code(answer) == INVALID_REQUEST
    raw_client.check_sane()
    assert [other for other in raw_client.others if "method" not in other] == []
