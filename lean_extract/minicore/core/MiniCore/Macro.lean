prelude
import MiniCore.Meta

/-!
# Mini core: monads and macros

The monads that macros and unexpanders run in, and the functions that quotations expand to. Where
the runtime has compiled a function already, it is declared with the same name and bound to it: the
interpreter finds compiled code by the name of the declaration.
-/

set_option autoImplicit false
set_option linter.all false

universe u v w

/-! ## Monads -/

class Functor (f : Type u → Type v) : Type (max (u + 1) v) where
  map : {α β : Type u} → (α → β) → f α → f β
  mapConst : {α β : Type u} → α → f β → f α := Function.comp map (Function.const _)

class Pure (f : Type u → Type v) where
  pure {α : Type u} : α → f α

export Pure (pure)

class Seq (f : Type u → Type v) : Type (max (u + 1) v) where
  seq : {α β : Type u} → f (α → β) → (Unit → f α) → f β

class SeqLeft (f : Type u → Type v) : Type (max (u + 1) v) where
  seqLeft : {α β : Type u} → f α → (Unit → f β) → f α

class SeqRight (f : Type u → Type v) : Type (max (u + 1) v) where
  seqRight : {α β : Type u} → f α → (Unit → f β) → f β

class Bind (m : Type u → Type v) where
  bind : {α β : Type u} → m α → (α → m β) → m β

export Bind (bind)

class Applicative (f : Type u → Type v) extends Functor f, Pure f, Seq f, SeqLeft f, SeqRight f where
  map := fun x y => Seq.seq (pure x) fun _ => y
  seqLeft := fun a b => Seq.seq (Functor.map (Function.const _) a) b
  seqRight := fun a b => Seq.seq (Functor.map (Function.const _ id) a) b

class Monad (m : Type u → Type v) : Type (max (u + 1) v) extends Applicative m, Bind m where
  map f x := bind x (Function.comp pure f)
  seq f x := bind f fun y => Functor.map y (x Unit.unit)
  seqLeft x y := bind x fun a => bind (y Unit.unit) (fun _ => pure a)
  seqRight x y := bind x fun _ => y Unit.unit

/-- Computations that may read a `ρ`. -/
def ReaderT (ρ : Type u) (m : Type u → Type v) (α : Type u) : Type (max u v) := ρ → m α

instance ReaderT.instMonad {ρ : Type u} {m : Type u → Type v} [Monad m] : Monad (ReaderT ρ m) where
  pure a := fun _ => pure a
  bind x f := fun r => bind (x r) fun a => f a r

/-- The outcome of a computation with state `σ` and exceptions `ε`. -/
inductive EStateM.Result (ε σ α : Type u) : Type u where
  | ok : α → σ → Result ε σ α
  | error : ε → σ → Result ε σ α

/-- Computations with state `σ` and exceptions `ε`. -/
def EStateM (ε σ α : Type u) := σ → EStateM.Result ε σ α

instance EStateM.instMonad {ε σ : Type u} : Monad (EStateM ε σ) where
  pure a := fun s => .ok a s
  bind x f := fun s => match x s with
    | .ok a s => f a s
    | .error e s => .error e s

/-! ## Quotations -/

namespace Lean

abbrev MacroScope := Nat

class MonadRef (m : Type → Type) where
  getRef : m Syntax
  withRef {α : Type} : Syntax → m α → m α

export MonadRef (getRef)

class MonadQuotation (m : Type → Type) extends MonadRef m where
  getCurrMacroScope : m MacroScope
  getContext : m Name
  withFreshMacroScope {α : Type} : m α → m α

export MonadQuotation (getCurrMacroScope withFreshMacroScope)

@[extern "l"] opaque SourceInfo.fromRef (ref : Syntax) (canonical : Bool := false) : SourceInfo

@[inline] def MonadRef.mkInfoFromRefPos {m : Type → Type} [Monad m] [MonadRef m] : m SourceInfo :=
  bind getRef fun ref => pure (SourceInfo.fromRef ref)

@[extern "l"] opaque replaceRef (ref : Syntax) (oldRef : Syntax) : Syntax

/-- Runs `x` with error messages placed at `ref`. -/
@[inline] def withRef {m : Type → Type} [Monad m] [MonadRef m] {α : Type} (ref : Syntax) (x : m α) : m α :=
  bind getRef fun oldRef => MonadRef.withRef (replaceRef ref oldRef) x

@[extern "l"] opaque addMacroScope (ctx : Name) (n : Name) (scp : MacroScope) : Name

@[inline] def MonadQuotation.addMacroScope {m : Type → Type} [MonadQuotation m] [Monad m] (n : Name) : m Name :=
  bind MonadQuotation.getContext fun ctx => bind getCurrMacroScope fun scp => pure (Lean.addMacroScope ctx n scp)

