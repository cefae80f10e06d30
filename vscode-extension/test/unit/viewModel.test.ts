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
  form: "rw [Nat.add_comm]",
  doc: "",
};
const shown = { goal: "⊢ P", parts: [{ start: 2, end: 3 }], premises: [premise], tactics: [], index, warnings: ["w"], notes: ["n"] };
const answer: Suggestion = {
  ...shown,
  ...{ timings_ms: { total: 1 }, goal_number: 1, goal_count: 2, tactics_status: "tried", place: "here", replaces: null },
};
const running: Suggestion = { ...answer, tactics_status: "running" };
const FILE = "file:///a%20b/C.lean";
const where = { positionId: "position-1", file: FILE, line: 9, selected: "P" };
const progress = { stage: "embed", done: 3, total: 9 };

test("an answer is shown under the position it was made for", () => {
  const state = model.ofAnswer(running, where, progress) as Ready;
  assert.deepEqual(state, {
    ...{ kind: "ready", ...where, ...shown, goalNumber: 1, goalCount: 2, replaces: null },
    ...{ tacticsState: "running", indexing: progress },
  });
  assert.equal("indexing" in model.ofAnswer(answer, where), false);
});

test("nothing that fits is said as such, but not while tactics may still come", () => {
  assert.equal(model.ofAnswer({ ...answer, premises: [] }, where).kind, "noMatch");
  assert.equal(model.ofAnswer({ ...answer, premises: [], tactics_status: "not_asked" }, where).kind, "noMatch");
  assert.equal(model.ofAnswer({ ...running, premises: [] }, where).kind, "ready");
});

test("tactics that could not be tried are told from tactics of which none worked", () => {
  const of = (tactics_status: TacticsStatus) => (model.ofAnswer({ ...answer, tactics_status }, where) as Ready).tacticsState;
  assert.equal(of("not_asked"), "off");
  assert.equal(of("running"), "running");
  for (const status of ["tried", "partial", "without_generator"] as const) assert.equal(of(status), "done");
  const failed = TACTICS_STATUSES.filter((status) => of(status) === "failed");
  assert.deepEqual(failed, ["no_generator", "goal_broken", "no_goal", "no_file", "lean_failed"]);
  assert.equal(of("goal_not_first"), "notFirst");
});

test("whether tactics could be tried is not read from the words of a warning", () => {
  const warned = { ...answer, warnings: ["No tactics were tried: Lean is missing."] };
  assert.equal((model.ofAnswer(warned, where) as Ready).tacticsState, "done");
  const other = { ...answer, tactics_status: "lean_failed" as const, warnings: ["Lean fehlt."] };
  assert.equal((model.ofAnswer(other, where) as Ready).tacticsState, "failed");
});

test("failures, by what a person can do about them", () => {
  const of = (kind: string, indexing?: typeof progress): ViewState =>
    model.ofFailure({ message: "M.", hint: "H.", kind }, FILE, indexing);
  assert.deepEqual(of("NoGoalHere"), { kind: "noGoal", reason: "noGoals" });
  for (const kind of ["LeanNotFound", "LeanDied", "LeanTimeout"]) {
    assert.deepEqual(of(kind), { kind: "noLean", message: "M.", hint: "H." });
  }
  assert.deepEqual(of("IndexMissing"), { kind: "failed", message: "M.", hint: "H." });
  assert.deepEqual(of("IndexMissing", progress), { kind: "indexing", ...progress });
  assert.deepEqual(of("ModelError", progress), { kind: "failed", message: "M.", hint: "H." });
});

test("a closed goal is one, whatever else the answer has", () => {
  assert.deepEqual(model.ofAnswer({ ...answer, place: "closed", goal: "" }, where), { kind: "closed" });
});

test("the tactic that a suggestion replaces is known where the goal is the one before it", () => {
  const replaces = { line: 9, column: 3, end_line: 9, end_column: 18 };
  assert.deepEqual((model.ofAnswer({ ...answer, place: "before", replaces }, where) as Ready).replaces, replaces);
  assert.equal((model.ofAnswer({ ...answer, place: "here", replaces }, where) as Ready).replaces, null);
});

const UNREAD: ViewState = model.ofFailure({ message: "Line 12, column 7 cannot be read: expected term.", hint: "H.", kind: "TextUnread" }, FILE);

test("where Lean stops reading is taken from its words", () => {
  const place = { file: FILE, line: 12, column: 7 };
  assert.deepEqual(UNREAD, { kind: "unread", message: "Line 12, column 7 cannot be read: expected term.", hint: "H.", place });
  const of = (message: string): ViewState => model.ofFailure({ message, hint: "", kind: "TextUnread" }, FILE);
  assert.deepEqual(of("Lean stops at line 4."), { kind: "unread", message: "Lean stops at line 4.", hint: "", place: { ...place, line: 4, column: 1 } });
  const both = { message: "Lean cannot read A.lean up to line 9: line 7 has an error.", hint: "Correct line 7.", kind: "TextUnread" };
  assert.deepEqual(model.ofFailure(both, FILE), { kind: "unread", message: both.message, hint: both.hint, place: { ...place, line: 7, column: 1 } });
  assert.deepEqual(of("Unterminated comment."), { kind: "unread", message: "Unterminated comment.", hint: "", place: null });
});

test("while the text changes, the last list stays over what an unfinished line brings", () => {
  const list = model.asBusy(model.asStale(model.ofAnswer(running, where)));
  const kept = model.afterFailure(list, UNREAD, true) as Ready;
  assert.deepEqual([kept.kind, kept.stale, kept.busy, kept.premises, kept.trouble?.place?.line], ["ready", true, false, [premise], 12]);
  assert.equal(model.isUnsettled(kept), false);
  const died: ViewState = { kind: "noLean", message: "M.", hint: "H." };
  assert.deepEqual((model.afterFailure(list, died, true) as Ready).trouble, { message: "M. H.", place: null });
});

test("the list does not stay at another proof, outside of proofs, or where the text is as it was", () => {
  const list = model.asStale(model.ofAnswer(answer, where));
  assert.equal(model.afterFailure(list, UNREAD, false), UNREAD);
  assert.equal(model.afterFailure(model.ofAnswer(answer, where), UNREAD, true), UNREAD);
  const outside: ViewState = { kind: "noGoal", reason: "noGoals" };
  assert.equal(model.afterFailure(list, outside, true), outside);
});

test("progress is put into what is shown, and taken out when the index run is over", () => {
  const status = { root: "/p", indexing: true, ...progress, index: null };
  assert.deepEqual(model.progressOf(status), progress);
  assert.equal(model.progressOf({ ...status, indexing: false }), undefined);
  assert.equal(model.progressOf(undefined), undefined);
  const ready = model.ofAnswer(answer, where);
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
  const busy = model.asBusy(model.ofAnswer(running, where));
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
