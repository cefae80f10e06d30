"""The policy numbers of this package: how much work a goal gets, how large files may be, and how long things may take.

What belongs to a model (features, weights, odds, prompts) is next to the model.
"""

from __future__ import annotations

# Time limits.
SEARCH_SECONDS = 60.0
"""The wall time of a proof search, from the first state on, unless another is given."""
SEARCH_TACTIC_SECONDS = 5.0
"""The time for one tactic in a proof search, unless another is given, and where outcomes are collected for fitting."""
PROOF_CHECK_SECONDS = 300.0
"""After this time, the Lean process that checks a found proof is killed."""
DOJO_START_SECONDS = 600.0
"""How long LeanDojo may take to reach a theorem once its repository is traced."""
QUICK_AUTOMATION_SECONDS = 3.0
"""The most time for each of the quick tactics of automation."""

# Suggestions. A trial of a tactic uses up a part of both.
SUGGESTION_SECONDS = 10.0
"""The time for all tactics of a suggestion, unless the settings give another."""
SUGGESTION_TACTICS = 24
"""How many tactics a suggestion tries, unless the settings give another number."""

# Proof search.
SEARCH_NODES = 512
"""States to expand in one search, unless another number is given."""
SEARCH_TACTICS = 32
"""Tactics to try on one state, unless another number is given."""

MAX_HYPOTHESIS_ARGUMENTS = 4
"""Variables of a target to which a hypothesis is applied."""
MAX_REMEMBERED = 1000
"""Proved goals, lemmas and first words of tactics that are remembered for a file, of each."""
MAX_RANKED_DEFINITIONS = 128
"""Rankings of definitions that are kept in one search."""
MAX_LAWS_OF_ORDER = 8
"""Laws such as `a + b = b + a` that are given to one `simp`."""
MAX_RENAMED_HYPOTHESES = 6
"""Nameless hypotheses of one goal that are given names."""

# Proof terms from the lemmas and facts of a goal.
MAX_UNIFICATIONS = 1200
"""Unifications for one goal."""
MAX_PROOF_TERM_DEPTH = 8
"""The deepest nesting of parts. It stops the endless use of a hypothesis such as `p n → p (n + 1)`."""
MAX_BOUND_TERM_NODES = 400
"""Larger terms are not bound to variables, which keeps bindings from growing without end."""
MAX_FACT_PROJECTIONS = 5
"""Projections and further arguments to follow after a fact's own arguments."""
MAX_WAYS_OF_A_FACT = 24
"""Ways in which one fact can be used."""
MAX_ARGUMENTS_OF_A_TYPE = 64
"""Arguments that are read from one type."""
MAX_FACT_CHARACTERS = 4000
"""Longer facts of a state are compared as text, not parsed."""
MAX_FACT_DEPTH = 8
"""Facts nested deeper in a state's facts are compared as text."""

# Tactics adapted from the proof steps of neighbours.
MAX_NEIGHBOUR_CHARACTERS = 100_000
"""Characters of the neighbours' states that are read, the nearest first. Mathlib's have about 40 each."""
MAX_HYPOTHESIS_PAIRS = 20_000
"""Pairs of hypotheses that are compared for all neighbours of a goal, the nearest neighbours first."""
MAX_ADAPTED_HYPOTHESES = 100
"""Hypotheses of a goal that are considered, the nearest to the target; those that the target names are added."""
MAX_TYPE_PAIRS = 64
"""Pairs of types that are compared for one tactic, the nearest hypotheses first."""
MAX_TREE_NODES = 200
"""Nodes of two trees that are compared."""
MAX_NAMES_OF_A_TACTIC = 12
"""Names of one tactic that are adapted."""

MAX_PATTERN_PARTS = 6
"""How often the pattern for one fact is split."""

# Tactics written from shapes.
MAX_SHAPES_FILLED = 160
"""The most probable shapes of a goal that are filled."""
MAX_BEGINNINGS = 400
"""Beginnings that are continued for one goal."""

# Completed steps.
MAX_COMPLETIONS = 6
"""Steps of one goal that are tried with what may close the goals they leave."""
MAX_COMPLETED_GOALS = 3
"""Goals that such a step leaves."""

