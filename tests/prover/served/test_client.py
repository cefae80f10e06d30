"""A model's text over HTTP: streaming, leaving, bounds, refusals, keys."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from lean_extract.common.errors import ModelError
from prover.limits import MAX_MODEL_BYTES
from prover.served.address import read_address
from prover.served.asked import Asked
from prover.served.client import ModelServer
from tests.fakes.model_server import Call, Served, serving

KEY = "sk-not-to-be-shown"


def client(served: Served, model: str = "scripted", **options: object) -> ModelServer:
    return ModelServer(read_address(f"{served.url}#{model}"), **options)  # type: ignore[arg-type]


async def text(server: ModelServer, asked: Asked | None = None) -> str:
    async with aclosing(server.written(asked or Asked("hello"))) as pieces:
        return "".join([piece async for piece in pieces])


async def refusal(answers: Callable[[Call], object], **options: object) -> ModelError:
    with serving(answers) as served, pytest.raises(ModelError) as raised:
        await text(client(served, **options))
    assert KEY not in str(raised.value)
    return raised.value


@pytest.mark.parametrize("is_chat", [True, False])
async def test_text_arrives_while_the_model_still_writes(is_chat: bool) -> None:
    def answers(call: Call) -> None:
        call.begin()
        call.piece("exact ")
        call.wait_until_left()

    with serving(answers) as served:
        async with aclosing(client(served).written(Asked("hello", is_chat=is_chat))) as pieces:
            assert await anext(pieces) == "exact "
        assert await asyncio.to_thread(served.left.wait, 60)
        assert len(served.asked) == 1


async def test_a_cancelled_wait_closes_the_connection_before_the_first_byte() -> None:
    with serving(Call.wait_until_left) as served:
        waiting = asyncio.create_task(text(client(served)))
        assert await asyncio.to_thread(served.began.wait, 60)
        waiting.cancel()
        assert await asyncio.to_thread(served.left.wait, 60)
        with pytest.raises(asyncio.CancelledError):
            await waiting


@pytest.mark.parametrize(
    "parts",
    [
        [b'data: {"choices":[{"delta":{"content":"\xe2\x9f', b'\xa8h"}}]}\r\n\r\n', b": ping\n\ndata: [DONE]\n\n"],
        [b'data: {"choices":[{"delta":{"role":"assistant","content":null}}]}\n\n',
         'data:{"choices":[{"delta":{"content":"⟨h"}}]}'.encode()],
        [b'{"choices":[{"message":{"role":"assistant","content":', '"⟨h"}}]}'.encode()],
        [b'\n {"choices":[{"message":{"reasoning_content":"no","content":"\\u27e8h"}}],"usage":{}}'],
        [b'data: {"choices":[{"delta":{"content":"\\u27e8h"},"finish_reason":null}]}\n\n',
         b'data: {"choices":[],"usage":{"total_tokens":7}}\n\ndata: [DONE]\n\n'],
    ],
)  # fmt: skip
async def test_the_shapes_of_different_servers(parts: list[bytes]) -> None:
    def answers(call: Call) -> None:
        call.begin()
        for part in parts:
            call.write(part)

    with serving(answers) as served:
        assert await text(client(served)) == "⟨h"


async def test_what_is_asked() -> None:
    with serving(lambda call: call.text("a", "b")) as served:
        asked = Asked("user", "system", stop=("\n\n",), tokens=7, temperature=0.5, seed=3)
        assert await text(client(served, key=KEY), asked) == "ab"
    assert served.keys == [f"Bearer {KEY}"]
    messages = [{"role": "system", "content": "system"}, {"role": "user", "content": "user"}]
    assert served.asked == [
        {
            "model": "scripted", "stream": True, "stream_options": {"include_usage": True}, "max_tokens": 7,
            "temperature": 0.5, "stop": ["\n\n"], "seed": 3, "messages": messages,
        }
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("owner", "fields"),
    [
        ("llamacpp", {"grammar": "root ::= x"}),
        ("vllm", {"structured_outputs": {"grammar": "root ::= x"}, "guided_grammar": "root ::= x"}),
        ("somebody", {}),
    ],
)
async def test_a_grammar_is_sent_as_the_server_takes_it(owner: str, fields: dict[str, object]) -> None:
    with serving(lambda call: call.text("exact h"), owner=owner) as served:
        await text(client(served), Asked("hello"))
        await text(client(served), Asked("hello", grammar="root ::= x", schema='{"type": "object"}'))
    without, within = served.asked
    assert {name: value for name, value in within.items() if name not in without} == fields


async def test_a_schema_is_sent_to_a_server_without_grammars() -> None:
    asked = Asked("hello", "You prove.", grammar="x", schema='{"type": "object"}', schema_note="In JSON.")
    with serving(lambda call: call.text("{}"), owner="library") as served:
        await text(client(served), asked)
        await text(client(served), replace(asked, is_chat=False))
    as_message, as_text = served.asked
    form = {"name": "tactics", "strict": True, "schema": {"type": "object"}}
    assert as_message["response_format"] == {"type": "json_schema", "json_schema": form}
    assert [one["content"] for one in as_message["messages"]] == ["You prove.", "hello\n\nIn JSON."]
    assert "response_format" not in as_text and "JSON" not in as_text["prompt"]


async def test_ten_megabytes_are_cut_off() -> None:
    def answers(call: Call) -> None:
        call.begin()
        for _ in range(10 * 16):
            call.piece("x" * (1 << 16))

    error = await refusal(answers)
    assert f"more than {MAX_MODEL_BYTES >> 20} MB" in error.message


REFUSALS = [
    (lambda call: call.whole(200, b"<!DOCTYPE html><html>Welcome"), "it is a web page"),
    (lambda call: call.whole(502, b"<html>Bad gateway"), "HTTP 502: it is a web page"),
    (lambda call: call.whole(200, b'{"choices": "no"}'), "no `choices`"),
    (lambda call: call.whole(200, b'{"choices": ['), "not JSON"),
    (lambda call: call.whole(200, b"[[" * 10_000), "not JSON"),
    (lambda call: call.whole(401, {"error": {"message": "no"}}), "refuses the key"),
    (lambda call: call.whole(404, {"error": {"message": "model \x1b[31m not found"}}), r"model \\x1b\[31m not found"),
    (lambda call: call.whole(400, {"error": {"message": "exceeds the available context size"}}), "context size"),
    (lambda call: call.whole(500, {"detail": "it fell over"}), "it fell over"),
    (lambda call: call.whole(307, {}, Location="http://elsewhere.example/v1"), "elsewhere.example"),
    (lambda call: call.whole(200, b"\x1f\x8b", Content_Encoding="gzip"), "compressed"),
    (lambda call: (call.begin(), call.write('data: {"error": {"message": "out of memory"}}\n\n')), "out of memory"),
    (lambda call: (call.begin(), call.write("data: {oops\n\n")), "not JSON"),
]  # fmt: skip


@pytest.mark.parametrize(("answers", "said"), REFUSALS)
async def test_refusals_say_what_happened(
    answers: Callable[[Call], object], said: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with serving(answers) as served, pytest.raises(ModelError, match=said) as raised:
        await text(client(served, key=KEY, key_variable="MY_KEY"))
    assert str(raised.value).isprintable() and KEY not in str(raised.value)
    assert KEY not in caplog.text
    assert len(served.asked) == 1


@pytest.mark.parametrize("key", [f"{KEY}\n", f"{KEY}\u00e9", f"{KEY}\x00"])
async def test_a_key_that_cannot_be_sent_is_not_shown(key: str) -> None:
    error = await refusal(lambda call: call.text("x"), key=key, key_variable="MY_KEY")
    assert "MY_KEY" in str(error)


async def test_a_host_that_cannot_be() -> None:
    with pytest.raises(ModelError):
        await text(ModelServer(read_address(f"http://{'a' * 70}.example./v1#m")))
    with pytest.raises(ModelError, match="is not an address"):
        await text(ModelServer(read_address("http://xn--a.example/v1#m")))


async def test_a_redirect_is_not_followed() -> None:
    with serving(lambda call: call.text("stolen")) as other:
        error = await refusal(lambda call: call.whole(302, {}, Location=f"{other.url}/chat/completions"))
        assert other.url in error.message
        assert other.asked == []


async def test_a_busy_server_is_asked_again() -> None:
    def answers(call: Call) -> None:
        if len(call.served.asked) < 3:
            call.whole(429 if len(call.served.asked) == 1 else 503, {}, Retry_After="0")
        else:
            call.text("done")

    with serving(answers) as served:
        assert await text(client(served)) == "done"
        assert len(served.asked) == 3


async def test_a_server_that_stays_busy_is_given_up() -> None:
    error = await refusal(lambda call: call.whole(503, {"error": {"message": "loading"}}, Retry_After="0"))
    assert "HTTP 503: loading" in error.message and error.hint == "Try again later."


async def test_a_server_that_dies_while_it_writes() -> None:
    def answers(call: Call) -> None:
        call.begin(200, Transfer_Encoding="chunked")
        call.write("5\r\ndata:")

    error = await refusal(answers)
    assert "was lost" in error.message


async def test_no_server_answers() -> None:
    with serving(lambda call: None) as served:
        url = served.url
    with pytest.raises(ModelError, match="No server answers"):
        await text(ModelServer(read_address(f"{url}#m")))


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for this machine that its own key signs, and the key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "here")])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "server.pem"
    plain = serialization.NoEncryption()
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    path.write_bytes(private + signed.public_bytes(serialization.Encoding.PEM))
    return path


async def test_a_certificate_of_ones_own_has_to_be_named(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with serving(lambda call: call.text("x"), tls=context) as served:
        with pytest.raises(ModelError, match="SSL_CERT_FILE"):
            await text(client(served))
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert await text(client(served)) == "x"


async def test_no_proxy_is_used_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with serving(lambda call: call.text("x")) as served:
        assert await text(client(served)) == "x"


async def test_at_most_so_many_requests_run_at_a_time() -> None:
    running, most = [0], [0]
    arrived = asyncio.Event()
    loop = asyncio.get_running_loop()

    def answers(call: Call) -> None:
        running[0] += 1
        most[0] = max(most[0], running[0])
        loop.call_soon_threadsafe(arrived.set)
        running[0] -= 1
        call.text("x")

    with serving(answers) as served:
        server = client(served, at_once=1)
        assert await asyncio.gather(*(text(server) for _ in range(6))) == ["x"] * 6
    assert most == [1]


async def test_a_model_has_to_be_named() -> None:
    with serving(lambda call: call.text("x"), models=("qwen", "goedel")) as served:
        assert await client(served).models() == ["qwen", "goedel"]
        with pytest.raises(ModelError, match="qwen, goedel"):
            await text(client(served, ""))
        assert served.asked == []


@pytest.mark.parametrize(
    "name",
    ["http://", "http:///v1#m", "http://[::1/v1#m", "http://h:99999999/v1#m", "https://h /v1#m", "http://h/v1#m\n"],
)  # fmt: skip
def test_addresses_that_are_none(name: str) -> None:
    with pytest.raises(ModelError, match="is not the address of a model"):
        read_address(name)


@pytest.mark.parametrize("name", ["http://me:secret@host/v1#m", "http://host/v1?key=secret#m"])
def test_a_password_in_an_address_is_refused_and_not_shown(name: str) -> None:
    with pytest.raises(ModelError, match=r"models\.keyVariable") as raised:
        read_address(name)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "is_here", "model"),
    [
        ("http://127.0.0.1:11434/v1#qwen3:8b", True, "qwen3:8b"),
        ("http://LOCALHOST:8080/v1/#a/b", True, "a/b"),
        ("http://[::1]:8080/v1#m%20n", True, "m n"),
        ("http://127.0.0.1.evil.example/v1#m", False, "m"),
        ("https://models.example/v1", False, ""),
        ("http://192.168.1.7:1234/v1#m", False, "m"),
        ("http://0x7f.1/v1#m", False, "m"),
    ],
)
def test_which_addresses_are_here(name: str, is_here: bool, model: str) -> None:
    found = read_address(name)
    assert (found.is_here, found.model) == (is_here, model)
    assert not found.base.endswith("/")
