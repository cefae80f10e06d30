"""What a tactic may not contain, by what it can do. Data: each word with the reason that people read."""

from __future__ import annotations

from collections.abc import Mapping

from lean_extract.syntax.keywords import COMMAND_WORDS, words

GIVES_UP = "leaves the goal to `sorry`"
TRUSTS = "trusts compiled code"
READS = "reads files"
CONTACTS = "may contact another machine or start another program"
RUNS = "runs code"

GIVING_UP = words("""
    sorry admit stop sorry_if_sorry plausible slim_check apply? rw? have? refine? observe?
""")
"""Tactics and terms that leave a goal open, or only look for a proof."""
_TRUSTING = words("native_decide bv_decide bv_decide? bv_check unsafe implemented_by")
_READING = words("include_str include_bytes")
_CONTACTING = words("""
    polyrith sagemath leansearch moogle loogle statesearch suggest_tactics search_proof select_premises llmstep
    llmqed hammer suggest_premises premises
""")
_RUNNING = words("""
    run_tac run_conv by_elab eval% dbg_trace dbg_stack_trace dbgTrace unsafeIO unsafeBaseIO unsafeEIO
""")

WORDS: Mapping[str, str] = {
    **dict.fromkeys(GIVING_UP, GIVES_UP),
    **dict.fromkeys(_TRUSTING, TRUSTS),
    **dict.fromkeys(_READING, READS),
    **dict.fromkeys(_CONTACTING, CONTACTS),
    **dict.fromkeys(_RUNNING, RUNS),
}
"""Whole words, each with its reason."""

LAST_PARTS: Mapping[str, str] = {
    "sorryAx": GIVES_UP,
    **dict.fromkeys(words("ofReduceBool ofReduceNat reduceBool reduceNat trustCompiler"), TRUSTS),
}
"""Constants, in any namespace."""

COMMANDS = COMMAND_WORDS - words(
    "open local scoped nonrec include omit module prelude computable universes variables"
)
"""Words with which a command begins. After an error Lean goes on at the next of them, and runs it. Left out are those
that may be in a tactic, or be a name there, and do no more than change what is in scope."""

HASH_COMMANDS = tuple(
    sorted(
        words("""
    eval exit print check reduce synth exec leansearch moogle loogle search statesearch find where help version lint
    import min_imports redundant_imports transitive_imports simp norm_num ring conv whnf unfold time count_heartbeats
    guard html widget show long_names long_instances discr_tree grind_lint instances test push_cast dsimp click
    browse clear_deprecations create_deprecated_module defeq_abuse explode expr_graph info_trees list_linters
    reexport sample string_diagram trans_imports with_exporting
""")
    )
)
"""What follows the `#` of commands; longer words that begin so count, too."""
