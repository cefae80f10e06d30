prelude
import MiniCore.Notation

/-!
# Mini core: the grammar of tactics

The runtime has the grammar of Lean's tactics compiled already. Each rule is bound to it by its
name and entered into the parser; the tactics' elaborators know the rules by the same names.
-/

set_option autoImplicit false
set_option linter.all false

open Lean (ParserDescr TrailingParserDescr Macro)


namespace Lean.Parser.Tactic

/-! ## Parts that several tactics share -/

@[extern "l"] opaque config : ParserDescr
@[extern "l"] opaque posConfigItem : ParserDescr
@[extern "l"] opaque negConfigItem : ParserDescr
@[extern "l"] opaque valConfigItem : ParserDescr
@[extern "l"] opaque configItem : ParserDescr
@[extern "l"] opaque optConfig : ParserDescr
@[extern "l"] opaque locationWildcard : ParserDescr
@[extern "l"] opaque locationType : ParserDescr
@[extern "l"] opaque locationHyp : ParserDescr
@[extern "l"] opaque location : ParserDescr
@[extern "l"] opaque caseArg : ParserDescr
@[extern "l"] opaque elimTarget : ParserDescr
@[extern "l"] opaque generalizeArg : ParserDescr
@[extern "l"] opaque inductionAltLHS : ParserDescr
@[extern "l"] opaque inductionAlt : ParserDescr
@[extern "l"] opaque inductionAlts : ParserDescr
@[extern "l"] opaque rwRule : ParserDescr
@[extern "l"] opaque rwRuleSeq : ParserDescr
@[extern "l"] opaque discharger : ParserDescr
@[extern "l"] opaque simpPre : ParserDescr
@[extern "l"] opaque simpPost : ParserDescr
@[extern "l"] opaque simpLemma : ParserDescr
@[extern "l"] opaque simpErase : ParserDescr
@[extern "l"] opaque simpStar : ParserDescr
@[extern "l"] opaque simpArg : ParserDescr
@[extern "l"] opaque simpArgs : ParserDescr
@[extern "l"] opaque dsimpArg : ParserDescr
@[extern "l"] opaque dsimpArgs : ParserDescr
@[extern "l"] opaque simpTraceArgsRest : ParserDescr
@[extern "l"] opaque simpAllTraceArgsRest : ParserDescr
@[extern "l"] opaque dsimpTraceArgsRest : ParserDescr
@[extern "l"] opaque simpaArgsRest : ParserDescr

/-! ## Patterns of `rcases`, `obtain` and `rintro` -/

declare_syntax_cat rcasesPat
declare_syntax_cat rintroPat
declare_syntax_cat rawStx (behavior := both)

@[extern "l"] opaque rcasesPatMed : ParserDescr
@[extern "l"] opaque rcasesPatLo : ParserDescr
@[extern "l", rcasesPat_parser] opaque rcasesPat.one : ParserDescr
@[extern "l", rcasesPat_parser] opaque rcasesPat.ignore : ParserDescr
@[extern "l", rcasesPat_parser] opaque rcasesPat.clear : ParserDescr
@[extern "l", rcasesPat_parser] opaque rcasesPat.explicit : ParserDescr
@[extern "l", rcasesPat_parser] opaque rcasesPat.tuple : ParserDescr
@[extern "l", rcasesPat_parser] opaque rcasesPat.paren : ParserDescr
@[extern "l", rintroPat_parser] opaque rintroPat.one : ParserDescr
@[extern "l", rintroPat_parser] opaque rintroPat.binder : ParserDescr

/-! ## Tactics with elaborators of their own -/

