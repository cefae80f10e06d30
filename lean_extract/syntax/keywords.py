"""The keywords of Lean that the reader has to know."""

from __future__ import annotations

import re
from collections.abc import Iterable


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def any_of(words: Iterable[str]) -> str:
    """A regular expression for one of the words: a longer one rather than its beginning."""
    return "|".join(map(re.escape, sorted(words, reverse=True)))


THEOREM_WORDS = frozenset(("theorem", "lemma"))
VALUE_WORDS = frozenset(("def", "abbrev", "instance", "opaque", "irreducible_def"))
"""Words of declarations that give a name to a value, which need not be a proof."""
DEFINITION_WORDS = VALUE_WORDS | {"axiom", "example", "proof_wanted"}
TYPE_WORDS = frozenset(("structure", "class", "inductive", "coinductive"))
DECLARATION_WORDS = THEOREM_WORDS | DEFINITION_WORDS | TYPE_WORDS
MODIFIERS = frozenset(
    (
        "private", "protected", "public", "noncomputable", "unsafe", "partial", "nonrec", "meta",
        "local", "scoped", "computable",
    )
)  # fmt: skip

SCOPE_WORDS = frozenset(("namespace", "section", "end", "mutual"))
CONTEXT_WORDS = frozenset(("open", "variable", "variables", "universe", "universes", "include", "omit"))
OTHER_COMMANDS = words(
    """
    alias attribute export set_option import module prelude deriving initialize builtin_initialize syntax macro
    macro_rules elab elab_rules notation notation3 infix infixl infixr prefix postfix declare_syntax_cat run_cmd
    run_elab run_meta add_decl_doc init_quot unif_hint library_note assert_not_exists assert_exists
    assert_not_imported assert_no_sorry suppress_compilation unsuppress_compilation with_weak_namespace
    docs_to_verso elab_stx_quot aux_def binder_predicate register_simp_attr register_option
    register_builtin_option register_label_attr register_linter_set register_hint register_tactic_tag
    register_grind_attr register_try?_tactic register_error_explanation register_aesop_check_option
    declare_aesop_rule_sets declare_aesop_exception add_aesop_rules erase_aesop_rules declare_config_elab
    declare_command_config_elab declare_config_getter declare_simp_like_tactic declare_int_theorems
    declare_uint_theorems declare_bitwise_int_theorems declare_bitwise_uint_theorems declare_sint_simprocs
    declare_uint_simprocs simproc simproc_decl dsimproc dsimproc_decl builtin_simproc builtin_simproc_decl
    builtin_dsimproc builtin_dsimproc_decl grind_pattern grind_propagator builtin_grind_propagator
    grind_annotated reset_grind_attrs norm_cast_add_elim compile_inductive compile_def gen_injective_theorems
    gen_cnstr_fns initialize_simps_projections initialize_simps_projections? insert_to_additive_translation
    to_additive_name_hint to_dual_name_hint to_dual_insert_cast to_dual_insert_cast_fun deprecated_module
    deprecate unseal seal recommended_spelling show_panel_widgets tactic_extension extend_docs
    mk_iff_of_inductive_prop recall recall? whatsnew count_heartbeats guard_min_heartbeats variable? flex?
    stop_at_first_error sudo unset_option set_library_suggestions reprove lrat_proof name_poly_vars
    name_power_vars def_wanted theorem_wanted instance_wanted
"""
)
"""Those of Lean 4.27, and of the Mathlib, Batteries and Aesop of July 2026."""
COMMAND_WORDS = DECLARATION_WORDS | MODIFIERS | SCOPE_WORDS | CONTEXT_WORDS | OTHER_COMMANDS

GOVERNING_WORDS = CONTEXT_WORDS | frozenset(
    (
        "set_option", "unset_option", "attribute", "notation", "notation3", "infix", "infixl", "infixr", "prefix",
        "postfix", "unseal", "seal", "count_heartbeats", "guard_min_heartbeats", "suppress_compilation",
        "unsuppress_compilation", "stop_at_first_error", "whatsnew",
    )
)  # fmt: skip
"""Words of commands that often precede `in` and another command."""

STRONG_COMMAND_WORDS = frozenset(
    (
        "theorem", "lemma", "def", "abbrev", "axiom", "opaque", "inductive", "structure", "namespace",
        "section", "end", "variable", "universe", "instance", "class", "example",
    )
)  # fmt: skip
"""Words that begin a command when they are the first on a line, at any indentation."""

CONTINUATIONS = frozenset(
    ("where", "deriving", "termination_by", "decreasing_by", "by", "with", "in", "from", "fun", "extends",
     "then", "else", "match", "let", "have", "show", "calc", "do", "return", "if", "at", "using", "forall",
     "exists", "suffices", "obtain", "exact", "intro", "rw", "simp", "apply", "refine", "rfl")
)  # fmt: skip
"""Words that continue the previous command even at the margin."""

KEYWORDS = frozenset(
    (
        "fun", "by", "at", "with", "let", "have", "show", "from", "if", "then", "else", "match", "do",
        "forall", "exists", "in", "suffices", "calc", "this", "Type", "Prop", "Sort", "where", "deriving",
        "extends", "return", "for", "unless", "mut", "try", "catch", "finally", "using", "only", "rec",
        "haveI", "letI", "let_fun", "set_option", "open", "nomatch", "nofun", "termination_by",
        "decreasing_by", "case", "case'", "next", "generalizing", "location", "sorry", "Sort*", "Type*",
        "exacts", "end", "private", "protected", "instance", "max", "scoped", "renaming", "hiding", "true_or",
    )
) - {"true_or", "max"}  # fmt: skip
"""Words of terms and tactic clauses. They are never the name of a premise."""

TERM_WORDS = frozenset(("in", "with", "from", "then", "else", "let", "have", "show", "do", "by"))
"""Words inside terms that have no meaning of their own."""
