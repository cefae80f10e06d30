prelude
import MiniCore.Notation

/-!
# Mini core: the grammar of tactics

The runtime has the grammar of Lean's tactics compiled already. Each rule is bound to it by its
name and entered into the parser; the tactics' elaborators know the rules by the same names. The
macros that some tactics are made of are bound in the same way.
-/

set_option autoImplicit false
set_option linter.all false

open Lean (Macro)

namespace Lean.Parser.Tactic

/-! ## Parts that several tactics share -/

native_grammar config posConfigItem negConfigItem valConfigItem configItem optConfig locationWildcard
  locationType locationHyp location caseArg elimTarget generalizeArg inductionAltLHS inductionAlt
  inductionAlts rwRule rwRuleSeq discharger simpPre simpPost simpLemma simpErase simpStar simpArg simpArgs
  dsimpArg dsimpArgs simpTraceArgsRest simpAllTraceArgsRest dsimpTraceArgsRest simpaArgsRest

/-! ## Patterns of `rcases`, `obtain` and `rintro` -/

declare_syntax_cat rcasesPat
declare_syntax_cat rintroPat
declare_syntax_cat rawStx (behavior := both)

native_grammar rcasesPatMed rcasesPatLo
native_parsers [rcasesPat_parser] rcasesPat.one rcasesPat.ignore rcasesPat.clear rcasesPat.explicit
  rcasesPat.tuple rcasesPat.paren
native_parsers [rintroPat_parser] rintroPat.one rintroPat.binder

/-! ## Tactics with elaborators of their own -/

native_parsers [tactic_parser] withAnnotateState intro intros rename revert clear subst substVars assumption
  contradiction falseOrByContra apply exact refine refine' constructor left right case case' allGoals
  anyGoals focus skip done traceState traceMessage fail failIfSuccess paren withReducible
  withReducibleAndInstances withUnfoldingAll first rotateLeft rotateRight eqRefl applyRfl change replace
  rewriteSeq injection injections simp simpAll dsimp simpTrace simpAllTrace dsimpTrace simpa delta unfold
  rcases rintro obtain induction cases generalize split specialize symm congr decide exact? apply? repeat'
  repeat1' renameI exposeNames classical «show» solveByElim funCases clearValue substEqs dbgTrace runTac
  sleep «by?» showTerm letToHave extractLets liftLets

/-! ## Tactics that are macros -/

native_parsers [tactic_parser] rwSeq rwa rwaAt tacticSorry tacticAdmit tacticExfalso tacticTry_
  tacticRepeat_
native_trailing_parsers [tactic_parser] «tactic_<;>_»
native_parsers [tactic_parser] «tacticNext_=>_» tacticRfl tacticRfl' tacticTrivial tacticInfer_instance
  tacticHave__ tacticHave' tacticLet__ tacticLet'__ tacticSuffices_ tacticHaveI__ tacticLetI__
  tacticRefine_lift_ tacticRefine_lift'_ «tacticExists_,,» tacticNofun «tacticNomatch_,,» tacticAnd_intros
  tacticStop_ tacticUnhygienic_ letrec tacticErw___ constructorBang

