"""The limits of the server and the command line: sizes and counts that clients can reach, waits, and caches.

The ranges of settings are with the settings (`engine/settings.py`).
"""

from __future__ import annotations

import os
from dataclasses import dataclass

# Requests, whichever way they come.

PROOF_SECONDS = (1.0, 600.0)
"""The shortest and the longest time for a search for a proof."""
ANSWER_PREMISES = 1000
"""The most premises that an answer lists."""
LISTED_SORRIES = 1000
"""The most `sorry`s of a file that are listed."""
TRIED_TACTICS = 32
"""The most tactics that a client may have Lean try at once."""
CORRECTED_NAMES = 3
"""Names of a failing tactic for which near names are looked up."""
CORRECTIONS = 6
"""The most tactics that are made of a failing one with other names."""
TACTIC_CHARACTERS = 4000
"""Of one of these tactics."""
TRIED_FORMS = 6
"""The most forms of a premise that Lean tries before it is inserted."""
IMPORTED_MODULES = 4
"""The most modules that are imported at once in a copy, to see whether they help to close a goal."""
BETTER_TACTIC_SECONDS = 1.0
"""How long another tactic that closes the goal there is waited for."""
IMPORTED_TACTICS = 4
"""The most tactics that close a goal with an import, and that are judged with one import alone."""
REPAIR_IMPORTS = 8
"""How many modules are tried in place of one that is not there any more."""
REPAIR_NAMES = 20_000
"""How many names that are not in the index any more are remembered."""
REPAIR_EDITS = 160
"""With how many changes of arguments a failing tactic or term is tried."""
REPAIR_LEMMAS = 12
"""How many further lemmas are tried in the list of a tactic."""
REPAIR_WAYS = 2
"""How many ways in which Lean gets further in a proof are followed, of each kind."""
REPAIR_OPENING_SECONDS = 10.0
"""How long an update waits until the index that it changes is open."""
REPAIR_STEPS = 8
"""The most changes of one declaration."""
REPAIR_JUDGE_SECONDS = 10.0
"""How long Lean may take over a declaration that was changed."""
DECLARATION_CHARACTERS = 4000
"""Of a declaration's text in an answer; the rest is cut."""
DOC_CHARACTERS = 4000
"""Of a declaration's doc string in an answer; the rest is cut."""
DOC_SENTENCE_CHARACTERS = 200
"""Of the first sentence of a doc string, which is listed with a premise."""
NAME_CHARACTERS = 1000
"""Of the name of a declaration, a module, or a tactic that premises are requested for."""
ADDRESS_CHARACTERS = 4096
"""Of the path of a file, or the address of a repository."""

# Texts of clients that messages repeat.

ERROR_CHARACTERS = 1000
"""Of an error's message to a language client."""
CAUSE_CHARACTERS = 500
"""Of what a library says about its failure, within such a message."""
QUOTED_CHARACTERS = 200
"""Of a URI, a command, or an error of Lean."""
QUOTED_NAME_CHARACTERS = 60
"""Of the name of a setting, or a message's header."""
LISTED_FIELDS = 3
"""How many wrong fields of a request are named."""
LISTED_SETTINGS = 20
"""How many wrong settings are named."""

SETTINGS_FILE_BYTES = 64 << 10
"""Of a settings file."""

# The language server: messages and documents.

LSP_MESSAGE_BYTES = 64 << 20
"""Of one message."""
LSP_HEADER_BYTES = 4 << 10
"""Of a message's header, all its lines together."""
JSON_LEVELS = 100
"""The deepest nesting of objects and lists in a message, so that recursive code does not overflow the stack."""
REQUEST_ID_CHARACTERS = 1000
"""Of a request's id that is a string."""
UNANSWERED_REQUESTS = 2000
"""How many requests may wait for their answers."""
UNANSWERED_BYTES = 256 << 20
"""Of these requests together, as they came."""
UNREAD_BYTES = 256 << 20
"""How much may wait for the client to read it."""
SHOWN_MESSAGES = 1000
"""How many messages are shown to the user; later ones are only logged."""
URI_CHARACTERS = 32_000
"""Of a URI. A path on Linux has at most a tenth of that; on Windows, 32,767."""
OPEN_DOCUMENTS_CHARACTERS = 256 << 20
"""Of all open documents together."""
LISTED_SYMBOLS = 100
"""Of a search for symbols in the workspace."""
CHANGE_WORK = 1 << 28
"""How many characters and lines may be moved to apply the changes of one message: less than a second."""
TYPED_NAME_CHARACTERS = 300
"""How far before the cursor the beginning of a name is searched for."""
TYPED_TERM_CHARACTERS = 4000
"""How far before the cursor the beginning of a term is searched for."""

# The language server: waits.

