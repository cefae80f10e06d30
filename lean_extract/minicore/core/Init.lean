prelude
import MiniCore.Logic
import MiniCore.Numbers
import MiniCore.Data
import MiniCore.Meta
import MiniCore.Macro
import MiniCore.Notation
import MiniCore.Tactic
import MiniCore.Lemmas
import MiniCore.Basic
import MiniCore.Grind

/-!
# The mini core

A small core library of this project's own. Its root has the name that Lean imports by default, so
that ordinary files can be elaborated on it. It is not Lean's own core library.
-/
