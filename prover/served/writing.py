"""Has a model write tactics for one goal, and reads them as they come."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from prover.served.answers import AnswerReader
from prover.served.client import ModelServer
from prover.served.grammar import grammar_for
from prover.served.listed import NOTE, schema_for
from prover.served.prompts import Material, fill, form_for


async def next_tactics(
    server: ModelServer,
    material: Material,
    *,
    prompts: str,
    prompt_tokens: int,
    answer_tokens: int,
    uses_grammar: bool = False,
) -> AsyncGenerator[str, None]:
    """Tactics for the next step, each once, at most as many as the material says, as soon as they are written.

    `prompts`: a file with the user's own forms; empty: the shipped ones. `uses_grammar`: whether only names that exist
    can be written, where the server has grammars. Raises ModelError.
    """
    form = form_for("tactic", server.address.model, prompts)
    asked = replace(fill(form, material, prompt_tokens), tokens=answer_tokens)
    if uses_grammar and form.reads == "tactics":
        goal, premises = material.goal, material.premises
        schema = schema_for(goal, premises, material.count)
        asked = replace(asked, grammar=grammar_for(goal, premises), schema=schema, schema_note=NOTE)
    reader, left = AnswerReader(), material.count
    async with aclosing(server.written(asked)) as pieces:
        async for piece in pieces:
            for tactic in reader.feed(piece)[:left]:
                left -= 1
                yield tactic
            if left <= 0 or reader.is_full:
                return
    for tactic in reader.finish()[:left]:
        yield tactic