# Surveys and chains of rules.
MAX_SURVEYED_TACTICS = 32
"""Tactics that are tried in one survey."""
MAX_SURVEYED_CHARACTERS = 250
"""The longest of these tactics; the text of a survey is that of a tactic, whose length is bounded, too."""
MAX_SURVEYED_GOAL_CHARACTERS = 4000
"""Characters of a goal of which surveys make copies."""
MAX_SURVEYED_HYPOTHESES = 100
"""Hypotheses of such a goal."""
SURVEY_SECONDS = 3.0
"""The most time for one survey. After one that takes longer there are no others at this goal."""
RULE_PREMISES = 32
"""Premises of a goal that are tried as rules."""
MAX_RULES = 40
"""Rules of one goal, hypotheses included; each is tried in both directions."""
MAX_RULES_OF_HYPOTHESES = 32
"""Rules that are tried at hypotheses."""
MAX_CHAIN = 3
"""Rules of one chain."""
MAX_CHAIN_BEGINNINGS = 4
"""Chains of the same length from which the search goes on."""
MAX_RULES_OF_A_CHAIN = 16
"""Rules with which it goes on from each."""
MAX_CHAINS_TRIED = 6
"""Chains that are tried by themselves, beside the tactics of the sources."""
MAX_SEQUENCES = 6
"""Consecutive steps of known proofs that are tried as one, beside the tactics of the sources."""

# Refutation.
MAX_GENERALIZED = 24
"""Names in the context of a goal that is refuted."""
MAX_VALUE_TUPLES = 4096
"""Tuples of values of which the smallest are tried."""
MAX_COUNTEREXAMPLES = 60
"""Tuples of values with which Lean tries to refute a goal."""
REFUTATION_AFTER_SECONDS = 1.5
"""How long a search for a proof runs before Lean also tries to refute the goal."""
REFUTATION_SECONDS = 5.0
"""The time for the refutation."""

# Automation.
MAX_REFUSED_PREMISES = 8
"""Premises that `grind` refuses, one at a time, before it is tried without a list."""

# Models at a server.
MODEL_CONNECT_SECONDS = 3.0
"""How long a server may take to accept a connection."""
MODEL_SILENCE_SECONDS = 120.0
"""How long a server may send nothing. It may have to load the model first."""
MODEL_RETRIES = 3
"""How often a server that is busy is asked again."""
MODEL_RETRY_SECONDS = 10.0
"""The longest wait before that."""
MAX_MODEL_BYTES = 4 << 20
"""The largest answer of a server, with what is around the text."""
MAX_MODEL_REFUSAL_BYTES = 4096
"""Bytes of a refusal that are read."""
MAX_MODEL_CHARACTERS = 200_000
"""Characters of a model's text that are read, with what it thinks."""
MAX_JUDGED_PREFIXES = 24
"""Steps of a refused proof by which it is looked for how far Lean accepts it."""
CACHED_ANSWERS = 64
"""Whole answers of a model that are kept, by what was asked."""
MAX_WRITTEN_TACTICS = 64
"""Tactics that are read from one text."""
CHARACTERS_OF_A_TOKEN = 3
"""Of Lean's text, about: so prompts are counted in characters. No model's own count is known here."""
LEAST_ANSWER_TOKENS = 64
"""A request is not sent if a budget leaves its answer less."""
MAX_COUNTED_TOKENS = 10**9
"""A server's count of one answer's tokens that is higher is not believed."""

# Files.
MAX_MODEL_SHAPES = 20_000
"""Shapes in a generator's file."""
MAX_MODEL_PREMISES = 500_000
"""Premises in the file of a generator of shapes."""
MAX_MODEL_ARRAY_BYTES = 256 << 20
"""The largest array in the file of a generator of shapes."""
MAX_CHECKPOINT_PARAMETERS = 500_000_000
"""Of a checkpoint that is exported: one ONNX graph holds 2 GB, and each is a float32."""
MAX_CHECKPOINT_BYTES = 4 << 30
"""Of its weights."""
MAX_SAFETENSORS_HEADER_BYTES = 16 << 20
"""Of the list of tensors in a file of safetensors."""
MAX_LOCK_BYTES = 4096
"""Bytes of a run folder's lock that are read."""
MAX_STEM_BYTES = 150
"""The longest stem of a proof's file name, which is extended. File systems allow 255 bytes, encrypted folders 143."""

# Generators that read tokens.
GENERATOR_PROMPT_TOKENS = 1024
"""Of a prompt."""
GENERATOR_TACTIC_TOKENS = 128
"""What remains of the tokens that a decoder-only model reads, for the tactic."""

# Processor.
GENERATOR_THREADS = 2
"""Threads per operator of a generator that decodes, unless another number is given."""
