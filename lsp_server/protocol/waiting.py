"""Keeps track of the unanswered requests, and limits them."""

from __future__ import annotations

from pygls.exceptions import JsonRpcException, JsonRpcInvalidRequest

from lsp_server.protocol.messages import Id

REQUEST_FAILED = -32803
"""LSP 3.17: the request was fine, but it failed."""
MAX_WAITING = 2000
"""Requests."""
MAX_WAITING_BYTES = 256 << 20
"""Bytes of them all, as they came."""


class Waiting:
    """The requests of a client that are not answered yet."""

    def __init__(self) -> None:
        self._sizes: dict[Id, int] = {}
        self._size = 0

    def check_id(self, id: Id) -> None:
        """Check that the id is not in use. Raises JsonRpcInvalidRequest."""
        if id in self._sizes:
            raise JsonRpcInvalidRequest(f"An earlier request with the id {id!r} is not answered yet.")

    def check_room(self, size: int) -> None:
        """Check that there is room for a request of this many bytes. Raises JsonRpcException."""
        if len(self._sizes) >= MAX_WAITING or self._size + size > MAX_WAITING_BYTES:
            count = f"{len(self._sizes):,}"
            said = f"{count} requests are waiting for their answers already. Try again when some have come."
            raise JsonRpcException(said, REQUEST_FAILED, {"hint": "", "kind": ""})

    def add(self, id: Id, size: int) -> None:
        """Add a request that waits for its answer."""
        self._sizes[id] = size
        self._size += size

    def remove(self, id: Id) -> None:
        """Remove a request that is answered."""
        self._size -= self._sizes.pop(id, 0)