CLIENT_ANSWER_SECONDS = 30.0
"""How long the client may take to answer a request of ours."""
CHOICE_SECONDS = 600.0
"""How long a person may take to choose an answer to a message."""
CLIENT_SETTINGS_SECONDS = 3.0
"""How long requests wait for the client's settings."""
STATUS_SECONDS = 0.25
"""Between two notifications of an index's state."""
CANCELLED_SECONDS = 1.0
"""How long requests that a shutdown cancels may take to end."""
CLOSING_SECONDS = 5.0
"""How long Lean and running updates may take to end; an index is consistent at any time."""
LAST_WRITES_SECONDS = 2.0
"""How long the client may take to read the last messages."""

# Waits within a request.

EARLY_GOAL_SECONDS = 1.5
"""After that, while Lean is still at work, the goal that the text states is shown."""
AHEAD_SECONDS = 4.0
"""How long tactics are tried for a completion or a hover, which may no longer be shown when they are accepted."""
COMPLETION_SECONDS = 0.3
"""How long a completion waits for them."""
HOVER_SECONDS = 0.7
"""How long a hover does."""
PROOF_CHECK_SECONDS = 60.0
"""For a new Lean process that checks a found proof."""
MINIMISING_SECONDS = 2.0
"""For finding out which tactics of a found proof are not needed."""
MINIMISED_STEPS = 24
"""A found proof with more tactics is not minimised."""
UNFINISHED_PROOFS = 12
"""Unfinished proofs of one search that are looked at for one to show, those that have come furthest first."""
OPEN_GOALS_SECONDS = 5.0
"""For finding out whether the goals that they leave are false."""
MEMORY_LOOK_SECONDS = 0.25
"""Between two looks at the memory of Lean's processes."""
SHORT_PROOF_SHARE = 0.3
"""Of the longest time for trying tactics: what the search for a proof takes where no tactic closes the goal."""
SHORT_PROOF_STATES = 32
"""How many states that search expands."""
KNOWN_PROOF_SECONDS = 2.0
"""For a search for a proof without imports where one with an import is known."""
PROOF_PROGRESS_SECONDS = 0.3
"""Between two reports of a search for a proof."""
LEAN_PROGRESS_SECONDS = 2.0
"""Before Lean's progress is first reported, and between two reports."""
RUNNING_UPDATE_SECONDS = 2.0
"""How long a request waits for an update of the index that is already running."""
CHANGED_FILES_SECONDS = 1.5
"""How long an answer waits for changed files to be read; most need a tenth of it."""
CHANGED_FILES = 64
"""Up to so many changed files are read before an answer."""
CHANGED_FILES_BYTES = 2_000_000
"""Of these files together."""
FAST_SCAN_SECONDS = 0.05
"""A scan of a project's files that took longer is used again."""
SCAN_REUSE = 20
"""For how many times its own duration a slow scan is used again."""

# Caches of a project.

REMEMBERED_FILES = 16
"""Files of which it is remembered what searches for proofs have found."""
CACHED_GOALS = 64
"""For how many goals each: their states, their ranked premises, their candidate tactics."""
CACHED_FILES = 64
"""Files of which the imports, or the declared names, are kept."""
CACHED_TEXTS = 8
"""Files, up to a goal, that are kept as they were parsed."""
CACHED_TRIALS = 32
"""Goals at which Lean's verdicts are kept."""
CACHED_ACCEPTED = 64
"""Goals at which the accepted tactics and their edits are kept."""
ACCEPTED_TACTICS = 256
"""Of one goal."""
EARLIER_REVISIONS = 100
"""Of fetched libraries, of which another one took the place, how many are remembered."""
OPEN_COLLECTIONS = 4
"""Collections of other backends that stay open."""

# Other programs.

EDITOR_VERSION_SECONDS = 5.0
"""For `--version` of an editor that `setup` finds."""
GENERATOR_EXPORT_SECONDS = 3600
"""How long the export of a generator may take."""
MAX_EXPORT_ERROR_CHARACTERS = 1 << 20
"""Of what a failed export printed."""
GENERATOR_RETRY_SECONDS = 60.0
"""How long a generator that failed to load is not tried again."""
GIT_SILENCE_SECONDS = 300.0
"""A git that prints nothing for so long is ended."""

# The command `fill`.

FILL_FIRST_SECONDS = 2.0
"""How long is searched for each proof before any search gets all of its time."""
FILL_RECORD_BYTES = 64 << 20
"""Of the record of what was tried."""

# The command `doctor`, and what `setup` shows.

INDEX_CHECK_SECONDS = 60.0
"""How long an index is read in search of damage."""
FIRST_GOAL_FILES = 50
"""How many of a project's files, the smallest first, are searched for a proof."""
FIRST_GOAL_BYTES = 200_000
"""Of such a file; larger ones are left out."""
FIRST_GOAL_PLACES = 4
"""At how many places `setup` has Lean look for a goal."""
LIVE_GOAL_PLACES = 8
"""At how many places `doctor --live` does."""

