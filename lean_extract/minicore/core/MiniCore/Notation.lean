prelude
import MiniCore.Macro

/-!
# Mini core: notation

First the small macros with which `syntax` and `notation` are written (`p*`, `p?`, `max`), and the
binder notations, all bound to the runtime's own; then the operators.
-/

set_option autoImplicit false
set_option linter.all false

universe u v w

open Lean (ParserDescr TrailingParserDescr Macro)
open Lean.PrettyPrinter (Unexpander)

/-! ## Writing grammar -/

@[extern "l", prec_parser] opaque precMax : ParserDescr
@[extern "l", prec_parser] opaque precArg : ParserDescr
@[extern "l", prec_parser] opaque precLead : ParserDescr
@[extern "l", prec_parser] opaque precMin : ParserDescr
@[extern "l", prec_parser] opaque precMin1 : ParserDescr
@[extern "l", prec_parser] opaque «prec(_)» : ParserDescr
@[extern "l", prio_parser] opaque prioDefault : ParserDescr
@[extern "l", prio_parser] opaque prioLow : ParserDescr
@[extern "l", prio_parser] opaque prioMid : ParserDescr
@[extern "l", prio_parser] opaque prioHigh : ParserDescr
@[extern "l", prio_parser] opaque «prio(_)» : ParserDescr
@[extern "l", stx_parser] opaque «stx_*» : TrailingParserDescr
@[extern "l", stx_parser] opaque «stx_+» : TrailingParserDescr
@[extern "l", stx_parser] opaque stx_? : TrailingParserDescr
@[extern "l", stx_parser] opaque «stx_,*» : TrailingParserDescr
@[extern "l", stx_parser] opaque «stx_,+» : TrailingParserDescr
@[extern "l", stx_parser] opaque «stx_,*,?» : TrailingParserDescr
@[extern "l", stx_parser] opaque «stx_,+,?» : TrailingParserDescr
@[extern "l", stx_parser] opaque «stx_<|>_» : TrailingParserDescr
@[extern "l", stx_parser] opaque stx!_ : ParserDescr

@[extern "l", macro precMax] opaque _aux_Init_Notation___macroRules_precMax_1 : Macro
@[extern "l", macro precArg] opaque _aux_Init_Notation___macroRules_precArg_1 : Macro
@[extern "l", macro precLead] opaque _aux_Init_Notation___macroRules_precLead_1 : Macro
@[extern "l", macro precMin] opaque _aux_Init_Notation___macroRules_precMin_1 : Macro
@[extern "l", macro precMin1] opaque _aux_Init_Notation___macroRules_precMin1_1 : Macro
@[extern "l", macro «prec(_)»] opaque «_aux_Init_Notation___macroRules_prec(_)_1» : Macro
@[extern "l", macro prioDefault] opaque _aux_Init_Notation___macroRules_prioDefault_1 : Macro
@[extern "l", macro prioLow] opaque _aux_Init_Notation___macroRules_prioLow_1 : Macro
@[extern "l", macro prioMid] opaque _aux_Init_Notation___macroRules_prioMid_1 : Macro
@[extern "l", macro prioHigh] opaque _aux_Init_Notation___macroRules_prioHigh_1 : Macro
@[extern "l", macro «prio(_)»] opaque «_aux_Init_Notation___macroRules_prio(_)_1» : Macro
@[extern "l", macro «stx_*»] opaque «_aux_Init_Notation___macroRules_stx_*_1» : Macro
@[extern "l", macro «stx_+»] opaque «_aux_Init_Notation___macroRules_stx_+_1» : Macro
@[extern "l", macro stx_?] opaque _aux_Init_Notation___macroRules_stx_?_1 : Macro
@[extern "l", macro «stx_,*»] opaque «_aux_Init_Notation___macroRules_stx_,*_1» : Macro
@[extern "l", macro «stx_,+»] opaque «_aux_Init_Notation___macroRules_stx_,+_1» : Macro
@[extern "l", macro «stx_,*,?»] opaque «_aux_Init_Notation___macroRules_stx_,*,?_1» : Macro
@[extern "l", macro «stx_,+,?»] opaque «_aux_Init_Notation___macroRules_stx_,+,?_1» : Macro
@[extern "l", macro «stx_<|>_»] opaque «_aux_Init_Notation___macroRules_stx_<|>__1» : Macro
@[extern "l", macro stx!_] opaque _aux_Init_Notation___macroRules_stx!__1 : Macro