/-- Sequences of syntax trees with separators between them. -/
structure Syntax.SepArray (sep : String) where
  elemsAndSeps : Array Syntax

structure Syntax.TSepArray (ks : SyntaxNodeKinds) (sep : String) where
  elemsAndSeps : Array Syntax

abbrev TSyntaxArray (ks : SyntaxNodeKinds) := Array (TSyntax ks)

unsafe def TSyntaxArray.rawImpl {ks : SyntaxNodeKinds} : TSyntaxArray ks → Array Syntax := unsafeCast
unsafe def TSyntaxArray.mkImpl {ks : SyntaxNodeKinds} : Array Syntax → TSyntaxArray ks := unsafeCast

@[implemented_by TSyntaxArray.rawImpl]
opaque TSyntaxArray.raw {ks : SyntaxNodeKinds} (as : TSyntaxArray ks) : Array Syntax

@[implemented_by TSyntaxArray.mkImpl]
opaque TSyntaxArray.mk {ks : SyntaxNodeKinds} (as : Array Syntax) : TSyntaxArray ks

namespace Syntax
@[extern "l"] opaque isOfKind (stx : Syntax) (k : SyntaxNodeKind) : Bool
@[extern "l"] opaque getKind (stx : Syntax) : SyntaxNodeKind
@[extern "l"] opaque getArg (stx : Syntax) (i : Nat) : Syntax
@[extern "l"] opaque getArgs (stx : Syntax) : Array Syntax
@[extern "l"] opaque getNumArgs (stx : Syntax) : Nat
@[extern "l"] opaque getOptional? (stx : Syntax) : Option Syntax
@[extern "l"] opaque isNone (stx : Syntax) : Bool
@[extern "l"] opaque getId (stx : Syntax) : Name
@[extern "l"] opaque isIdent (stx : Syntax) : Bool
@[extern "l"] opaque matchesNull (stx : Syntax) (n : Nat) : Bool
@[extern "l"] opaque matchesIdent (stx : Syntax) (id : Name) : Bool
@[extern "l"] opaque matchesLit (stx : Syntax) (k : SyntaxNodeKind) (val : String) : Bool
@[extern "l"] opaque node1 (info : SourceInfo) (kind : SyntaxNodeKind) (a₁ : Syntax) : Syntax
@[extern "l"] opaque node2 (info : SourceInfo) (kind : SyntaxNodeKind) (a₁ a₂ : Syntax) : Syntax
@[extern "l"] opaque node3 (info : SourceInfo) (kind : SyntaxNodeKind) (a₁ a₂ a₃ : Syntax) : Syntax
@[extern "l"] opaque node4 (info : SourceInfo) (kind : SyntaxNodeKind) (a₁ a₂ a₃ a₄ : Syntax) : Syntax
@[extern "l"] opaque node5 (info : SourceInfo) (kind : SyntaxNodeKind) (a₁ a₂ a₃ a₄ a₅ : Syntax) : Syntax
@[extern "l"] opaque node6 (info : SourceInfo) (kind : SyntaxNodeKind) (a₁ a₂ a₃ a₄ a₅ a₆ : Syntax) : Syntax
@[extern "l"] opaque node7 (info : SourceInfo) (kind : SyntaxNodeKind) (a₁ a₂ a₃ a₄ a₅ a₆ a₇ : Syntax) : Syntax
@[extern "l"] opaque node8 (info : SourceInfo) (kind : SyntaxNodeKind) (a₁ a₂ a₃ a₄ a₅ a₆ a₇ a₈ : Syntax) : Syntax
end Syntax

instance : Coe SyntaxNodeKind SyntaxNodeKinds := ⟨fun k => .cons k .nil⟩

