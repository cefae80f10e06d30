prelude
import MiniCore.Data

/-!
# Mini core: names, syntax trees, parser descriptions, macros

The data that Lean's parser and macro expander exchange with compiled code, so that the commands
`syntax`, `macro` and `notation` work. What the runtime has compiled already is bound by its name.
-/

set_option autoImplicit false
set_option linter.all false

universe u v w

namespace Lean

/-! ## Names -/

/-- Hierarchical names. -/
inductive Name where
  | anonymous : Name
  | str (pre : Name) (str : String)
  | num (pre : Name) (i : Nat)
with
  /-- The hash that every name carries with it. -/
  @[computed_field] hash : Name → UInt64
    | .anonymous => UInt64.ofNat 1723
    | .str p s => mixHash p.hash s.hash
    | .num p v => mixHash p.hash (cond (Nat.ble v 18446744073709551615) (UInt64.ofNat v) (UInt64.ofNat 17))

instance : Inhabited Name := ⟨.anonymous⟩

abbrev Name.mkStr (p : Name) (s : String) : Name := Name.str p s
abbrev Name.mkNum (p : Name) (v : Nat) : Name := Name.num p v
abbrev Name.mkSimple (s : String) : Name := .str .anonymous s

namespace Name
abbrev mkStr1 (s₁ : String) : Name := .str .anonymous s₁
abbrev mkStr2 (s₁ s₂ : String) : Name := .str (mkStr1 s₁) s₂
abbrev mkStr3 (s₁ s₂ s₃ : String) : Name := .str (mkStr2 s₁ s₂) s₃
abbrev mkStr4 (s₁ s₂ s₃ s₄ : String) : Name := .str (mkStr3 s₁ s₂ s₃) s₄
abbrev mkStr5 (s₁ s₂ s₃ s₄ s₅ : String) : Name := .str (mkStr4 s₁ s₂ s₃ s₄) s₅
abbrev mkStr6 (s₁ s₂ s₃ s₄ s₅ s₆ : String) : Name := .str (mkStr5 s₁ s₂ s₃ s₄ s₅) s₆
abbrev mkStr7 (s₁ s₂ s₃ s₄ s₅ s₆ s₇ : String) : Name := .str (mkStr6 s₁ s₂ s₃ s₄ s₅ s₆) s₇
abbrev mkStr8 (s₁ s₂ s₃ s₄ s₅ s₆ s₇ s₈ : String) : Name := .str (mkStr7 s₁ s₂ s₃ s₄ s₅ s₆ s₇) s₈

@[extern "l"] opaque hasMacroScopes (n : Name) : Bool
@[extern "l"] opaque eraseMacroScopes (n : Name) : Name
end Name

/-! ## Syntax trees -/

/-- Where a piece of syntax stands in the source. -/
inductive SourceInfo where
  | original (leading : Substring.Raw) (pos : String.Pos.Raw) (trailing : Substring.Raw) (endPos : String.Pos.Raw)
  | synthetic (pos : String.Pos.Raw) (endPos : String.Pos.Raw) (canonical : Bool := false)
  | protected none

instance : Inhabited SourceInfo := ⟨SourceInfo.none⟩

abbrev SyntaxNodeKind := Name

inductive Syntax.Preresolved where
  | namespace (ns : Name)
  | decl (n : Name) (fields : List String)

inductive Syntax where
  | missing : Syntax
  | node (info : SourceInfo) (kind : SyntaxNodeKind) (args : Array Syntax) : Syntax
  | atom (info : SourceInfo) (val : String) : Syntax
  | ident (info : SourceInfo) (rawVal : Substring.Raw) (val : Name) (preresolved : List Syntax.Preresolved) : Syntax

instance : Inhabited Syntax := ⟨Syntax.missing⟩

abbrev SyntaxNodeKinds := List SyntaxNodeKind

/-- A syntax tree of one of the given kinds. -/
structure TSyntax (ks : SyntaxNodeKinds) where
  raw : Syntax

instance {ks : SyntaxNodeKinds} : Inhabited (TSyntax ks) := ⟨⟨default⟩⟩

abbrev choiceKind : SyntaxNodeKind := `choice
abbrev nullKind : SyntaxNodeKind := `null
abbrev groupKind : SyntaxNodeKind := `group
abbrev identKind : SyntaxNodeKind := `ident
abbrev strLitKind : SyntaxNodeKind := `str
abbrev charLitKind : SyntaxNodeKind := `char
abbrev numLitKind : SyntaxNodeKind := `num
abbrev scientificLitKind : SyntaxNodeKind := `scientific
abbrev nameLitKind : SyntaxNodeKind := `name
abbrev fieldIdxKind : SyntaxNodeKind := `fieldIdx
abbrev hygieneInfoKind : SyntaxNodeKind := `hygieneInfo
abbrev interpolatedStrLitKind : SyntaxNodeKind := `interpolatedStrLitKind
abbrev interpolatedStrKind : SyntaxNodeKind := `interpolatedStrKind

/-! ## Parser descriptions -/

/-- What the `syntax` command compiles a grammar rule to. -/
inductive ParserDescr where
  | const (name : Name)
  | unary (name : Name) (p : ParserDescr)
  | binary (name : Name) (p₁ p₂ : ParserDescr)
  | node (kind : SyntaxNodeKind) (prec : Nat) (p : ParserDescr)
  | trailingNode (kind : SyntaxNodeKind) (prec lhsPrec : Nat) (p : ParserDescr)
  | symbol (val : String)
  | nonReservedSymbol (val : String) (includeIdent : Bool)
  | cat (catName : Name) (rbp : Nat)
  | parser (declName : Name)
  | nodeWithAntiquot (name : String) (kind : SyntaxNodeKind) (p : ParserDescr)
  | sepBy (p : ParserDescr) (sep : String) (psep : ParserDescr) (allowTrailingSep : Bool := false)
  | sepBy1 (p : ParserDescr) (sep : String) (psep : ParserDescr) (allowTrailingSep : Bool := false)
  | unicodeSymbol (val asciiVal : String) (preserveForPP : Bool)

instance : Inhabited ParserDescr := ⟨ParserDescr.symbol ""⟩

abbrev TrailingParserDescr := ParserDescr

end Lean
