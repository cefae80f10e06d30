module

public import Lean.LibrarySuggestions.Basic
public import Lean.LibrarySuggestions.SineQuaNon

/-! Library suggestions from `premise-suggest http`, by the interface of LeanPremise. -/

open Lean Meta LibrarySuggestions

namespace PremiseSuggest

public register_option premiseSuggest.url : String := {
  defValue := "http://127.0.0.1:8765"
  descr := "where `premise-suggest http` listens"
}

initialize registerTraceClass `premiseSuggest

/-- The names of the server's premises for a printed state, best first. Throws where there is no answer in 5 s. -/
def retrieve (state caller : String) (k : Nat) : CoreM (Array Name) := do
  let body := Json.mkObj [("state", toJson state), ("caller", toJson caller), ("k", toJson k)]
  let child ← IO.Process.spawn {
    cmd := "curl"
    args := #["--silent", "--show-error", "--fail", "--max-time", "5", "--noproxy", "127.0.0.1,localhost",
      "--header", "Content-Type: application/json", "--data-binary", "@-",
      premiseSuggest.url.get (← getOptions) ++ "/retrieve"]
    stdin := .piped, stdout := .piped, stderr := .piped }
  let (stdin, child) ← child.takeStdin
  stdin.putStr body.compress
  stdin.flush
  let answer ← child.stdout.readToEnd
  let problem ← child.stderr.readToEnd
  if (← child.wait) != 0 then throwError "premise-suggest did not answer: {problem}"
  let found ← ofExcept (Json.parse answer >>= Json.getArr?)
  found.mapM fun one => ofExcept (one.getObjValAs? Name "name")

/-- Lean's own suggestions, as `Lean.LibrarySuggestions.Default` has them. -/
def leansOwn : Selector := sineQuaNonSelector.filterGrindAnnotated.intersperse currentFile

/-- The premises that a local premise-suggest ranks first, of those that are in scope; Lean's own without a server. -/
public def selector : Selector := fun goal config => do
  let state := (← ppGoal goal).pretty
  try
    let env ← getEnv
    let mut kept : Array Suggestion := #[]
    for name in ← retrieve state (config.caller.getD "") (min 1024 (4 * config.maxSuggestions)) do
      if kept.size < config.maxSuggestions && env.contains name && !isDeniedPremise env name then
        if ← config.filter name then
          kept := kept.push { name, score := 1.0 / (kept.size + 1).toFloat }
    return kept
  catch problem =>
    trace[premiseSuggest] problem.toMessageData
    leansOwn goal config

end PremiseSuggest
