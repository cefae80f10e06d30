"""Refusals and failures as a JSON object, in the form that LeanStateSearch's clients expect, or OpenAI's."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Literal

from fastapi import FastAPI, Request
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from lean_extract.common.errors import Busy, PremiseIndexError, PremiseSuggestError, UserError
from lsp_server.limits import LISTED_FIELDS

log = logging.getLogger("premise_suggest.http")

MISSING = "Missing required parameters"
INVALID = "Invalid parameter value"
OPENAI = "/v1/"
"""The beginning of the paths of OpenAI's interface, whose clients read failures in a form of their own."""


class Remedy(BaseModel):
    """What would have been right."""

    description: str


class HttpProblem(BaseModel):
    """The answer to every failed request."""

    error: str = Field(description="What went wrong, in one sentence.")
    schema_: Remedy = Field(alias="schema")


class OpenAIFault(BaseModel):
    """What went wrong, as OpenAI's clients read it."""

    message: str = Field(description="What went wrong, and what would have been right.")
    type: Literal["invalid_request_error", "server_error"]
    param: None = None
    code: None = None


class OpenAIProblem(BaseModel):
    """The answer to every failed request of OpenAI's interface."""

    error: OpenAIFault


class Refusal(Exception):
    """A request that is not answered.

    Args:
        status: the HTTP status.
        error: what went wrong, in one sentence.
        description: what to do about it, or what would have been right.
        headers: further headers of the answer.
    """

    def __init__(
        self, status: int, error: str, description: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(f"{error} {description}".strip())
        self.status = status
        self.error = error
        self.description = description
        self.headers = dict(headers or {})

    def response(self, path: str) -> JSONResponse:
        """The HTTP response to a request of this path."""
        if not path.startswith(OPENAI):
            content = {"error": self.error, "schema": {"description": self.description}}
            return JSONResponse(content, self.status, self.headers)
        kind: Any = "invalid_request_error" if self.status < 500 else "server_error"
        fault = OpenAIFault(message=str(self), type=kind)
        return JSONResponse(OpenAIProblem(error=fault).model_dump(), self.status, self.headers)


RESPONSES: dict[int | str, dict[str, object]] = {
    400: {"model": HttpProblem, "description": "A value that cannot be used."},
    401: {"model": HttpProblem, "description": "The token is missing or wrong (beyond loopback)."},
    403: {"model": HttpProblem, "description": "From another web site, or for another host name."},
    408: {"model": HttpProblem, "description": "The body did not arrive in time."},
    413: {"model": HttpProblem, "description": "The body is too large."},
    422: {"model": HttpProblem, "description": "Not the fields or types that are expected."},
    429: {"model": HttpProblem, "description": "Too many requests; see Retry-After."},
    500: {"model": HttpProblem, "description": "The index or the model failed."},
    503: {"model": HttpProblem, "description": "Too much is waiting, or there is no index; see Retry-After."},
    504: {"model": HttpProblem, "description": "The answer took too long."},
}
"""The error responses that every route may return."""
OPENAI_RESPONSES = {status: {**one, "model": OpenAIProblem} for status, one in RESPONSES.items()}


def register(app: FastAPI) -> None:
    """Make every failure return this object."""
    app.add_exception_handler(Refusal, _refused)
    app.add_exception_handler(RequestValidationError, _not_valid)
    app.add_exception_handler(PremiseSuggestError, _failed)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unexpected)


async def _refused(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, Refusal)
    return error.response(request.url.path)


async def _not_valid(request: Request, error: Exception) -> JSONResponse:
    """Wrong fields or types. The input is not repeated, since it may contain a goal."""
    assert isinstance(error, RequestValidationError)
    found = jsonable_encoder([{"loc": one["loc"], "msg": one["msg"]} for one in error.errors()])
    named = [f"{'.'.join(map(str, one['loc'][1:])) or 'body'}: {one['msg']}" for one in found[:LISTED_FIELDS]]
    is_missing = any(one["type"] == "missing" for one in error.errors())
    status = 400 if request.url.path == "/api/search" else 422
    return Refusal(status, MISSING if is_missing else INVALID, "; ".join(named)).response(request.url.path)


async def _failed(request: Request, error: Exception) -> JSONResponse:
    """One of our errors. Mistakes of the client are 400; a missing index is 503, since it may be built later."""
    assert isinstance(error, PremiseSuggestError)
    if isinstance(error, UserError):
        return Refusal(400, error.message, error.hint).response(request.url.path)
    if isinstance(error, Busy):
        return Refusal(503, error.message, error.hint, {"Retry-After": "1"}).response(request.url.path)
    log.error("%s: %s", type(error).__name__, error)
    if isinstance(error, PremiseIndexError):
        return Refusal(503, error.message, error.hint, {"Retry-After": "30"}).response(request.url.path)
    return Refusal(500, error.message, error.hint).response(request.url.path)


async def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    hint = "The interfaces are listed at /openapi.json and /docs."
    return Refusal(error.status_code, str(error.detail), hint, error.headers).response(request.url.path)


async def _unexpected(request: Request, error: Exception) -> JSONResponse:
    return Refusal(
        500, "The server failed on this request.", f"See its log ({type(error).__name__})."
    ).response(request.url.path)
