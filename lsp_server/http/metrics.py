"""Counts and times of requests, for Prometheus and for the log, without the content of requests.

Where several processes serve, PROMETHEUS_MULTIPROC_DIR names a folder through which they add up their numbers.
"""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path

from fastapi import APIRouter, Response
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    multiprocess,
)
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lean_extract.common.devices import Place

log = logging.getLogger("premise_suggest.http")

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_CLIENT_LEFT = 499
"""The status that is counted if there was no answer, as in nginx."""
SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The variable that prometheus_client reads when it is imported."""
_METHODS = frozenset({"GET", "HEAD", "POST"})


def forget_process(pid: int, folder: Path) -> None:
    """A process that shared its numbers has ended: what it was doing no longer counts, what it has done does."""
    multiprocess.mark_process_dead(pid, str(folder))  # type: ignore[no-untyped-call]


class Metrics:
    """One server's metrics."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "premise_suggest_http_requests",
            "Requests that were answered.",
            ("method", "route", "status"),
            registry=self.registry,
        )
        self.seconds = Histogram(
            "premise_suggest_http_request_seconds",
            "Seconds from request to answer.",
            ("route",),
            registry=self.registry,
            buckets=_BUCKETS,
        )
        self.running = Gauge(
            "premise_suggest_http_requests_in_progress",
            "Requests being answered.",
            registry=self.registry,
            multiprocess_mode="livesum",
        )
        self.device = Gauge(
            "premise_suggest_models_info",
            "Where the models run.",
            ("device",),
            registry=self.registry,
            multiprocess_mode="livemax",
        )
        self.admitted = Gauge(
            "premise_suggest_rankings_admitted",
            "Rankings that run or wait for their turn.",
            registry=self.registry,
            multiprocess_mode="livesum",
        )

    def runs_on(self, place: Place) -> None:
        """Report where the models run."""
        self.device.labels(place).set(1)

    def exposition(self) -> bytes:
        """All metrics in Prometheus' text format; of several processes that serve together, their sums."""
        if SHARED_FOLDER not in os.environ:
            return generate_latest(self.registry)
        everyone = CollectorRegistry()
        multiprocess.MultiProcessCollector(everyone)  # type: ignore[no-untyped-call]
        return generate_latest(everyone)

    def router(self) -> APIRouter:
        """`GET /metrics`."""
        routes = APIRouter(tags=["Operation"])

        @routes.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
        async def metrics() -> Response:
            """The metrics in Prometheus' text format."""
            return Response(self.exposition(), headers={"Content-Type": CONTENT_TYPE_LATEST})

        return routes


class Measured:
    """ASGI middleware that counts requests by route; a path that is not a route counts as `other`."""

    def __init__(self, app: ASGIApp, metrics: Metrics, *, log_goals: bool = False) -> None:
        self._app, self._metrics, self._log_goals = app, metrics, log_goals

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on and count a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status, is_counted = _CLIENT_LEFT, False

        def count() -> None:
            nonlocal is_counted
            if not is_counted:
                self._count(scope, status, time.perf_counter() - began)
            is_counted = True

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            elif not message.get("more_body", False):
                count()  # before the client can send its next request
            await send(message)

        began = time.perf_counter()
        with self._metrics.running.track_inprogress():
            try:
                await self._app(scope, receive, watched)
            except Exception:  # counted here; uvicorn logs it
                status = 500
                raise
            finally:
                count()

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        found = scope.get("route")
        route = getattr(found, "path", None) or "other"
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._metrics.requests.labels(method, route, str(status)).inc()
        self._metrics.seconds.labels(route).observe(seconds)
        query = f"?{scope['query_string'].decode('latin-1')}" if self._log_goals else ""
        log.info("%s %s%s %d %.0f ms", method, route, query, status, 1000 * seconds)
