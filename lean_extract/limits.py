"""The limits of this package: how much is read, how long is waited, how much is kept.

Numbers of one algorithm alone (how far a reader looks ahead, what a binder costs) are where it is.
"""

from __future__ import annotations

# What is read from files and requests.
MAX_SOURCE_BYTES = 4 << 20
"""Size of one Lean source file. Mathlib's largest file has a tenth of that."""
MAX_TOKENIZER_BYTES = 1 << 28
"""Of a tokenizer's file."""
MAX_SETTINGS_BYTES = 1 << 20
"""Size of a lakefile, a manifest, a `lean-toolchain`, and of other small JSON files."""
MAX_TOML_DOTS = 200
"""Dots in one line of TOML."""
MAX_TOML_KEY_PARTS = 16
"""Parts of one dotted key or table name in TOML. `tomllib` takes quadratic time in them."""
MAX_STATE_CHARACTERS = 200_000
"""Length of one printed proof state, or of any other query."""
MAX_CONTEXT_CHARACTERS = 1_000_000
"""Length of the text above a goal, if a client sends it with the goal."""
MAX_DOCUMENT_BYTES = 64 << 20
"""Size of a book's LaTeX, an article, a set of problems. The largest known ones have a tenth of that."""
MAX_CORPUS_BYTES = 2 << 30
"""Size of a corpus as JSON, and of an unpacked wiki dump."""
MAX_CORPUS_LINE_BYTES = 1 << 20
"""Size of one line of a corpus of goals."""
MAX_ILEAN_BYTES = 1 << 26
"""Size of an `.ilean` file. Mathlib's largest have a hundredth of that."""
MAX_VERSION_HEADER_BYTES = 1 << 16
"""Size of the C header in which a toolchain states its version."""
MAX_GIT_REF_BYTES = 4096
"""Size of a file in which Git names a revision."""
MAX_PACKED_REFS_BYTES = 16 << 20
"""Size of Git's file of packed references."""
MAX_GIT_LINKS = 5
"""Symbolic references that are followed from one to the next."""

# Projects and their folders.
MAX_PACKAGES = 1000
"""Packages of one project, and entries of its packages folder that are examined."""
MAX_SOURCE_ROOTS = 100
"""Source folders that one lakefile may declare."""
MAX_ALL_LAKEFILES_BYTES = 2 << 20
"""Size of all lakefiles of a project and its packages together."""
MAX_PACKAGE_NAME_CHARACTERS = 200
"""Length of a package's name or revision."""
MAX_NOTICES = 50
"""Notices about one project."""
MAX_FOLDER_ENTRIES = 200_000
"""Files and folders that are examined in one package. Mathlib has a twentieth of that."""
MAX_FOLDER_DEPTH = 64
"""Levels of nested folders."""
MAX_NEAR_DEPTH = 5
"""Levels of folders below one in which projects are looked for."""
MAX_NEAR_ENTRIES = 20_000
"""Files and folders among which these projects are looked for."""
NEAREST_CHARACTERS = 200
"""Of a misspelled name or path; what a longer one means is not guessed."""
NEAREST_ENTRIES = 2000
"""Names, or entries of a folder, that are compared with it."""
MAX_WATCHED_FOLDERS = 50_000
"""Folders of a project that are watched for changes."""

