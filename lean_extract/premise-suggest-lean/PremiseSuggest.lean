module

public import PremiseSuggest.Selector
public meta import PremiseSuggest.Selector
public meta import Lean.Elab.Tactic
public meta import Lean.Meta.Tactic.TryThis

/-! `import PremiseSuggest` makes premise-suggest what `grind +suggestions`, `simp? +suggestions`, `try?` and `hammer`
ask, and adds `#premises`, which lists premises, and `premises?`, which tries them. -/

set_library_suggestions PremiseSuggest.selector

public meta section

namespace PremiseSuggest

open Lean Meta Elab Tactic LibrarySuggestions

/-- The first premises for the main goal. -/
def premisesHere : TacticM (Array Name) := withMainContext do
  let found ← selector (← getMainGoal) { maxSuggestions := 16, caller := some "premises" }
  return found.map (·.name)

/-- `#premises` lists the premises that fit the goal, with their statements. -/
syntax (name := listPremises) "#premises" : tactic

@[tactic listPremises] def evalListPremises : Tactic := fun _ => do
  for premise in ← premisesHere do
    logInfo (MessageData.signature premise)

/-- How many goals a tactic leaves; none if it fails. -/
def goalsAfter (tactic : TSyntax `tactic) : TacticM (Option Nat) := withoutModifyingState do
  try
    withoutRecover (evalTactic tactic)
    return some (← getUnsolvedGoals).length
  catch _ => return none

/-- `premises?` tries the premises that fit the goal, and offers what works; what closes the goal comes first. -/
syntax (name := tryPremises) "premises?" : tactic

@[tactic tryPremises] def evalTryPremises : Tactic := fun stx => do
  let mut found : Array (Nat × TSyntax `tactic) := #[]
  for name in ← premisesHere do
    let premise : Term := mkIdent (← unresolveNameGlobal name)
    for tactic in #[← `(tactic| exact $premise), ← `(tactic| apply $premise), ← `(tactic| rw [$premise:term]),
        ← `(tactic| rw [← $premise:term]), ← `(tactic| simp only [$premise:term])] do
      if let some goals ← goalsAfter tactic then
        found := found.push (goals, tactic)
        break
  if found.isEmpty then
    throwError "premises?: none of the first premises works here; `#premises` lists them"
  let sorted := found.insertionSort fun one other => one.1 < other.1
  TryThis.addSuggestions stx (sorted.map fun one => (one.2 : TryThis.Suggestion))

end PremiseSuggest
