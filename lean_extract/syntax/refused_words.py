"""What a tactic may not contain, by what it can do. Data: each word with the reason that people read."""

from __future__ import annotations

from collections.abc import Mapping

GIVES_UP = "leaves the goal to `sorry`"
TRUSTS = "trusts compiled code"
READS = "reads files"
CONTACTS = "may contact another machine or start another program"
RUNS = "runs code"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


GIVING_UP = _words("""
    sorry admit stop sorry_if_sorry plausible slim_check apply? rw? have? refine? observe?
""")
"""Tactics and terms that leave a goal open, or only look for a proof."""
_TRUSTING = _words("native_decide bv_decide bv_decide? bv_check unsafe implemented_by")
_READING = _words("include_str include_bytes")
_CONTACTING = _words("""
    polyrith sagemath leansearch moogle loogle statesearch suggest_tactics search_proof select_premises llmstep
    llmqed hammer suggest_premises premises
""")
_RUNNING = _words("""
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
    **dict.fromkeys(_words("ofReduceBool ofReduceNat reduceBool reduceNat trustCompiler"), TRUSTS),
}
"""Constants, whatever namespace stands before them."""

COMMANDS = _words("""
    theorem lemma def abbrev instance example axiom opaque structure class inductive coinductive namespace section end
    variable universe set_option attribute mutual macro macro_rules syntax declare_syntax_cat notation notation3 infix
    infixl infixr prefix postfix elab elab_rules initialize builtin_initialize import export run_cmd run_elab run_meta
    private protected noncomputable partial suppress_compilation init_quot alias deriving simproc simproc_decl
    builtin_simproc builtin_simproc_decl dsimproc dsimproc_decl register_simp_attr register_option
    register_builtin_option register_label_attr declare_aesop_rule_sets add_decl_doc library_note proof_wanted
    irreducible_def recall unseal seal binder_predicate grind_pattern declare_simp_like_tactic declare_config_elab
    whatsnew assert_not_exists assert_exists assert_not_imported compile_inductive compile_def
    mk_iff_of_inductive_prop initialize_simps_projections tactic_extension register_tactic_tag count_heartbeats
    guard_min_heartbeats public meta unif_hint docs_to_verso
""")
"""Words with which a command begins. After an error Lean goes on at the next of them, and runs it."""

HASH_COMMANDS = tuple(
    sorted(
        _words("""
    eval exit print check reduce synth exec leansearch moogle loogle search statesearch find where help version lint
    import min_imports redundant_imports transitive_imports simp norm_num ring conv whnf unfold time count_heartbeats
    guard html widget show long_names long_instances discr_tree grind_lint instances test push_cast dsimp click
""")
    )
)
"""What follows the `#` of commands; longer words that begin so count, too."""