# Source files: beyond these, the rest of a file or a declaration is left out, and a notice says so.
MAX_TOKENS = 20_000
"""Length of a statement or a proof in tokens. The longest in Mathlib have several thousand."""
MAX_FILE_PREMISES = 20_000
"""Premises of one file. The largest files of Lean and Mathlib have a tenth of that."""
MAX_ATTRIBUTES = 100
"""Attributes of one declaration, including those that `attribute` commands add."""
MAX_NAME_HINTS = 500
"""Name hints for translations in one file. Each makes a new table of words."""
MAX_NAME_CHARACTERS = 1000
"""Length of the name of a declaration."""
MAX_NAME_PARTS = 50
"""Components of a name. Each of them is a namespace in which names may be looked up."""
MAX_OPEN_NAMESPACES = 100
"""Namespaces opened at once. Mathlib has up to about 30."""
MAX_VARIABLE_GROUPS = 300
"""Groups of variables in scope at once. A declaration may include all of them. Mathlib has up to about 70."""
MAX_VARIABLE_NAMES = 1000
"""Names in these groups."""
MADE_CHARACTERS = 1 << 20
"""Characters that attributes, aliases, variables and parameters may add to a file's own text, whatever its length."""
MADE_PER_CHARACTER = 8
"""Further ones for each character of the file."""
MAX_GENERATED = 200
"""Declarations that the attributes of one declaration generate. Mathlib has at most forty."""
MAX_MODULE_DOC_CHARACTERS = 100_000
"""Of one module doc; the longest of Mathlib has 15,000."""
MAX_MODULE_DOC_NAMES = 1000
"""Names in the module docs of one file; the most in Mathlib are about two hundred."""
MAX_SAID_CHARACTERS = 2000
"""Of what they say of one declaration."""
MAX_ATTRIBUTE_DEPTH = 5
"""Levels of nested attributes. Each level may double the number of declarations. Mathlib has two levels."""

# Statements and proofs: beyond these, a term is copied as it is, or a name, fact or state stays unknown.
MAX_PARSED_WORDS = 2000
"""Length of a statement that is parsed to translate it, or to name an instance."""
MAX_TERM_DEPTH = 60
"""Levels of nested terms, and of nested patterns."""
MAX_TRANSLATED_DEPTH = 40
"""Levels of nested terms of a statement that is translated."""
MAX_NAMED_TYPE_DEPTH = 40
"""Levels of nested terms of a type after which an instance is named."""
MAX_BINDERS = 100
"""Binders of an instance that its name depends on; if there are more, it gets no name. Mathlib has up to about 30."""
MAX_PARENTS = 200
"""Direct and indirect parents of a structure whose fields are searched."""
MAX_FITTING_TYPES = 500
"""Types with the same constructors among which the intended one is searched."""
MAX_MEANINGS = 64
"""Names that one mention may refer to."""
MAX_ALIAS_MODULES = 16
"""Modules of a chain of aliases."""
CACHED_MODULES = 32
"""Modules whose premises are cached while names are resolved."""
MAX_FACTS = 200
"""Named facts of a proof in scope at once. Mathlib has a few dozen."""
MAX_BLOCK_DEPTH = 40
"""Levels of nested blocks. The text of each block contains that of all blocks in it. Mathlib has a dozen."""
MAX_STATE_DEPTH = 40
"""Levels of nested terms into which a known state is followed."""
MAX_PARTS = 60
"""Alternatives or components of a pattern, and parts of a conjunction."""
MAX_PATTERN_TOKENS = 200
"""Length of a pattern."""
MAX_CASES = 200
"""Alternatives of one `cases`."""
MAX_PROJECTIONS = 60
"""Projections in a chain (`h.1.2.1`)."""
MAX_PROJECTED_TOKENS = 1000
"""Length of a type that is analysed for a projection, since there may be very many projections."""
MAX_INNER_DEFINITIONS = 20
"""Definitions (`let`, `have`) inside one proposition."""
MAX_INNER_QUANTIFIERS = 20
"""Quantifiers inside binders, as in `fun [∀ i, Group (G i)] => ...`."""
MAX_STATED_GOALS = 2000
"""Goals stated in one proof. The most in a proof of Mathlib is a tenth of that."""
MAX_GOAL_TOKENS = 1000
"""Length of a stated goal. Nested goals are each written out in full."""
MAX_CALCULATION_LINES = 10_000
"""Lines of calculations in one proof. The lines of a nested calculation count twice."""
MAX_STATED_BINDERS = 100_000
"""Binders of all goals stated in a proof."""
STEPS_CHARACTERS = 100_000
"""Characters of all steps and stated goals of a proof. Nested ones are written out once per level."""
STEPS_PER_CHARACTER = 32
"""Further ones for each character of the proof."""
STATES_CHARACTERS = 50_000
"""Characters of the states of a proof that are processed."""
STATES_PER_CHARACTER = 60
"""Further ones for each character of the proof."""
MAX_PROPOSITION_CHARACTERS = 20_000
"""Length of a proposition that is taken apart."""
MAX_PATTERN_CHARACTERS = 1000
"""Length of a pattern that takes a proposition apart."""
MAX_PATTERN_DEPTH = 32
"""Levels of such a pattern."""
MAX_PATTERNS = 64
"""Patterns of one step."""
MAX_RESULTING_GOALS = 64
"""Goals that one step may result in."""
MAX_BOUND_NAMES = 128
"""Names of one binder, since its bound is repeated for each of them."""