namespace Lean
@[extern "l", prec_parser] opaque Parser.Syntax.addPrec : TrailingParserDescr
@[extern "l", macro Lean.Parser.Syntax.addPrec] opaque _aux_Init_Meta___macroRules_Lean_Parser_Syntax_addPrec_1 : Macro
@[extern "l", prec_parser] opaque Parser.Syntax.subPrec : TrailingParserDescr
@[extern "l", macro Lean.Parser.Syntax.subPrec] opaque _aux_Init_Meta___macroRules_Lean_Parser_Syntax_subPrec_1 : Macro
@[extern "l", prio_parser] opaque Parser.Syntax.addPrio : TrailingParserDescr
@[extern "l", macro Lean.Parser.Syntax.addPrio] opaque _aux_Init_Meta___macroRules_Lean_Parser_Syntax_addPrio_1 : Macro
@[extern "l", prio_parser] opaque Parser.Syntax.subPrio : TrailingParserDescr
@[extern "l", macro Lean.Parser.Syntax.subPrio] opaque _aux_Init_Meta___macroRules_Lean_Parser_Syntax_subPrio_1 : Macro
@[extern "l", term_parser] opaque termEval_prec_ : ParserDescr
@[extern "l", macro termEval_prec_] opaque _aux_Init_Meta___macroRules_Lean_termEval_prec__1 : Macro
@[extern "l", term_parser] opaque termEval_prio_ : ParserDescr
@[extern "l", macro termEval_prio_] opaque _aux_Init_Meta___macroRules_Lean_termEval_prio__1 : Macro
end Lean

/-! ## Binding more than one rule at a time -/

namespace MiniCore

/-- Binds grammar that other rules refer to. -/
syntax "native_grammar " ident+ : command

/-- Binds rules and enters them into the parser of a category. -/
syntax "native_parsers " "[" ident "] " ident+ : command

/-- Binds rules that begin with a term or tactic which has been read already. -/
syntax "native_trailing_parsers " "[" ident "] " ident+ : command

macro_rules
  | `(native_grammar $n) => `(@[extern "l"] opaque $n : Lean.ParserDescr)
  | `(native_grammar $n $ns*) => `(native_grammar $n native_grammar $ns*)
  | `(native_parsers [$a] $n) => `(@[extern "l", $a:ident] opaque $n : Lean.ParserDescr)
  | `(native_parsers [$a] $n $ns*) => `(native_parsers [$a] $n native_parsers [$a] $ns*)
  | `(native_trailing_parsers [$a] $n) => `(@[extern "l", $a:ident] opaque $n : Lean.TrailingParserDescr)
  | `(native_trailing_parsers [$a] $n $ns*) =>
    `(native_trailing_parsers [$a] $n native_trailing_parsers [$a] $ns*)

end MiniCore

/-! ## Binders -/

namespace Lean
native_grammar binderIdent unbracketedExplicitBinders bracketedExplicitBinders explicitBinders

declare_syntax_cat binderPred

native_parsers [term_parser] «termSatisfies_binder_pred%__»
native_parsers [binderPred_parser] «binderPred∈_» «binderPred∉_» «binderPred≠_» «binderPred≤_»
  «binderPred≥_» «binderPred<_» «binderPred>_» «binderPred⊆_» «binderPred⊂_»
native_parsers [term_parser] «term∀__,_» «term∃__,_»