@[extern "l", tactic_parser] opaque withAnnotateState : ParserDescr
@[extern "l", tactic_parser] opaque intro : ParserDescr
@[extern "l", tactic_parser] opaque intros : ParserDescr
@[extern "l", tactic_parser] opaque rename : ParserDescr
@[extern "l", tactic_parser] opaque revert : ParserDescr
@[extern "l", tactic_parser] opaque clear : ParserDescr
@[extern "l", tactic_parser] opaque subst : ParserDescr
@[extern "l", tactic_parser] opaque substVars : ParserDescr
@[extern "l", tactic_parser] opaque assumption : ParserDescr
@[extern "l", tactic_parser] opaque contradiction : ParserDescr
@[extern "l", tactic_parser] opaque falseOrByContra : ParserDescr
@[extern "l", tactic_parser] opaque apply : ParserDescr
@[extern "l", tactic_parser] opaque exact : ParserDescr
@[extern "l", tactic_parser] opaque refine : ParserDescr
@[extern "l", tactic_parser] opaque refine' : ParserDescr
@[extern "l", tactic_parser] opaque constructor : ParserDescr
@[extern "l", tactic_parser] opaque left : ParserDescr
@[extern "l", tactic_parser] opaque right : ParserDescr
@[extern "l", tactic_parser] opaque case : ParserDescr
@[extern "l", tactic_parser] opaque case' : ParserDescr
@[extern "l", tactic_parser] opaque allGoals : ParserDescr
@[extern "l", tactic_parser] opaque anyGoals : ParserDescr
@[extern "l", tactic_parser] opaque focus : ParserDescr
@[extern "l", tactic_parser] opaque skip : ParserDescr
@[extern "l", tactic_parser] opaque done : ParserDescr
@[extern "l", tactic_parser] opaque traceState : ParserDescr
@[extern "l", tactic_parser] opaque traceMessage : ParserDescr
@[extern "l", tactic_parser] opaque fail : ParserDescr
@[extern "l", tactic_parser] opaque failIfSuccess : ParserDescr
@[extern "l", tactic_parser] opaque paren : ParserDescr
@[extern "l", tactic_parser] opaque withReducible : ParserDescr
@[extern "l", tactic_parser] opaque withReducibleAndInstances : ParserDescr
@[extern "l", tactic_parser] opaque withUnfoldingAll : ParserDescr
@[extern "l", tactic_parser] opaque first : ParserDescr
@[extern "l", tactic_parser] opaque rotateLeft : ParserDescr
@[extern "l", tactic_parser] opaque rotateRight : ParserDescr
@[extern "l", tactic_parser] opaque eqRefl : ParserDescr
@[extern "l", tactic_parser] opaque applyRfl : ParserDescr
@[extern "l", tactic_parser] opaque change : ParserDescr
@[extern "l", tactic_parser] opaque replace : ParserDescr
@[extern "l", tactic_parser] opaque rewriteSeq : ParserDescr
@[extern "l", tactic_parser] opaque injection : ParserDescr
@[extern "l", tactic_parser] opaque injections : ParserDescr
@[extern "l", tactic_parser] opaque simp : ParserDescr
@[extern "l", tactic_parser] opaque simpAll : ParserDescr
@[extern "l", tactic_parser] opaque dsimp : ParserDescr
@[extern "l", tactic_parser] opaque simpTrace : ParserDescr
@[extern "l", tactic_parser] opaque simpAllTrace : ParserDescr
@[extern "l", tactic_parser] opaque dsimpTrace : ParserDescr
@[extern "l", tactic_parser] opaque simpa : ParserDescr
@[extern "l", tactic_parser] opaque delta : ParserDescr
@[extern "l", tactic_parser] opaque unfold : ParserDescr
@[extern "l", tactic_parser] opaque rcases : ParserDescr
@[extern "l", tactic_parser] opaque rintro : ParserDescr
@[extern "l", tactic_parser] opaque obtain : ParserDescr
@[extern "l", tactic_parser] opaque induction : ParserDescr
@[extern "l", tactic_parser] opaque cases : ParserDescr
@[extern "l", tactic_parser] opaque generalize : ParserDescr
@[extern "l", tactic_parser] opaque split : ParserDescr
@[extern "l", tactic_parser] opaque specialize : ParserDescr
@[extern "l", tactic_parser] opaque symm : ParserDescr
@[extern "l", tactic_parser] opaque congr : ParserDescr
@[extern "l", tactic_parser] opaque decide : ParserDescr
@[extern "l", tactic_parser] opaque exact? : ParserDescr
@[extern "l", tactic_parser] opaque apply? : ParserDescr
@[extern "l", tactic_parser] opaque repeat' : ParserDescr
@[extern "l", tactic_parser] opaque repeat1' : ParserDescr
@[extern "l", tactic_parser] opaque renameI : ParserDescr
@[extern "l", tactic_parser] opaque exposeNames : ParserDescr
@[extern "l", tactic_parser] opaque classical : ParserDescr
@[extern "l", tactic_parser] opaque «show» : ParserDescr
@[extern "l", tactic_parser] opaque solveByElim : ParserDescr
@[extern "l", tactic_parser] opaque funCases : ParserDescr
@[extern "l", tactic_parser] opaque clearValue : ParserDescr
@[extern "l", tactic_parser] opaque substEqs : ParserDescr
@[extern "l", tactic_parser] opaque dbgTrace : ParserDescr
@[extern "l", tactic_parser] opaque runTac : ParserDescr
@[extern "l", tactic_parser] opaque sleep : ParserDescr
@[extern "l", tactic_parser] opaque «by?» : ParserDescr
@[extern "l", tactic_parser] opaque showTerm : ParserDescr
@[extern "l", tactic_parser] opaque letToHave : ParserDescr
@[extern "l", tactic_parser] opaque extractLets : ParserDescr
@[extern "l", tactic_parser] opaque liftLets : ParserDescr