@[extern "l", macro rwSeq] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_rwSeq_1 : Macro
@[extern "l", macro tacticSorry] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticSorry_1 : Macro
@[extern "l", macro tacticAdmit] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticAdmit_1 : Macro
@[extern "l", macro tacticExfalso] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticExfalso_1 : Macro
@[extern "l", macro tacticTry_] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticTry__1 : Macro
@[extern "l", macro «tactic_<;>_»] opaque «_aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tactic_<;>__1» : Macro
@[extern "l", macro «tacticNext_=>_»] opaque «_aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticNext_=>__1» : Macro
@[extern "l", macro tacticRfl] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticRfl_1 : Macro
@[extern "l", macro tacticRfl] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticRfl_2 : Macro
@[extern "l", macro tacticRfl] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticRfl_3 : Macro
@[extern "l", macro tacticRfl'] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticRfl'_1 : Macro
@[extern "l", macro tacticTrivial] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticTrivial_1 : Macro
@[extern "l", macro tacticTrivial] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticTrivial_2 : Macro
@[extern "l", macro tacticTrivial] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticTrivial_3 : Macro
@[extern "l", macro tacticTrivial] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticTrivial_4 : Macro
@[extern "l", macro tacticTrivial] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticTrivial_5 : Macro
@[extern "l", macro tacticTrivial] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticTrivial_6 : Macro
@[extern "l", macro tacticInfer_instance] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticInfer_instance_1 : Macro
@[extern "l", macro tacticHave__] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticHave___1 : Macro
@[extern "l", macro tacticHave'] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticHave'_1 : Macro
@[extern "l", macro tacticLet__] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticLet___1 : Macro
@[extern "l", macro tacticLet'__] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticLet'___1 : Macro
@[extern "l", macro tacticSuffices_] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticSuffices__1 : Macro
@[extern "l", macro tacticHaveI__] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticHaveI___1 : Macro
@[extern "l", macro tacticLetI__] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticLetI___1 : Macro
@[extern "l", macro tacticRefine_lift_] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticRefine_lift__1 : Macro
@[extern "l", macro tacticRefine_lift'_] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticRefine_lift'__1 : Macro
@[extern "l", macro «tacticExists_,,»] opaque «_aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticExists_,,_1» : Macro
@[extern "l", macro tacticNofun] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticNofun_1 : Macro
@[extern "l", macro «tacticNomatch_,,»] opaque «_aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticNomatch_,,_1» : Macro
@[extern "l", macro tacticAnd_intros] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticAnd_intros_1 : Macro
@[extern "l", macro tacticStop_] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticStop__1 : Macro
@[extern "l", macro tacticUnhygienic_] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_tacticUnhygienic__1 : Macro
@[extern "l", macro letrec] opaque _aux_Init_Tactics___macroRules_Lean_Parser_Tactic_letrec_1 : Macro
@[extern "l", macro tacticErw___] opaque _aux_Init_Meta___macroRules_Lean_Parser_Tactic_tacticErw____1 : Macro

end Lean.Parser.Tactic

/-! ## Attributes -/

namespace Lean.Parser.Attr
native_parsers [attr_parser] simp ext norm_cast
end Lean.Parser.Attr

/-! ## Focus dots, calculations, case distinctions -/

namespace Lean
native_grammar cdotTk
native_parsers [tactic_parser] cdot
native_grammar calcFirstStep calcStep calcSteps
native_parsers [term_parser] calc
native_parsers [tactic_parser] calcTactic solveTactic
@[extern "l", macro solveTactic] opaque _aux_Init_NotationExtra___macroRules_Lean_solveTactic_1 : Macro
end Lean

native_parsers [tactic_parser] «tacticBy_cases_:_» tacticFunext___
@[extern "l", macro «tacticBy_cases_:_»] opaque «_aux_Init_ByCases___macroRules_tacticBy_cases_:__1» : Macro
@[extern "l", macro «tacticBy_cases_:_»] opaque «_aux_Init_ByCases___macroRules_tacticBy_cases_:__2» : Macro
@[extern "l", macro tacticFunext___] opaque _aux_Init_NotationExtra___macroRules_tacticFunext____1 : Macro
@[extern "l", macro Lean.Parser.Tactic.tacticRfl] opaque _aux_Init_Core___macroRules_Lean_Parser_Tactic_tacticRfl_1 : Macro

/-! ## Extensionality -/

namespace Lean.Elab.Tactic.Ext
native_parsers [tactic_parser] ext applyExtTheorem tacticExt1___
@[extern "l", macro tacticExt1___] opaque _aux_Init_Ext___macroRules_Lean_Elab_Tactic_Ext_tacticExt1____1 : Macro
end Lean.Elab.Tactic.Ext
