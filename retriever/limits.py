"""The limits of the package: bounds on what is read, times, sizes of indexes and caches. Numbers only.

Where a docstring begins with "Of", the number bounds one such thing; what exceeds it is cut, left out or refused.
"""

# What is read of a text, a model or a file of others

MAX_TEXT_CHARACTERS = 20_000
"""Of a target, a type, a statement or a text that is searched for; the rest is not read."""
MAX_HYPOTHESES = 1000
"""Of a goal, the last ones."""
MAX_HYPOTHESIS_NAMES = 100
"""Of one hypothesis, the last ones."""
MAX_CHARACTERS_PER_TOKEN = 24
"""A text of which a model reads n tokens is cut at n times this before it is split into tokens."""
MAX_CHARACTERS_PER_WORD = 64
"""The same for a model that reads bags of words."""
MAX_INDEX_JSON_BYTES = 1 << 28
"""Of a JSON file of an index; the list of Mathlib's files takes a hundredth of that."""
MAX_XML_DEPTH = 2000
"""How deep the elements of a document may be nested; articles have a few dozen levels."""
MAX_ENTITY_CHARACTERS = 16
"""Of the text that an entity that the document itself declares."""
MAX_UNCLOSED_CHARACTERS = 1 << 12
"""Of a tag or comment that is never closed. Nothing after that is read: the standard library's parser would look for
the end again from every `<` in it."""
MAX_FORMULA_DEPTH = 8
"""How deep formulas in the texts of formulas are read as formulas."""
MAX_CLOSERS_IN_BRACES = 64
"""How many closing signs inside braces are passed over in search of the end of a formula."""
MAX_PAGE_CHARACTERS = 4 << 20
"""Of a page of a MediaWiki dump; MediaWiki allows 2 MiB."""
MAX_TITLE_CHARACTERS = 1000
"""Of a page's title; MediaWiki allows 255 bytes."""
MAX_CATEGORIES = 200
"""Categories of a statement, the nearest first; ProofWiki's have a few dozen."""
MAX_SPELLING_LOOKUPS = 100_000
"""Names that are looked up to write those of one answer as short as possible; beyond, all are written in full."""
MAX_STATEMENT_DEPTH = 16
"""How deep statements and proofs may be nested in each other, as each outer one repeats the text of the inner ones."""
MAX_VERB_CHARACTERS = 2000
"""Of an argument of `\\verb`."""

# Queries

MAX_QUERY_WORDS = 32
"""Further words are ignored."""
MAX_QUERY_CHARACTERS = 2000
"""Further characters are ignored."""
MAX_PHRASE_CHARACTERS = 300
"""Of a query that is also searched for as it is typed."""
MAX_STATEMENTS_READ = 4_000
"""Statements whose names are compared with those of a pattern."""
MAX_LOCAL_PREMISES = 512
"""Premises of the open file that are ranked together with those of the index."""
MAX_LOCAL_STEPS = 256
"""Proof steps of the open file, the nearest above the goal."""
MAX_UNPROVED_FILE_BYTES = 1 << 20
"""Of a file that is read to see which theorems rest on a `sorry`, while the user waits."""
MAX_UNPROVED_FILES = 2000
"""In a project with more files that import unproved ones, only premises with a `sorry` of their own are marked."""
MAX_PROBED_FILES = 64
"""Files missing in an index that are opened to see whether they are text."""

# What an index keeps of a source

MAX_TACTIC_CHARACTERS = 200
"""Of a proof step that is kept."""
MAX_STEP_STATE_CHARACTERS = 2000
"""Of the target and the types of the hypotheses before a step that is kept."""
CONSECUTIVE_STEPS = 3
"""A known step is kept with those that follow it, up to so many in all."""
MAX_STEPS_PER_FILE = 2000
"""Proof steps, the first ones."""
MAX_MENTIONS_PER_PROOF = 500
"""Premises that a proof names, the first ones."""
MAX_CONTEXT_NAMES = 40
"""Names of hypotheses that a step keeps without their types."""
MAX_DOC_CHARACTERS = 20_000
"""Of a doc string whose words are indexed; the longest of Mathlib has 2,500."""
MAX_NOTATIONS_PER_FILE = 200
"""Notations that a file declares, the first ones."""
MAX_SYMBOL_CHARACTERS = 16
"""Of a notation's symbol."""
MAX_NOTATION_TARGET_CHARACTERS = 200
"""Of the name of the constant that a notation stands for."""
MAX_NEAR_NAME_CHARACTERS = 100
"""Of a name for which names with nearly the same letters are searched."""
MAX_NEAR_NAMES = 20_000
"""Names of an index with some of its letters that are looked at."""
MAX_COMPARED_NAMES = 4000
"""Those of about its length, which are compared letter by letter."""
MAX_FOLDER_NAME_CHARACTERS = 200
"""Of the folder that is named after a package."""
MAX_WATCHED_FILES = 4096
"""Files of a collection's source folder whose changes are noticed."""