# Live Lean.
LEAN_START_SECONDS = 60.0
"""Time limit for the first response of Lean's server. Settings may change this and the next three limits."""
LEAN_REQUEST_SECONDS = 120.0
"""How long to wait for a goal while Lean makes no progress."""
TACTIC_SECONDS = 10.0
"""Time limit for one tactic."""
TACTIC_SLOTS = 2
"""Tactics that are tried at the same time, each in a Lean process of its own."""
MAX_LEAN_MEGABYTES = 8192
"""Private memory of one Lean process, if no other limit is set and the machine has three times as much."""
MAX_OPEN_FILES = 2
"""Files that one Lean server keeps open."""
LEAN_IDLE_SECONDS = 300.0
"""Time without a trial after which the copies of a file in which tactics are tried are closed."""
LEAN_SPARE_SECONDS = 30.0
"""The same where memory is scarce."""
LEAN_WATCH_SECONDS = 0.25
"""Time between two checks of the time, the memory and the life of a Lean process."""
LEAN_END_SECONDS = 5.0
"""How long to wait for the end of a Lean process that has been killed."""
TERMINATION_SECONDS = 2.0
"""How long Lean's processes have to end by themselves before they are killed."""
WORKER_STOP_SECONDS = 1.0
"""How long a worker has to stop unneeded work before it is replaced. Lean stops where it checks for that."""
MAX_REPL_ANSWER_BYTES = 1 << 26
"""Size of one answer of the REPL; a file's `sorry`s and messages have a thousandth of that."""
MAX_REPL_REQUESTS = 5_000
"""Requests after which the REPL is restarted, since it never frees a state."""
MAX_REMOVAL_ROUNDS = 5
"""Rounds in which commands are removed because they depend on removed commands."""
MAX_TACTICS_NEAR = 500
"""Tactics of a declaration around a position whose ends are searched."""
MAX_TACTIC_TOKENS = 200_000
"""Tokens read to find where the tactics around a position end, those of nested tactics once for each level."""
MAX_LINTER_SUGGESTIONS = 4
"""Suggestions of linters that are applied to one tactic."""
MAX_WRITTEN_GOALS = 16
"""Goals that get a `sorry` each. Above that, one is written for all of them."""
MAX_SUGGESTED_TACTICS = 3
"""Suggestions that are tried in place of one tactic; Lean names the simplest first."""
MAX_ERROR_LINES = 24
"""Lines of the error of a tactic that are kept. A failed `grind` prints pages."""
MAX_ERROR_CHARACTERS = 2000
"""Characters of the error of a tactic that are kept."""
RESCAN_SECONDS = 60
"""Time between two scans for folders that were made while watching began, or could not be watched."""

# Programs, processes and caches.
COMPILE_SECONDS = 600.0
"""Time limit for compiling one module: far more than any bundled module needs, so it only ends a hang."""
LEAN_MESSAGES_SECONDS = 300.0
"""Time limit for a new Lean process that reads one text, unless a caller sets another limit."""
LEAN_VERSION_SECONDS = 30.0
"""Time limit for `lean --version`."""
GIT_SECONDS = 10.0
"""Time limit for one Git command."""
MAX_PROCESSES = 64
"""The largest number of processes that an option accepts."""
CLUSTER_CONNECT_SECONDS = 5
"""Time limit for the answer of a Dask scheduler."""
CLUSTER_WORKER_SECONDS = 3
"""How long to wait for a scheduler's first worker."""
MAX_WORKER_DEATHS = 3
"""A task that was running in this many processes of this machine when they died is not tried again."""
MAX_CACHED_CHARACTERS = 1000
"""Length of a text whose result is cached."""
