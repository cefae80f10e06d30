"""What `doctor` and `setup` say of a model at a server."""

from __future__ import annotations

import time
from contextlib import aclosing

from lean_extract.common.errors import ModelError
from lean_extract.common.terminal_text import shown
from lsp_server.commands.findings import Finding
from lsp_server.engine.generators import OpenGenerator, served_name
from lsp_server.engine.settings import Settings

NAME = "model at a server"
_TRIED = "Which tactic of Lean 4 closes the goal `True`? Answer with that tactic alone."
_TRIED_TOKENS = 64


async def served_finding(settings: Settings) -> Finding:
    """Asks the server for its models, and the model for one answer."""
    try:
        server = OpenGenerator().server(settings)
        if server is None:
            return Finding(NAME, "note", "it is not asked: `tactics.source` is `templates`")
        names = await server.models()
        models = f"{server.address.base} has {shown(', '.join(names)) or 'no models'}"
        if server.address.model not in names:
            fix = "write one of these after # in `tactics.generator`"
            return Finding(
                NAME, "missing", f"{models}, and not {server.address.model or 'one without a name'}", fix
            )
        from prover.served.asked import Asked

        begin = time.monotonic()
        async with aclosing(server.written(Asked(_TRIED, tokens=_TRIED_TOKENS))) as pieces:
            first = await anext(pieces, None)
    except ModelError as error:
        return Finding(NAME, "missing", error.message, error.hint)
    if first is None:
        return Finding(NAME, "note", f"{models}; {server.address.model} answered with nothing")
    seconds = time.monotonic() - begin
    return Finding(NAME, "ok", f"{models}; {server.address.model} began to answer after {seconds:.1f} s")


def consent(settings: Settings) -> str:
    """What the model that is set gets, as a sentence; empty if none is."""
    name = served_name(settings.tactics.generator)
    if not name:
        return ""
    from lsp_server.engine.served_models import allowed_address

    try:
        address = allowed_address(name, settings.models)
    except ModelError as error:
        return str(error)
    where = "on this machine" if address.is_here else "on ANOTHER machine"
    return (
        f"{address.model} at {address.base}, {where}, gets goals, statements and the text of your files above a goal "
        "whenever tactics are tried there."
    )
