"""Our models in OpenAI's interface, asked by its own client."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("openai", reason="openai, of the extra `test`, is not installed")
from openai import BadRequestError, OpenAI, UnprocessableEntityError

from lsp_server.http.openai_models import ENCODER, GENERATOR
from tests.http.conftest import ADD_COMM, TOKEN, Served, serving
from tests.prover.generator.conftest import FIXTURE

SWAP = "p q : Prop\nh : p ∧ q\n⊢ q ∧ p"
LEARNED = "exact ⟨h.2, h.1⟩"
"""What the fixture generator writes for it."""


@pytest.fixture(scope="module")
def generating(environment: dict[str, str], library: Path) -> Iterator[Served]:
    """A server with a generator."""
    with serving(environment, "--project", library, "--generator", FIXTURE) as served:
        yield served


@pytest.fixture
def client(generating: Served) -> Iterator[OpenAI]:
    with OpenAI(base_url=f"{generating.url}/v1", api_key="none", max_retries=0) as client:
        yield client


def test_the_models_are_listed(client: OpenAI) -> None:
    assert [one.id for one in client.models.list()] == [GENERATOR, ENCODER]


def test_the_generator_s_tactics_are_choices(client: OpenAI) -> None:
    found = client.completions.create(
        model=GENERATOR, prompt=SWAP, n=8, logprobs=1, temperature=0.5, max_tokens=64
    )
    assert found.choices[0].text == LEARNED
    assert len({one.text for one in found.choices}) == len(found.choices) > 1
    assert [one.index for one in found.choices] == list(range(len(found.choices)))
    scores = [
        one.logprobs.token_logprobs[0]
        for one in found.choices
        if one.logprobs and one.logprobs.token_logprobs
    ]
    assert len(scores) == len(found.choices)
    assert scores == sorted(scores, reverse=True)
    assert found.usage is not None
    assert found.usage.prompt_tokens == len(SWAP.encode())
    assert found.usage.total_tokens == found.usage.prompt_tokens + found.usage.completion_tokens


def test_n_is_the_most_tactics_of_each_state(client: OpenAI) -> None:
    one = client.completions.create(model=GENERATOR, prompt=SWAP)
    assert [(choice.text, choice.logprobs) for choice in one.choices] == [(LEARNED, None)]
    both = client.completions.create(model=GENERATOR, prompt=[ADD_COMM, "no goals", SWAP], n=1)
    assert [choice.index for choice in both.choices] == [0, 1]
    assert both.choices[1].text == LEARNED


def test_without_a_named_generator_the_shipped_one_answers(server: Served) -> None:
    body = {"model": GENERATOR, "prompt": ADD_COMM, "n": 64}
    answer = server.post("/v1/completions", body)
    assert answer.status_code == 200
    texts = [one["text"] for one in answer.json()["choices"]]
    assert 8 < len(set(texts)) == len(texts) <= 64
    assert server.post("/v1/completions", body).content == answer.content


def test_embeddings_are_of_norm_1_and_equal_for_equal_goals(client: OpenAI) -> None:
    texts = [SWAP, ADD_COMM, "p q : Prop\nh : p ∧ q\n⊢ And q p"]
    found = client.embeddings.create(model=ENCODER, input=texts)  # the client asks for base64
    rows = np.array([one.embedding for one in found.data], dtype=np.float32)
    assert [one.index for one in found.data] == [0, 1, 2]
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-4)
    np.testing.assert_allclose(rows[0], rows[2], atol=1e-5)
    assert rows[0] @ rows[1] < 0.99
    plain = client.embeddings.create(model=ENCODER, input=SWAP, encoding_format="float")
    np.testing.assert_allclose(plain.data[0].embedding, rows[0], atol=1e-6)


def test_base64_is_of_little_endian_floats(generating: Served) -> None:
    body = {"model": ENCODER, "input": SWAP}
    plain = generating.post("/v1/embeddings", body).json()["data"][0]["embedding"]
    text = generating.post("/v1/embeddings", {**body, "encoding_format": "base64"}).json()["data"][0][
        "embedding"
    ]
    assert np.frombuffer(base64.b64decode(text), dtype="<f4").tolist() == plain


@pytest.mark.parametrize(
    "body",
    [
        {"model": "gpt-4", "prompt": SWAP},
        {"model": GENERATOR},
        {"model": GENERATOR, "prompt": SWAP, "n": 65},
        {"model": GENERATOR, "prompt": SWAP, "n": 0},
        {"model": GENERATOR, "prompt": [1, 2, 3]},
        {"model": GENERATOR, "prompt": []},
        {"model": GENERATOR, "prompt": [SWAP] * 65},
        {"model": GENERATOR, "prompt": SWAP, "stream": True},
    ],
)
def test_what_cannot_be_answered_is_refused(generating: Served, body: dict[str, Any]) -> None:
    answer = generating.post("/v1/completions", body)
    assert answer.status_code == 422
    assert answer.json()["error"]


def test_the_client_shows_what_was_wrong(client: OpenAI) -> None:
    with pytest.raises(BadRequestError, match="⊢"):
        client.completions.create(model=GENERATOR, prompt="what comes next?")
    with pytest.raises(UnprocessableEntityError, match=ENCODER):
        client.embeddings.create(model="text-embedding-3-small", input=SWAP)
    with pytest.raises(BadRequestError):
        client.embeddings.create(model=ENCODER, input="no goals")


def test_a_token_is_the_client_s_key(open_server: Served) -> None:
    with OpenAI(base_url=f"{open_server.url}/v1", api_key=TOKEN, max_retries=0) as client:
        assert len(client.models.list().data) == 2
    assert open_server.client.get("/v1/models").status_code == 401
