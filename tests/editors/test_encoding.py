"""Most editors would rather count columns in UTF-8; the server counts in UTF-16 units, and says so."""

from __future__ import annotations

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from lsp_server.protocol.structuring import plain_converter
from tests.forked import SCRIPT

UTF8, UTF16 = types.PositionEncodingKind.Utf8, types.PositionEncodingKind.Utf16


@pytest.mark.parametrize("offered", [[UTF8, UTF16], None], ids=["as Neovim", "as older editors"])
async def test_columns_are_counted_in_utf16(
    environment: dict[str, str], offered: list[types.PositionEncodingKind] | None
) -> None:
    client = LanguageClient(converter_factory=plain_converter)
    await client.start_io(str(SCRIPT), "serve", env=environment)
    general = types.GeneralClientCapabilities(position_encodings=offered)
    capabilities = types.ClientCapabilities(general=general)
    result = await client.initialize_session(types.InitializeParams(capabilities=capabilities))
    assert result.capabilities.position_encoding == UTF16
    await client.shutdown_session()
    await client.stop()  # type: ignore[no-untyped-call]
