"""Every operation of the OpenAPI description against the real server, with generated requests."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.http.conftest import Served

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")

WITH_INPUT = [
    ("GET", "/api/search"),
    ("POST", "/search"),
    ("GET", "/json"),
    ("POST", "/leanfinder"),
    ("POST", "/retrieve"),
    ("POST", "/generate"),
    ("POST", "/"),
    ("POST", "/v1/completions"),
    ("POST", "/v1/embeddings"),
    ("GET", "/api/premises"),
    ("GET", "/api/declaration"),
    ("GET", "/api/uses"),
    ("GET", "/api/collections/{backend_name}/{name}"),
]
PLAIN = [
    ("GET", "/max-new-premises"),
    ("GET", "/indexed-premises"),
    ("GET", "/indexed-modules"),
    ("GET", "/api/revisions"),
    ("GET", "/v1/models"),
    ("GET", "/api/collections"),
    ("GET", "/metrics"),
    ("GET", "/healthz"),
]
_EXAMPLES = 12


@pytest.fixture(scope="module")
def api(server: Served) -> Any:
    schema = schemathesis.openapi.from_url(f"{server.url}/openapi.json")
    # A text of the right type need not be a goal, nor a revision one that is indexed: that is 400.
    schema.config.checks.positive_data_acceptance.expected_statuses = ["2xx", "400"]
    # A text that is too long may make the body so, too.
    schema.config.checks.negative_data_rejection.expected_statuses = ["400", "401", "403", "413", "422"]
    return schema


def test_the_description_names_every_interface(server: Served) -> None:
    paths = server.client.get("/openapi.json").json()["paths"]
    described = {(method.upper(), path) for path, methods in paths.items() for method in methods}
    assert described == {*WITH_INPUT, *PLAIN}


@pytest.mark.parametrize(
    ("method", "path", "mode"),
    [(*one, "positive") for one in (*WITH_INPUT, *PLAIN)] + [(*one, "negative") for one in WITH_INPUT],
)
def test_every_answer_is_as_described(api: Any, method: str, path: str, mode: str) -> None:
    """Requests that the description allows, and where there is anything to say, some that it does not."""
    strategy = api[path][method].as_strategy(generation_mode=schemathesis.GenerationMode(mode))

    @given(case=strategy)
    @settings(
        max_examples=_EXAMPLES,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def ask(case: Any) -> None:
        case.call_and_validate(timeout=120)

    ask()