abbrev Term := TSyntax (.cons `term .nil)
abbrev Ident := TSyntax (.cons identKind .nil)

instance {ks : SyntaxNodeKinds} : CoeOut (TSyntax ks) Syntax := ⟨TSyntax.raw⟩
instance : Coe Ident Term := ⟨fun s => ⟨s.raw⟩⟩

end Lean

@[extern "l"] opaque String.toRawSubstring' (s : String) : Substring.Raw := ⟨s, ⟨0⟩, ⟨0⟩⟩

namespace Array
variable {α : Type u}
@[extern "lean_array_get_size"] opaque size (a : Array α) : Nat
@[extern "lean_array_push"] opaque push (a : Array α) (v : α) : Array α
@[extern "lean_mk_empty_array_with_capacity"] opaque mkEmpty (c : Nat) : Array α
@[extern "l"] opaque append (as : Array α) (bs : Array α) : Array α
@[extern "l"] opaque mkArray0 : Array α
@[extern "l"] opaque mkArray1 (a₁ : α) : Array α
@[extern "l"] opaque mkArray2 (a₁ a₂ : α) : Array α
@[extern "l"] opaque mkArray3 (a₁ a₂ a₃ : α) : Array α
@[extern "l"] opaque mkArray4 (a₁ a₂ a₃ a₄ : α) : Array α
@[extern "l"] opaque mkArray5 (a₁ a₂ a₃ a₄ a₅ : α) : Array α
@[extern "l"] opaque mkArray6 (a₁ a₂ a₃ a₄ a₅ a₆ : α) : Array α
@[extern "l"] opaque mkArray7 (a₁ a₂ a₃ a₄ a₅ a₆ a₇ : α) : Array α
@[extern "l"] opaque mkArray8 (a₁ a₂ a₃ a₄ a₅ a₆ a₇ a₈ : α) : Array α
@[extern "l"] opaque extract (as : Array α) (start : Nat := 0) (stop : Nat := as.size) : Array α
abbrev empty : Array α := mkEmpty 0
end Array

/-! ## The macro monads -/

namespace Lean.Macro

instance : Inhabited Type := ⟨Unit⟩

/-- The expander's own functions, of which nothing is known here. -/
opaque MethodsRef : Type

structure Context where
  methods : MethodsRef
  quotContext : Name
  currMacroScope : MacroScope
  currRecDepth : Nat
  maxRecDepth : Nat
  ref : Syntax

inductive Exception where
  | error : Syntax → String → Exception
  | unsupportedSyntax : Exception

structure State where
  macroScope : MacroScope
  traceMsgs : List (Prod Name String)
  expandedMacroDecls : List Name

end Lean.Macro

namespace Lean

/-- What macros run in. -/
abbrev MacroM := ReaderT Macro.Context (EStateM Macro.Exception Macro.State)

abbrev Macro := Syntax → MacroM Syntax

instance {α : Type} : Inhabited (MacroM α) := ⟨fun _ s => .error .unsupportedSyntax s⟩

instance : Inhabited Macro := ⟨fun _ => default⟩

def Macro.throwUnsupported {α : Type} : MacroM α := fun _ s => .error .unsupportedSyntax s

namespace PrettyPrinter

/-- What unexpanders run in: they turn printed applications back into notation, or give up. -/
abbrev UnexpandM := ReaderT Syntax (EStateM Unit Unit)

abbrev Unexpander := Syntax → UnexpandM Syntax

instance {α : Type} : Inhabited (UnexpandM α) := ⟨fun _ s => .error Unit.unit s⟩

instance : Inhabited Unexpander := ⟨fun _ => default⟩

end PrettyPrinter
end Lean

/-- Giving up with an error. -/
class MonadExceptOf (ε : semiOutParam (Type u)) (m : Type v → Type w) where
  throw {α : Type v} : ε → m α
  tryCatch {α : Type v} : m α → (ε → m α) → m α

class MonadExcept (ε : outParam (Type u)) (m : Type v → Type w) where
  throw {α : Type v} : ε → m α
  tryCatch {α : Type v} : m α → (ε → m α) → m α

export MonadExcept (throw)

instance : MonadExcept Unit Lean.PrettyPrinter.UnexpandM where
  throw e := fun _ s => .error e s
  tryCatch x h := fun r s => match x r s with
    | .ok a s => .ok a s
    | .error e s => h e r s

instance : MonadExcept Lean.Macro.Exception Lean.MacroM where
  throw e := fun _ s => .error e s
  tryCatch x h := fun r s => match x r s with
    | .ok a s => .ok a s
    | .error e s => h e r s

namespace Lean

instance Macro.instMonadQuotationMacroM : MonadQuotation MacroM where
  getRef := fun c s => .ok c.ref s
  withRef ref x := fun c s => x { c with ref := ref } s
  getCurrMacroScope := fun c s => .ok c.currMacroScope s
  getContext := fun c s => .ok c.quotContext s
  withFreshMacroScope x := fun c s =>
    x { c with currMacroScope := s.macroScope } { s with macroScope := Nat.succ s.macroScope }

instance PrettyPrinter.instMonadQuotationUnexpandM : MonadQuotation UnexpandM where
  getRef := fun r s => .ok r s
  withRef ref x := fun _ s => x ref s
  getCurrMacroScope := fun _ s => .ok 0 s
  getContext := fun _ s => .ok `_fakeMod s
  withFreshMacroScope x := x

end Lean

/-- What `declare_syntax_cat` makes a declaration of. -/
structure Lean.Parser.Category

/-- A node that only holds a sequence of trees. -/
@[inline] def Lean.mkNullNode (args : Array Lean.Syntax := Array.mkArray0) : Lean.Syntax :=
  Lean.Syntax.node .none Lean.nullKind args

/-- A name, where a declaration's name with universe parameters is asked for. -/
instance : Coe Lean.Ident (Lean.TSyntax `Lean.Parser.Command.declId) where
  coe n := ⟨Lean.Syntax.node2 .none `Lean.Parser.Command.declId n.raw Lean.mkNullNode⟩
