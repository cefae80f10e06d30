"""Reads what a server sends: the text of a model, in events (`text/event-stream`) or as one JSON object. Pure.

The shapes are those of OpenAI's `/chat/completions` and `/completions`, as llama.cpp, vLLM, Ollama and LM Studio
send them. What a model thinks is sent in a field of its own by some of them (`reasoning_content`), and not read.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lean_extract.common.files.json_text import parse_json
from lean_extract.common.terminal_text import shown
from prover.limits import MAX_COUNTED_TOKENS


class ServerFault(ValueError):
    """The server reports an error, or sends what is not of this form; the message says which."""


@dataclass(frozen=True, slots=True)
class Part:
    """What an event, or a whole answer, says.

    `tokens`: of prompt and answer so far, as the server counts them; None: it does not say.
    """

    text: str
    tokens: tuple[int, int] | None = None


class EventReader:
    """Reads events as they arrive in pieces of any size."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self.is_done = False
        """Whether the server has said that this is all."""

    def feed(self, data: bytes, *, is_last: bool = False) -> Iterator[Part]:
        """The events in the next bytes. Raises ServerFault."""
        *lines, self._rest = (self._rest + self._decoder.decode(data, is_last)).split("\n")
        if is_last:
            lines.append(self._rest)
        for line in lines:
            field, _, value = line.rstrip("\r").partition(":")
            if field != "data" or self.is_done:  # comments keep a connection open; other fields say nothing
                continue
            if value.strip() == "[DONE]":
                self.is_done = True
            elif value.strip():
                yield part_of(value)


def part_of(answer: str | bytes) -> Part:
    """What an event or a whole answer says. Raises ServerFault."""
    value = _object(answer)
    choices = value.get("choices")
    if not isinstance(choices, list):
        raise ServerFault("it is not of OpenAI's form: it has no `choices`")
    choice = choices[0] if choices and isinstance(choices[0], dict) else {}
    for name in ("delta", "message"):
        if isinstance(inner := choice.get(name), dict):
            choice = {"text": inner.get("content")}
    text = choice.get("text")
    return Part(text if isinstance(text, str) else "", _counted(value.get("usage")))


def _counted(usage: object) -> tuple[int, int] | None:
    """A server's counts of tokens; None if they are none."""
    if not isinstance(usage, dict):
        return None
    prompt, answer = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if not (type(prompt) is int and type(answer) is int):
        return None
    return (prompt, answer) if 0 <= prompt <= MAX_COUNTED_TOKENS >= answer >= 0 else None


def model_names(answer: str | bytes) -> list[str]:
    """The names in the answer to `/models`. Raises ServerFault."""
    return [item["id"] for item in _models(answer)]


def owners(answer: str | bytes) -> set[str]:
    """Who serves the models in the answer to `/models`, such as `llamacpp` and `vllm`. Raises ServerFault."""
    return {str(item.get("owned_by", "")).lower() for item in _models(answer)}


def fault_of(answer: bytes) -> str:
    """What the body of a refusal says, on one line; empty if it says nothing in a known form."""
    try:
        _object(answer)
    except ServerFault as error:
        return str(error)
    return ""


def _models(answer: str | bytes) -> list[dict[str, Any]]:
    data = _object(answer).get("data")
    if not isinstance(data, list):
        raise ServerFault("it is not of OpenAI's form: it has no `data`")
    return [item for item in data if isinstance(item, dict) and isinstance(item.get("id"), str)]


def _object(answer: str | bytes) -> dict[str, Any]:
    """The JSON object. Raises ServerFault: it is none, or holds an error."""
    text = answer if isinstance(answer, str) else answer.decode("utf-8-sig", "replace")
    try:
        value = parse_json(text)
    except ValueError:
        is_page = text[:200].lstrip().startswith("<")
        raise ServerFault("it is a web page" if is_page else "it is not JSON") from None
    if not isinstance(value, dict):
        raise ServerFault("it is not a JSON object")
    error = value.get("error") or value.get("detail")
    if error:
        said = error.get("message", error) if isinstance(error, dict) else error
        raise ServerFault(shown(said))
    return value