# Agents (MCP).

MCP_LINE_BYTES = 4 << 20
"""Of a message on standard input."""
MCP_BODY_BYTES = 1 << 20
"""Of a message over HTTP."""
MCP_IDLE_SECONDS = 1800.0
"""After so long without a request, a session has ended."""
MCP_SESSIONS = 2000
"""How many sessions may be open over HTTP; one more is refused until another has ended."""
MCP_RUNNING_CALLS = 2
"""How many calls are worked on at once, and as many of those that may take minutes."""
MCP_WAITING_CALLS = 256
"""How many more may wait; later ones are refused."""
MCP_REPAIR_SECONDS = 20.0
"""How long `repair` works on one error, at most."""
MCP_PREMISES = 100
"""The most premises of an answer: agents pay for every line."""
MCP_MODULES = 100
"""To how many modules a search may be restricted."""

# HTTP: one request.

HTTP_PREMISES = 1024
"""The most premises of an answer; LeanPremise's own cap."""
QUERY_CHARACTERS = 40_000
"""Of a query in a URL, which takes up to twelve bytes for each."""
PREFIX_CHARACTERS = 1000
"""Of the beginning that every tactic of an answer must have."""
COMPLETIONS = 64
"""How many tactics of the generator for one state."""
STATES = 64
"""How many states one request may have."""
LISTED_NAMES = 1_000_000
"""How many modules or premises a request may name."""
NEW_PREMISES = 2048
"""How many declarations a request may bring; LeanPremise's own cap."""
NEW_PREMISES_CHARACTERS = 4_000_000
"""Of all these declarations together."""
NEW_PREMISE_CHARACTERS = 20_000
"""How much of one declaration is read; the models read far less."""
URL_PARAMETERS = 64
"""How many parameters a URL may have."""
URL_PATH_BYTES = 4096
"""Of a path, as it is sent."""
HEADER_LINES = 100
"""How many header lines a request may have."""
HEADER_LINES_BYTES = 64 << 10
"""Of all header lines together."""
BODY_ITEMS = LISTED_NAMES + 200_000
"""How many values the lists and objects of a JSON body may have."""
BODY_CONTAINERS = 200_000
"""How many lists and objects a JSON body may have."""
SMALL_BODY_BYTES = 32 << 10
"""Bodies up to this size are parsed directly, larger ones in a thread."""

# HTTP: the server.

RATED_ADDRESSES = 4096
"""For how many addresses, the latest, requests are counted."""
QUEUED_CONNECTIONS = 1024
"""How many connections may wait in the system to be accepted."""
SHUTDOWN_SECONDS = 5
"""How long the requests that are being answered may take once the server is to stop."""
WORKERS_STOP_SECONDS = 10.0
"""How long several processes have to end by themselves."""
WORKER_RESTART_SECONDS = 1.0
"""After the death of a worker: workers that die at once shall not take all of the machine."""
WORKER_DEATHS = 5
"""So many deaths in a row, without a worker that began to serve in between, end the server."""
NEW_LIBRARIES_SECONDS = 2.0
"""Between two looks for further libraries in a database."""
CACHED_ANSWERS = 512
"""Rankings that are kept for each index."""
CACHED_ANSWER_PREMISES = 128
"""Longer rankings are not kept: they would take much memory for little use."""
CACHED_GOAL_CHARACTERS = 20_000
"""Rankings for longer goals are not kept either."""
CACHED_NEW_PREMISES = 4 * NEW_PREMISES
"""Declarations that clients have sent."""
LONG_PREMISE_CHARACTERS = 4000
"""A declaration with more is long: thousands of them would fill the memory."""
CACHED_LONG_PREMISES = 64
"""Long declarations that clients have sent."""


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """Limits of a server, the same for every client."""

    body_bytes: int = 16 << 20
    """Of a body at `/retrieve`, which may name every premise of a library."""
    state_bytes: int = 8 << 20
    """Of a body where a state and a file are sent: each character may be written with six bytes."""
    other_bytes: int = 64 << 10
    """Of a body that nobody reads."""
    header_bytes: int = 512 << 10
    """The request line and headers together: a goal in a URL takes nine bytes for a symbol."""
    connections: int = 512
    """How many may be open; one more is answered 503."""
    seconds: float = 60.0
    """Longest time until an answer begins, and for a body to arrive."""
    rate: float = 500.0
    """Requests a second from one address, in the long run."""
    burst: float = 1000.0
    """Requests that may come at once after a pause."""
    workers: int = max(1, min(4, os.cpu_count() or 1))
    """Rankings side by side."""
    waiting: int = 256
    """Requests that wait for their turn; one more is answered 503."""


BEYOND_LOOPBACK = HttpLimits(rate=20.0, burst=100.0)
"""The limits if other machines can reach the server."""
