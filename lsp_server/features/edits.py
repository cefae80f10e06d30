"""The request `premiseSuggest/edits` (docs/lsp.md): the edits that insert a tactic, a premise or a name."""

from __future__ import annotations

import asyncio
from typing import Any

from pygls.exceptions import JsonRpcContentModified

from lean_extract.common.errors import LeanError, NoGoalHere, PremiseIndexError, UserError
from lean_extract.records import Edit, Position
from lean_extract.session.document import LeanDocument
from lean_extract.session.places import is_term_position, sorry_near
from lean_extract.session.tactic_spans import WrittenTactics
from lsp_server.documents.completion_context import completion_at
from lsp_server.documents.document import DocumentSnapshot
from lsp_server.documents.import_lines import IMPORT_LINE, imported_module
from lsp_server.documents.insertion import import_insertion, name_insertion
from lsp_server.documents.uris import file_path
from lsp_server.documents.utf16 import cursor_after
from lsp_server.engine.engine import Engine
from lsp_server.engine.given_tactics import TacticEdit, guessed
from lsp_server.engine.schema_items import GoalPlace, TacticVerdict
from lsp_server.protocol.handlers import active
from lsp_server.protocol.parameters import Parameters
from lsp_server.protocol.server import PremiseServer
from lsp_server.protocol.workspace_edits import text_edits
from retriever.lean.spelling import names_in

_REQUEST = "premiseSuggest/edits"
_KINDS = "`tactic`, `name` or `premise`"
_NAMES = frozenset(
    {"textDocument", "position", "insert", "as", "import", "accepted", "version", "goalNumber"}
)


def register(server: PremiseServer) -> None:
    """The request."""

    @server.feature(_REQUEST)
    @active(server, "edit")
    async def edits(params: Any = None, *_: Any) -> Any:
        given = Parameters(_REQUEST, params, _NAMES)
        uri, position = given.uri(), given.position()
        text = given.needed("insert", "the tactic or the name")
        import_line = given.text("import", "a line `import M`").strip()
        if import_line and not IMPORT_LINE.fullmatch(import_line):
            given.refuse("import must be a line `import M`")
        kind = given.text("as", _KINDS)
        if kind not in ("tactic", "name", "premise"):
            given.refuse(f"as must be {_KINDS}")
        document = server.text_document(uri)
        cursor = document.position(position)
        if given.has("version") and given.version() != document.version:
            raise JsonRpcContentModified("The document has changed since the suggestion. Ask for another.")
        line = import_insertion(document.lines, import_line) if import_line else None
        imports = (imported_module(import_line) or "") if line is not None else ""
        if kind == "tactic":
            is_accepted = given.flag("accepted")
            inserted = await _tactic(server, document, cursor, text, imports, is_accepted=is_accepted)
        elif kind == "premise":
            number = given.number("goalNumber") or 1
            inserted = await _premise(server, document, cursor, text, imports, number)
        else:
            return _answer(document, await _name(server, document, cursor, text), line)
        server.check_current(document)
        line = inserted.import_edit or line
        after = cursor_after(document.lines, inserted.edit, line)
        judged = {"cursor": after, "tactic": inserted.tactic, "status": inserted.status}
        return {**_answer(document, inserted.edit, line), **judged}


def _answer(document: DocumentSnapshot, edit: Edit, line: Edit | None) -> dict[str, Any]:
    return {"edits": text_edits(document, edit, line), "version": document.version}


async def _tactic(
    server: PremiseServer,
    document: DocumentSnapshot,
    cursor: Position,
    tactic: str,
    imports: str,
    *,
    is_accepted: bool,
) -> TacticEdit:
    """The edit for a tactic. Without a project there is no Lean, so that the text alone decides."""
    engine = _engine(server, document)
    if engine is None:
        return await guessed(document.goal_position(cursor), tactic)
    position = document.proof_position(cursor)
    return await engine.edit_at(position, tactic, is_accepted=is_accepted, imports=imports)


async def _premise(
    server: PremiseServer, document: DocumentSnapshot, cursor: Position, name: str, imports: str, number: int
) -> TacticEdit:
    """The edit for a premise at the goal of a number: a tactic that uses it, or its name in a term or no proof."""
    engine = _engine(server, document)
    if engine is None:
        return await guessed(document.goal_position(cursor), f"exact {name}")
    position = document.proof_position(cursor)
    is_within = await asyncio.to_thread(_is_within_tactic, document, cursor)
    if is_within and not await _is_next_step(engine, document, cursor):
        return TacticEdit(await _name(server, document, cursor, name), name, TacticVerdict.UNTRIED)
    try:
        return await engine.premise_edit(position, name, imports=imports, goal_number=number)
    except NoGoalHere:
        return TacticEdit(await _name(server, document, cursor, name), name, TacticVerdict.UNTRIED)


def _is_within_tactic(document: DocumentSnapshot, cursor: Position) -> bool:
    """Whether a name is being typed there in a longer tactic, and not only `sorry` or `exact NAME`."""
    if sorry_near(document.lines, cursor, cursor) is not None:
        return False
    context = completion_at(document.text, cursor)
    return context is not None and context.use != "term"


async def _is_next_step(engine: Engine, document: DocumentSnapshot, cursor: Position) -> bool:
    """Whether Lean accepts the tactic that ends at the cursor, so that the goal is the one after it."""
    if not await asyncio.to_thread(_ends_tactic, document, cursor):
        return False
    try:
        goal = (await engine.goal_at(document.proof_position(cursor))).goal
    except (LeanError, UserError):
        return False
    return goal.place is GoalPlace.HERE and not goal.changes


def _ends_tactic(document: DocumentSnapshot, cursor: Position) -> bool:
    text = LeanDocument(document.text)
    offset = text.offset(cursor)
    touched = WrittenTactics(text, offset).touching(offset)
    return bool(touched) and touched[0].end <= offset and not is_term_position(text.text, touched[0].start)


async def _name(server: PremiseServer, document: DocumentSnapshot, cursor: Position, name: str) -> Edit:
    """The edit for a name, written so that it means the premise there."""
    engine = _engine(server, document)
    if engine is None:
        return name_insertion(document.lines, cursor, name)
    spelled = await _spelled(engine, document, cursor, name)
    in_term = await asyncio.to_thread(engine.in_term, document.proof_position(cursor))
    return name_insertion(document.lines, cursor, spelled, in_term)


async def _spelled(engine: Engine, document: DocumentSnapshot, cursor: Position, name: str) -> str:
    # Any word of the declaration may be a hypothesis, which would hide the name.
    words = await asyncio.to_thread(_words_above, document, cursor)
    try:
        spelled = await engine.spellings(
            document.goal_position(cursor), [name], words - {name.partition(".")[0]}
        )
    except PremiseIndexError:  # the name came from another index
        return name
    return spelled.get(name, name)


def _words_above(document: DocumentSnapshot, cursor: Position) -> set[str]:
    """The words of the declaration up to the cursor."""
    text = LeanDocument(document.text)
    offset = text.offset(cursor)
    return names_in(text.text[text.declaration(offset)[0] : offset])


def _engine(server: PremiseServer, document: DocumentSnapshot) -> Engine | None:
    """The engine of a document in a project."""
    engine = server.engine(document) if file_path(document.uri) is not None else None
    return engine if engine is not None and engine.root is not None else None
