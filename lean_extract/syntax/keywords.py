"""The keywords of Lean that the reader has to know."""

from __future__ import annotations

THEOREM_WORDS = frozenset(("theorem", "lemma"))
DEFINITION_WORDS = frozenset(
    ("def", "abbrev", "instance", "axiom", "opaque", "example", "irreducible_def", "proof_wanted")
)
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
OTHER_COMMANDS = frozenset(
    (
        "alias", "attribute", "export", "set_option", "import", "module", "prelude", "deriving", "initialize",
        "builtin_initialize", "syntax", "macro", "macro_rules", "elab", "elab_rules", "notation", "notation3",
        "infix", "infixl", "infixr", "prefix", "postfix", "declare_syntax_cat", "run_cmd", "run_elab",
        "run_meta", "add_decl_doc", "init_quot", "reserve", "unif_hint", "library_note", "assert_not_exists",
        "assert_not_imported", "suppress_compilation", "unsuppress_compilation", "register_simp_attr",
        "register_option", "register_builtin_option", "declare_aesop_rule_sets", "declare_config_elab",
        "compile_inductive%", "initialize_simps_projections", "simproc", "simproc_decl", "dsimproc",
        "dsimproc_decl", "register_label_attr", "insert_to_additive_translation", "deprecated_module",
        "grind_pattern", "unseal", "seal", "recommended_spelling", "include_str", "show_panel_widgets",
        "binder_predicate", "app_unexpander", "class_abbrev", "to_dual_insert_cast", "to_dual_name_hint",
        "to_additive_name_hint", "to_dual_insert_cast_fun", "register_hint", "gen_injective_theorems",
        "erase_aesop_rules", "add_aesop_rules", "tactic_extension", "register_tactic_tag", "extend_docs",
        "mk_iff_of_inductive_prop",
    )
)  # fmt: skip
COMMAND_WORDS = DECLARATION_WORDS | MODIFIERS | SCOPE_WORDS | CONTEXT_WORDS | OTHER_COMMANDS

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