@[extern "l", macro «termSatisfies_binder_pred%__»] opaque «_aux_Init_BinderPredicates___macroRules_Lean_termSatisfies_binder_pred%___1» : Macro
@[extern "l", macro «termSatisfies_binder_pred%__»] opaque «_aux_Init_BinderPredicates___macroRules_Lean_termSatisfies_binder_pred%___2» : Macro
@[extern "l", macro «termSatisfies_binder_pred%__»] opaque «_aux_Init_BinderPredicates___macroRules_Lean_termSatisfies_binder_pred%___3» : Macro
@[extern "l", macro «termSatisfies_binder_pred%__»] opaque «_aux_Init_BinderPredicates___macroRules_Lean_termSatisfies_binder_pred%___4» : Macro
@[extern "l", macro «termSatisfies_binder_pred%__»] opaque «_aux_Init_BinderPredicates___macroRules_Lean_termSatisfies_binder_pred%___5» : Macro
@[extern "l", macro «termSatisfies_binder_pred%__»] opaque «_aux_Init_BinderPredicates___macroRules_Lean_termSatisfies_binder_pred%___6» : Macro
@[extern "l", macro «termSatisfies_binder_pred%__»] opaque «_aux_Init_BinderPredicates___macroRules_Lean_termSatisfies_binder_pred%___7» : Macro
@[extern "l", macro «termSatisfies_binder_pred%__»] opaque «_aux_Init_BinderPredicates___macroRules_Lean_termSatisfies_binder_pred%___8» : Macro
@[extern "l", macro «termSatisfies_binder_pred%__»] opaque «_aux_Init_BinderPredicates___macroRules_Lean_termSatisfies_binder_pred%___9» : Macro
@[extern "l", macro «termSatisfies_binder_pred%__»] opaque «_aux_Init_BinderPredicates___macroRules_Lean_termSatisfies_binder_pred%___10» : Macro
@[extern "l", macro «termSatisfies_binder_pred%__»] opaque «_aux_Init_BinderPredicates___macroRules_Lean_termSatisfies_binder_pred%___11» : Macro
@[extern "l", macro «term∀__,_»] opaque «_aux_Init_BinderPredicates___macroRules_Lean_term∀__,__1» : Macro
@[extern "l", macro «term∃__,_»] opaque «_aux_Init_BinderPredicates___macroRules_Lean_term∃__,__1» : Macro
end Lean

native_parsers [term_parser] coeNotation coeFunNotation coeSortNotation «term∃_,_» «termExists_,_»
  «termΣ_,_» «termΣ'_,_» «term{_:_//_}» termIfThenElse termDepIfThenElse «term[_]» «term%[_|_]» «term{_}»
  «term-_» term!_ rawNatLit «term‹_›»
native_trailing_parsers [term_parser] «term_⁻¹»
native_parsers [term_parser] termWithout_expected_type_

