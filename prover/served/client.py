"""Asks a server for a model's text, with bounds of size and time. The only module that imports httpx.

Nobody who leaves is answered: closing the stream of text closes the connection, and the server stops.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import json
import math
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing
from typing import Any

import httpx

from lean_extract.common.errors import ModelError, ModelUnreachable
from lean_extract.common.lru import Cache
from lean_extract.common.terminal_text import reason, shown
from prover.limits import (
    CACHED_ANSWERS,
    MAX_MODEL_BYTES,
    MAX_MODEL_REFUSAL_BYTES,
    MODEL_CONNECT_SECONDS,
    MODEL_RETRIES,
    MODEL_RETRY_SECONDS,
    MODEL_SILENCE_SECONDS,
)
from prover.served.address import ModelAddress
from prover.served.asked import Asked
from prover.served.stream import EventReader, Part, ServerFault, fault_of, model_names, owners, part_of
from prover.spending import ModelRequest, Spending, tokens_of

_BUSY = (429, 503)


def _messages(asked: Asked, note: str = "") -> dict[str, Any]:
    system = [{"role": "system", "content": asked.system}] if asked.system else []
    user = "\n\n".join(filter(None, [asked.user, note]))
    return {"messages": [*system, {"role": "user", "content": user}]}


def _vllm_fields(asked: Asked) -> dict[str, Any]:
    """From 0.12 on the first, before it the second; each version ignores the other."""
    return {"structured_outputs": {"grammar": asked.grammar}, "guided_grammar": asked.grammar}


def _schema_fields(asked: Asked) -> dict[str, Any]:
    """As OpenAI has it."""
    if not asked.is_chat or not asked.schema:
        return {}
    form = {"name": "tactics", "strict": True, "schema": json.loads(asked.schema)}
    form = {"type": "json_schema", "json_schema": form}
    return {"response_format": form, **_messages(asked, asked.schema_note)}


_FORMS: Mapping[str, Callable[[Asked], dict[str, Any]]] = {
    "llamacpp": lambda asked: {"grammar": asked.grammar},
    "vllm": _vllm_fields,
    "library": _schema_fields,  # Ollama, of models from its own library
    "organization_owner": _schema_fields,  # LM Studio
}
"""The fields of a request that bind the answer to the grammar, by who owns the models as the server says."""


class ModelServer:
    """A model at its server. At most `at_once` requests run at a time, whoever asks.

    `key`: sent as a bearer token, and shown nowhere; empty: none. `key_variable`: where it is from, for messages.
    """

    def __init__(
        self, address: ModelAddress, key: str = "", key_variable: str = "", at_once: int = 2
    ) -> None:
        self.address = address
        self._key, self._key_variable = key, key_variable
        self._turns = asyncio.Semaphore(at_once)
        self._form: Callable[[Asked], dict[str, Any]] | None = None
        self._answers: Cache[str] = Cache(CACHED_ANSWERS)
        self._spending = Spending()

    def counted_by(self, spending: Spending) -> ModelServer:
        """The same server, with the same turns and known answers, for requests that are counted there."""
        found = copy.copy(self)
        found._spending = spending
        return found

    async def models(self) -> list[str]:
        """The names of the server's models. Raises ModelError."""
        answer = await self._get_models()
        with self._faults():
            return model_names(answer)

    async def _grammar_fields(self, asked: Asked) -> dict[str, Any]:
        """What binds the answer to the grammar; nothing: the server is none that we know. Raises ModelError."""
        if self._form is None:
            answer = await self._get_models()
            with self._faults():
                found = [_FORMS[owner] for owner in owners(answer) if owner in _FORMS]
            self._form = found[0] if found else lambda _: {}
        return self._form(asked)

    async def written(self, asked: Asked) -> AsyncGenerator[str, None]:
        """The model's text in pieces, as they arrive. To be closed (`aclosing`) by who stops early.

        Raises ModelError: no server, a refusal, an answer that is too long or of no known form, or too slow; a budget
        that is spent (BudgetSpent).
        """
        if not self.address.model:
            known = ", ".join(await self.models())
            hint = f"Write it after #. The server has: {shown(known)}." if known else "The server has none."
            raise ModelUnreachable(f"No model is named for {self.address.base}.", hint)
        path, body = self._body(asked)
        if asked.grammar:
            body |= await self._grammar_fields(asked)
        prompt_tokens = tokens_of(len(asked.system) + len(asked.user))
        async with self._turns:
            with self._spending.request(prompt_tokens, asked.tokens) as request:
                body["max_tokens"] = request.most
                received = self._received("POST", path, body)
                async with aclosing(received) as parts, aclosing(self._texts(parts, request)) as texts:
                    async for text in texts:
                        yield text

    async def answer(self, asked: Asked) -> str:
        """The whole text, kept for who asks the same again. Raises as `written`."""
        known = self._answers.get(asked)
        if known is None:
            async with aclosing(self.written(asked)) as pieces:
                known = "".join([piece async for piece in pieces])
            self._answers.put(asked, known)
        return known

    def _body(self, asked: Asked) -> tuple[str, dict[str, Any]]:
        body: dict[str, Any] = {
            "model": self.address.model,
            "stream": True,
            "stream_options": {"include_usage": True},
            "temperature": asked.temperature,
        }
        if asked.stop:
            body["stop"] = list(asked.stop)
        if asked.seed is not None:
            body["seed"] = asked.seed
        if not asked.is_chat:
            return "/completions", {**body, "prompt": asked.system + asked.user}
        return "/chat/completions", {**body, **_messages(asked)}

    async def _texts(
        self, received: AsyncIterator[bytes], request: ModelRequest
    ) -> AsyncGenerator[str, None]:
        """The text in the bytes of an answer; what it says of tokens is kept in the request."""
        async with aclosing(self._parts(received)) as parts:
            async for part in parts:
                request.pieces += 1
                request.characters += len(part.text)
                request.counted = part.tokens or request.counted
                if part.text:
                    yield part.text

    async def _parts(self, received: AsyncIterator[bytes]) -> AsyncGenerator[Part, None]:
        """What the bytes of an answer say: events, or one JSON object from a server that does not stream."""
        events, whole, is_stream = EventReader(), bytearray(), None
        with self._faults():
            async for data in received:
                if is_stream is None:
                    whole += data
                    start = whole.lstrip()
                    if not start:
                        continue
                    is_stream, data = not start.startswith((b"{", b"<", b"[")), bytes(start)
                    whole.clear()
                if is_stream:
                    for part in events.feed(data):
                        yield part
                else:
                    whole += data
                if events.is_done:
                    return
            if is_stream:
                for part in events.feed(b"", is_last=True):
                    yield part
            else:
                yield part_of(bytes(whole))

    async def _get_models(self) -> bytes:
        async with self._turns, aclosing(self._received("GET", "/models", None)) as parts:
            return b"".join([part async for part in parts])

    async def _received(self, method: str, path: str, body: object) -> AsyncGenerator[bytes, None]:
        """The bytes of an answer; after a refusal of a busy server, of a later one."""
        for attempt in range(MODEL_RETRIES + 1):
            async with self._client() as client:
                try:
                    async with client.stream(method, self.address.base + path, json=body) as response:
                        if response.status_code not in _BUSY or attempt == MODEL_RETRIES:
                            await self._refuse(response)
                            async for part in _bounded(response):
                                yield part
                            return
                        seconds = _retry_after(response.headers, attempt)
                except httpx.HTTPError as error:
                    raise self._lost(error) from error
                except (httpx.InvalidURL, UnicodeError) as error:
                    raise ModelError(
                        f"{shown(self.address.base)} is not an address: {shown(error)}."
                    ) from error
            await asyncio.sleep(seconds)

    def _client(self) -> httpx.AsyncClient:
        is_here, is_secret = self.address.is_here, self.address.base.startswith("https")
        headers = {"Accept-Encoding": "identity"}
        if self._key:
            if not (self._key.isascii() and self._key.isprintable()):  # the error of the client would show it
                raise ModelError(
                    f"The key for {self.address.base} cannot be sent: it holds characters that no key has.",
                    f"Correct the environment variable {self._key_variable}.",
                )
            headers["Authorization"] = f"Bearer {self._key}"
        return httpx.AsyncClient(
            headers=headers,
            timeout=httpx.Timeout(MODEL_SILENCE_SECONDS, connect=MODEL_CONNECT_SECONDS),
            trust_env=not is_here,  # a proxy has no business between this machine and itself
            verify=ssl.create_default_context() if is_secret else False,
        )

    async def _refuse(self, response: httpx.Response) -> None:
        """Raise ModelError if the answer is none."""
        status, where = response.status_code, self.address.base
        if response.is_redirect:
            to = shown(response.headers.get("location", ""))
            raise ModelError(
                f"{where} sends us on to {to}. Nothing was sent there.", "Give that address if you trust it."
            )
        if response.headers.get("content-encoding", "identity") != "identity":
            raise ModelError(f"The answer of {where} is compressed, though we ask for plain text.")
        if response.is_success:
            return
        said = fault_of(await _beginning(response))
        if status in (401, 403):
            variable = self._key_variable or "that `models.keyVariable` names"
            hint = f"Put its key into the environment variable {variable}."
            raise ModelUnreachable(f"{where} refuses the key (HTTP {status}).", hint)
        hint = "`premise-suggest doctor` lists its models." if status == 404 else ""
        if status in _BUSY:
            hint = "Try again later."
        kind = ModelUnreachable if status == 404 else ModelError
        raise kind(f"{where} answered with HTTP {status}{': ' if said else ''}{said}.", hint)

    def _lost(self, error: httpx.HTTPError) -> ModelError:
        """The error of a connection, for people."""
        where = self.address.base
        if isinstance(error, httpx.ConnectTimeout | httpx.ConnectError):
            if "CERTIFICATE" in str(error).upper():
                hint = "If it is your own, name its file in the environment variable SSL_CERT_FILE."
                return ModelUnreachable(f"The certificate of {where} is not trusted.", hint)
            return ModelUnreachable(
                f"No server answers at {where}.", "Start it, or correct `tactics.generator`."
            )
        if isinstance(error, httpx.TimeoutException):
            hint = "It may be loading the model: try again."
            return ModelError(f"{where} sent nothing for {MODEL_SILENCE_SECONDS:g} s.", hint)
        return ModelUnreachable(f"The connection to {where} was lost: {shown(reason(error))}.", "Try again.")

    @contextlib.contextmanager
    def _faults(self) -> Any:
        """A context in which a ServerFault becomes a ModelError."""
        try:
            yield
        except ServerFault as error:
            hint = "Give the address of an interface of OpenAI's form; most end in /v1."
            raise ModelError(f"The answer of {self.address.base} cannot be used: {error}.", hint) from error


async def _bounded(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    """The bytes of an answer. Raises ModelError: there are too many."""
    received = 0
    async for part in response.aiter_raw():
        received += len(part)
        if received > MAX_MODEL_BYTES:
            raise ModelError(
                f"The answer of {response.url.host} has more than {MAX_MODEL_BYTES >> 20} MB; it was cut off.",
                "The model may be repeating itself: try another one.",
            )
        yield part


async def _beginning(response: httpx.Response) -> bytes:
    found = b""
    async for part in response.aiter_raw():
        found += part
        if len(found) >= MAX_MODEL_REFUSAL_BYTES:
            break
    return found[:MAX_MODEL_REFUSAL_BYTES]


def _retry_after(headers: Mapping[str, str], attempt: int) -> float:
    """How many seconds to wait before the next attempt: as the server says, or twice as long each time."""
    try:
        wanted = float(headers.get("retry-after", ""))
    except ValueError:
        wanted = 0.5 * 2**attempt
    return MODEL_RETRY_SECONDS if math.isnan(wanted) else min(max(wanted, 0.0), MODEL_RETRY_SECONDS)