# Segments: how often an index is written, and how often an update can be stopped

DOCUMENTS_PER_SEGMENT = 4096
"""Documents after which an update writes a segment."""
SECONDS_PER_SEGMENT = 60.0
"""Time after which it writes one, even with fewer documents."""
MAX_SEGMENTS = 8
"""Segments of an index; more are merged."""
SEGMENTS_AFTER_MERGE = 4
"""Segments that a merge leaves."""
DOCUMENTS_PER_STEP = 256
"""Documents, or sources, that are embedded together."""
DOCUMENTS_PER_CALL = 1024
"""In a source larger than one step: documents embedded between two checks for cancellation."""
SOURCES_PER_CHECK = 64
"""Sources looked at between two checks for cancellation."""

# Waits and times

LOCK_POLL_SECONDS = 0.1
"""Between two tries to lock an index that another process holds."""
DAMAGE_CHECK_SECONDS = 60.0
"""After a failed answer whose index was found whole, its files are not checked again for so long."""
CONNECTION_SECONDS = 2.0
"""How long a request waits for a connection to the database."""
REVISION_SECONDS = 1.0
"""How long the answer to which published revision is the newest is reused."""
RUN_START_POLL_SECONDS = 0.2
"""Between two looks whether a run in the background has begun."""
RUN_STOP_POLL_SECONDS = 0.1
"""Between two looks whether a run has stopped."""
RUN_STOP_SECONDS = 600.0
"""How long `train-stop` waits, unless `--seconds` is given."""
RUN_LOCK_TRIES = 100
"""Tries to lock a run's folder, which a dying process may hold for a moment."""
RUN_LOCK_POLL_SECONDS = 0.05
"""Between two such tries."""
PROGRESS_SECONDS = 5.0
"""Between two writes of a run's `progress.json`."""

# PostgreSQL

MAX_ADDRESS_CHARACTERS = 4096
"""Of a database's address."""
MAX_CONNECTIONS = 8
"""Of one process."""
MAX_EF_SEARCH = 1000
"""The widest search that pgvector allows (`hnsw.ef_search`)."""
MIN_GRAPH_MEMORY_MIB = 64
MAX_GRAPH_MEMORY_MIB = 8192
"""Bounds on the memory that the database is given to build a graph."""
GRAPH_FROM_PREMISES = 1_000_000
"""In a smaller library all vectors are compared, which takes no longer (docs/scale.md)."""

# Statements in words

MAX_READING_CHARACTERS = 500
"""Of a statement's reading, and of each part that is read."""
MAX_READING_DEPTH = 30
"""Levels of a term that is read."""
MAX_READING_SUBJECTS = 4
"""Types whose structure is described before the statement."""

# Caches: how many entries each keeps

CACHED_GOALS = 64
"""Goals with their vectors."""
CACHED_PREMISES = 4096
"""Premises of open files, with their texts, tokens, vectors and structure; and premises of an index."""
CACHED_STEPS = 4096
"""Proof steps of open files and of indexes."""
CACHED_SCOPES = 32
"""What the imports of a module reach."""
CACHED_MODULES = 32
"""Modules with the vectors of their premises."""
CACHED_KINDS = 4
"""Sets of kinds of premises."""
CACHED_PROOFS = 65_536
"""Proofs of open files with the premises that they use, and names that are known."""
CACHED_PLACES = 32
"""Places of goals, with the premises used near them."""
CACHED_RECORDS = 4096
"""Records that were read from the database."""
CACHED_STEMS = 65_536
"""Words with their stems."""
CACHED_TOKENS = 1 << 16
"""Tokens of which there is one object, as large sets of pairs repeat them."""