@[extern "l", macro «term∃_,_»] opaque «_aux_Init_NotationExtra___macroRules_term∃_,__1» : Macro
@[extern "l", macro «termExists_,_»] opaque «_aux_Init_NotationExtra___macroRules_termExists_,__1» : Macro
@[extern "l", macro «termΣ_,_»] opaque «_aux_Init_NotationExtra___macroRules_termΣ_,__1» : Macro
@[extern "l", macro «termΣ'_,_»] opaque «_aux_Init_NotationExtra___macroRules_termΣ'_,__1» : Macro
@[extern "l", macro «term{_:_//_}»] opaque «_aux_Init_Notation___macroRules_term{_:_//_}_1» : Macro
@[extern "l", macro termIfThenElse] opaque _aux_Init_Notation___macroRules_termIfThenElse_1 : Macro
@[extern "l", macro termDepIfThenElse] opaque _aux_Init_Notation___macroRules_termDepIfThenElse_1 : Macro
@[extern "l", macro «term[_]»] opaque Lean.«_aux_Init_Data_List_Notation___macroRules_term[_]_1» : Macro
@[extern "l", macro «term%[_|_]»] opaque «_aux_Init_NotationExtra___macroRules_term%[_|_]_1» : Macro
@[extern "l", macro «term{_}»] opaque «_aux_Init_NotationExtra___macroRules_term{_}_1» : Macro
@[extern "l", macro «term-_»] opaque «_aux_Init_Notation___macroRules_term-__1» : Macro
@[extern "l", macro «term-_»] opaque «_aux_Init_Notation___macroRules_term-__2» : Macro
@[extern "l", macro term!_] opaque _aux_Init_Notation___macroRules_term!__1 : Macro
@[extern "l", macro «term‹_›»] opaque «_aux_Init_Tactics___macroRules_term‹_›_1» : Macro
@[extern "l", macro «term_⁻¹»] opaque «_aux_Init_Notation___macroRules_term_⁻¹_1» : Macro
@[extern "l", macro termWithout_expected_type_] opaque _aux_Init_Notation___macroRules_termWithout_expected_type__1 : Macro

/-! ## Operators -/

infix:50 " = " => Eq
infix:50 " ≍ " => HEq
infixr:35 " ∧ " => And
infixr:30 " ∨ " => Or
infix:20 " <-> " => Iff
infix:20 " ↔ " => Iff
notation:max "¬" p:40 => Not p

/-- `a ≠ b`: the two are not the same. -/
@[reducible] def Ne {α : Sort u} (a b : α) : Prop := ¬(a = b)

infix:50 " ≠ " => Ne

infixr:90 " ∘ " => Function.comp
infixr:35 " × " => Prod
infixr:30 " ⊕ " => Sum

infixl:65 " + " => HAdd.hAdd
infixl:65 " - " => HSub.hSub
infixl:70 " * " => HMul.hMul
infixl:70 " / " => HDiv.hDiv
infixl:70 " % " => HMod.hMod
infixr:75 " ^ " => HPow.hPow
infixl:65 " ++ " => HAppend.hAppend
infixr:73 " • " => HSMul.hSMul
infix:50 " ∣ " => Dvd.dvd
infix:50 " ≤ " => LE.le
infix:50 " < " => LT.lt
infix:50 " ≥ " => GE.ge
infix:50 " > " => GT.gt
infix:50 " == " => BEq.beq
infixr:67 " :: " => List.cons
notation:50 a:50 " ∈ " s:50 => Membership.mem s a
notation:50 a:50 " ∉ " s:50 => ¬(a ∈ s)
infix:50 " ⊆ " => HasSubset.Subset
infix:50 " ⊂ " => HasSSubset.SSubset
infixl:65 " ∪ " => Union.union
infixl:70 " ∩ " => Inter.inter
infix:70 " \\ " => SDiff.sdiff
notation "ℕ" => Nat
notation "∅" => EmptyCollection.emptyCollection
infixl:35 " && " => and
infixl:30 " || " => or
infixr:100 " <$> " => Functor.map
infixl:55 " >>= " => Bind.bind

infixr:min " $ " => fun f x => f x
infixl:min " |> " => fun x f => f x

-- The arithmetic operators are elaborated together, so that the types of all leaves are found first.
macro_rules
  | `($a + $b) => `(binop% HAdd.hAdd $a $b)
  | `($a - $b) => `(binop% HSub.hSub $a $b)
  | `($a * $b) => `(binop% HMul.hMul $a $b)
  | `($a / $b) => `(binop% HDiv.hDiv $a $b)
  | `($a % $b) => `(binop% HMod.hMod $a $b)
  | `($a ++ $b) => `(binop% HAppend.hAppend $a $b)
  | `($a ^ $b) => `(rightact% HPow.hPow $a $b)
  | `($a • $b) => `(leftact% HSMul.hSMul $a $b)
  | `($a ≤ $b) => `(binrel% LE.le $a $b)
  | `($a < $b) => `(binrel% LT.lt $a $b)
  | `($a ≥ $b) => `(binrel% GE.ge $a $b)
  | `($a > $b) => `(binrel% GT.gt $a $b)
  | `($a = $b) => `(binrel% Eq $a $b)
  | `($a == $b) => `(binrel_no_prop% BEq.beq $a $b)
  | `($a ≠ $b) => `(binrel% Ne $a $b)

/-! ## Printing back -/

@[extern "l", app_unexpander Exists] opaque unexpandExists : Unexpander
@[extern "l", app_unexpander List.nil] opaque unexpandListNil : Unexpander
@[extern "l", app_unexpander List.cons] opaque unexpandListCons : Unexpander
@[extern "l", app_unexpander ite] opaque unexpandIte : Unexpander
@[extern "l", app_unexpander Subtype] opaque unexpandSubtype : Unexpander
@[extern "l", app_unexpander Sigma] opaque unexpandSigma : Unexpander
@[extern "l", app_unexpander PSigma] opaque unexpandPSigma : Unexpander
@[extern "l", app_unexpander Prod.mk] opaque unexpandProdMk : Unexpander
@[extern "l", app_unexpander Unit.unit] opaque unexpandUnit : Unexpander
@[extern "l", app_unexpander Inv.inv] opaque _aux_Init_Notation___unexpand_Inv_inv_1 : Unexpander
@[extern "l", app_unexpander Neg.neg] opaque _aux_Init_Notation___unexpand_Neg_neg_1 : Unexpander
@[extern "l", app_unexpander Bool.not] opaque _aux_Init_Notation___unexpand_Bool_not_1 : Unexpander