/-! ## Tactics that are macros -/

@[extern "l", tactic_parser] opaque rwSeq : ParserDescr
@[extern "l", tactic_parser] opaque rwa : ParserDescr
@[extern "l", tactic_parser] opaque rwaAt : ParserDescr
@[extern "l", tactic_parser] opaque tacticSorry : ParserDescr
@[extern "l", tactic_parser] opaque tacticAdmit : ParserDescr
@[extern "l", tactic_parser] opaque tacticExfalso : ParserDescr
@[extern "l", tactic_parser] opaque tacticTry_ : ParserDescr
@[extern "l", tactic_parser] opaque tacticRepeat_ : ParserDescr
@[extern "l", tactic_parser] opaque «tactic_<;>_» : TrailingParserDescr
@[extern "l", tactic_parser] opaque «tacticNext_=>_» : ParserDescr
@[extern "l", tactic_parser] opaque tacticRfl : ParserDescr
@[extern "l", tactic_parser] opaque tacticRfl' : ParserDescr
@[extern "l", tactic_parser] opaque tacticTrivial : ParserDescr
@[extern "l", tactic_parser] opaque tacticInfer_instance : ParserDescr
@[extern "l", tactic_parser] opaque tacticHave__ : ParserDescr
@[extern "l", tactic_parser] opaque tacticHave' : ParserDescr
@[extern "l", tactic_parser] opaque tacticLet__ : ParserDescr
@[extern "l", tactic_parser] opaque tacticLet'__ : ParserDescr
@[extern "l", tactic_parser] opaque tacticSuffices_ : ParserDescr
@[extern "l", tactic_parser] opaque tacticHaveI__ : ParserDescr
@[extern "l", tactic_parser] opaque tacticLetI__ : ParserDescr
@[extern "l", tactic_parser] opaque tacticRefine_lift_ : ParserDescr
@[extern "l", tactic_parser] opaque tacticRefine_lift'_ : ParserDescr
@[extern "l", tactic_parser] opaque «tacticExists_,,» : ParserDescr
@[extern "l", tactic_parser] opaque tacticNofun : ParserDescr
@[extern "l", tactic_parser] opaque «tacticNomatch_,,» : ParserDescr
@[extern "l", tactic_parser] opaque tacticAnd_intros : ParserDescr
@[extern "l", tactic_parser] opaque tacticStop_ : ParserDescr
@[extern "l", tactic_parser] opaque tacticUnhygienic_ : ParserDescr
@[extern "l", tactic_parser] opaque letrec : ParserDescr
@[extern "l", tactic_parser] opaque tacticErw___ : ParserDescr
@[extern "l", tactic_parser] opaque constructorBang : ParserDescr

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
@[extern "l", attr_parser] opaque simp : ParserDescr
@[extern "l", attr_parser] opaque ext : ParserDescr
@[extern "l", attr_parser] opaque norm_cast : ParserDescr
end Lean.Parser.Attr

/-! ## Focus dots, calculations, case distinctions -/

namespace Lean
@[extern "l"] opaque cdotTk : ParserDescr
@[extern "l", tactic_parser] opaque cdot : ParserDescr
@[extern "l"] opaque calcFirstStep : ParserDescr
@[extern "l"] opaque calcStep : ParserDescr
@[extern "l"] opaque calcSteps : ParserDescr
@[extern "l", term_parser] opaque calc : ParserDescr
@[extern "l", tactic_parser] opaque calcTactic : ParserDescr
@[extern "l", tactic_parser] opaque solveTactic : ParserDescr
@[extern "l", macro solveTactic] opaque _aux_Init_NotationExtra___macroRules_Lean_solveTactic_1 : Macro
end Lean

@[extern "l", tactic_parser] opaque «tacticBy_cases_:_» : ParserDescr
@[extern "l", tactic_parser] opaque tacticFunext___ : ParserDescr
@[extern "l", macro «tacticBy_cases_:_»] opaque «_aux_Init_ByCases___macroRules_tacticBy_cases_:__1» : Macro
@[extern "l", macro «tacticBy_cases_:_»] opaque «_aux_Init_ByCases___macroRules_tacticBy_cases_:__2» : Macro
@[extern "l", macro tacticFunext___] opaque _aux_Init_NotationExtra___macroRules_tacticFunext____1 : Macro
@[extern "l", macro Lean.Parser.Tactic.tacticRfl] opaque _aux_Init_Core___macroRules_Lean_Parser_Tactic_tacticRfl_1 : Macro
