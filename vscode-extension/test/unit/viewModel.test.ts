import assert from "node:assert/strict";
import { test } from "node:test";

import { TACTICS_STATUSES, type IndexItem, type Suggestion, type TacticsStatus } from "../../src/generated/answers";
import { crashedAtStart, gaveUp, lastWords, packageMissing, UNTRUSTED } from "../../src/server/problems";
import type { Ready, ViewState } from "../../src/view/state";
import * as model from "../../src/viewModel";

const index: IndexItem = {
  sources: [],
  built_at: null,
  stale_files: 0,
  lean: null,
  line: "up to date",
  state: "consulted",
};
const premise = {
  name: "Nat.add_comm",
  statement: "(n m : ℕ) : n + m = m + n",
  module: "Init",
  kind: "theorem",
  score: 1,
  in_scope: true,
  import: null,
  doc_url: null,
  rests_on_sorry: false,
  has_error: false,
  deprecated: false,
  replaced_by: "",
  explanation: [],
  why: "",
};
const shown = { goal: "⊢ P", parts: [{ start: 2, end: 3 }], premises: [premise], tactics: [], index, warnings: ["w"], notes: ["n"] };
const answer: Suggestion = { ...shown, timings_ms: { total: 1 }, goal_number: 1, goal_count: 1, tactics_status: "tried" };
const running: Suggestion = { ...answer, tactics_status: "running" };
const asked = { positionId: "position-1", file: "file:///a%20b/C.lean", selected: "P" };
const progress = { stage: "embed", done: 3, total: 9 };

test("an answer is shown under the position it was made for", () => {
  const state = model.ofAnswer(running, asked, progress) as Ready;
  assert.deepEqual(state, { kind: "ready", ...asked, ...shown, tacticsState: "running", indexing: progress });
  assert.equal("indexing" in model.ofAnswer(answer, asked), false);
});

test("nothing that fits is said as such, but not while tactics may still come", () => {
  assert.equal(model.ofAnswer({ ...answer, premises: [] }, asked).kind, "noMatch");
  assert.equal(model.ofAnswer({ ...answer, premises: [], tactics_status: "not_asked" }, asked).kind, "noMatch");
  assert.equal(model.ofAnswer({ ...running, premises: [] }, asked).kind, "ready");
});

test("tactics that could not be tried are told from tactics of which none worked", () => {
  const of = (tactics_status: TacticsStatus) => (model.ofAnswer({ ...answer, tactics_status }, asked) as Ready).tacticsState;
  assert.equal(of("not_asked"), "off");
  assert.equal(of("running"), "running");
  for (const status of ["tried", "partial", "without_generator"] as const) assert.equal(of(status), "done");
  const failed = TACTICS_STATUSES.filter((status) => of(status) === "failed");
  assert.deepEqual(failed, ["no_generator", "goal_not_first", "goal_broken", "no_goal", "no_file", "lean_failed"]);
});

test("whether tactics could be tried is not read from the words of a warning", () => {
  const warned = { ...answer, warnings: ["No tactics were tried: Lean is missing."] };
  assert.equal((model.ofAnswer(warned, asked) as Ready).tacticsState, "done");
  const other = { ...answer, tactics_status: "lean_failed" as const, warnings: ["Lean fehlt."] };
  assert.equal((model.ofAnswer(other, asked) as Ready).tacticsState, "failed");
});

test("failures, by what a person can do about them", () => {
  const of = (kind: string, indexing?: typeof progress): ViewState =>
    model.ofFailure({ message: "M.", hint: "H.", kind }, indexing);
  assert.deepEqual(of("NoGoalHere"), { kind: "noGoal", reason: "noGoals" });
  for (const kind of ["LeanNotFound", "LeanDied", "LeanTimeout"]) {
    assert.deepEqual(of(kind), { kind: "noLean", message: "M.", hint: "H." });
  }
  assert.deepEqual(of("IndexMissing"), { kind: "failed", message: "M.", hint: "H." });
  assert.deepEqual(of("IndexMissing", progress), { kind: "indexing", ...progress });
  assert.deepEqual(of("ModelError", progress), { kind: "failed", message: "M.", hint: "H." });
});

test("progress is put into what is shown, and taken out when the index run is over", () => {
  const status = { root: "/p", indexing: true, ...progress, index: null };
  assert.deepEqual(model.progressOf(status), progress);
  assert.equal(model.progressOf({ ...status, indexing: false }), undefined);
  assert.equal(model.progressOf(undefined), undefined);
  const ready = model.ofAnswer(answer, asked);
  const during = model.withProgress(ready, progress);
  assert.deepEqual(during, { ...ready, indexing: progress });
  assert.deepEqual(model.withProgress(during, undefined), ready);
  assert.deepEqual(model.withProgress({ kind: "indexing", ...progress }, { ...progress, done: 4 }), {
    kind: "indexing",
    ...progress,
    done: 4,
  });
  assert.deepEqual(model.withProgress({ kind: "starting", busy: true }, progress), { kind: "indexing", busy: true, ...progress });
  const waiting = model.withProgress({ kind: "indexing", ...progress }, undefined);
  assert.deepEqual(waiting, { kind: "noGoal", reason: "unsettled", busy: true });
  const starting: ViewState = { kind: "starting" };
  assert.equal(model.withProgress(starting, undefined), starting);
  const failed: ViewState = { kind: "failed", message: "", hint: "" };
  assert.equal(model.withProgress(failed, progress), failed);
});

test("what will get no more is not shown as if more would come", () => {
  const busy = model.asBusy(model.ofAnswer(running, asked));
  assert.equal(model.isUnsettled(busy), true);
  const settled = model.asSettled(busy) as Ready;
  assert.equal(model.isUnsettled(settled), false);
  assert.equal(settled.tacticsState, "off");
  assert.equal(model.isUnsettled({ kind: "noGoal", reason: "noGoals" }), false);
});

test("a server that cannot be had, with what to do", () => {
  assert.deepEqual(model.ofProblem(UNTRUSTED).reason, "untrusted");
  assert.deepEqual(model.ofProblem(packageMissing("/usr/bin/python3")).reason, "missing");
  const crashed = crashedAtStart("Traceback (most recent call last):\r\n  File x\r\nModuleNotFoundError: No module named 'pygls'\r\n\r\n");
  assert.match(crashed.message, /could not start: ModuleNotFoundError: No module named 'pygls'$/);
  assert.match(crashedAtStart(" \n").message, /ended as soon as it was started/);
  assert.match(gaveUp(3).message, /was restarted 3 times/);
  assert.equal(lastWords("x".repeat(500)).length, 200);
});
