import assert from "node:assert/strict";
import { test } from "node:test";

import * as wire from "../../src/wire";

const index = {
  sources: [],
  built_at: "2026-07-01T00:00:00Z",
  stale_files: 2,
  lean: "4.35.0",
  line: "L",
  state: "warming",
};
const rubbish = [null, undefined, 1, "x", [], {}, { goal: 1 }, { index: null }, { goal: "⊢ P", index: {} }];

test("an answer is read as the server sends it; what is missing is empty", () => {
  const whole = {
    goal: "⊢ P",
    premises: [{ name: "a" }],
    tactics: [],
    index,
    timings_ms: { total: 2.5 },
    warnings: ["w"],
    notes: [],
    goal_number: 2,
    goal_count: 3,
    tactics_status: "lean_failed",
    parts: [{ start: 2, end: 3 }],
    place: "before",
    replaces: { line: 9, column: 3, end_line: 9, end_column: 8 },
  };
  assert.deepEqual(wire.readSuggestion(whole), whole);
  assert.deepEqual(wire.readSuggestion({ goal: "⊢ P", index }), {
    ...{ goal: "⊢ P", premises: [], tactics: [], index, timings_ms: {}, warnings: [], notes: [] },
    ...{ goal_number: 1, goal_count: 1, tactics_status: "tried", parts: [] },
    ...{ place: "here", replaces: null },
  });
  assert.equal(wire.readSuggestion({ ...whole, tactics_status: "of a later version" })?.tactics_status, "tried");
  assert.deepEqual(wire.readSuggestion({ ...whole, timings_ms: { total: "1", goal: 2 } })?.timings_ms, { goal: 2 });
  assert.equal(wire.readSuggestion({ ...whole, replaces: { line: 9 } })?.replaces, null);
  for (const value of rubbish) assert.equal(wire.readSuggestion(value), null);
});

test("a part of an answer has tactics alone", () => {
  assert.deepEqual(wire.readTactics({ tactics: [{ tactic: "rfl" }, 3] }), [{ tactic: "rfl" }]);
  assert.equal(wire.readTactics({ tactics: "rfl" }), null);
  assert.equal(wire.readTactics(null), null);
});

test("a search's answer and an index's status", () => {
  assert.equal(wire.readSearch({ kind: "goal", premises: [], index })?.kind, "goal");
  for (const value of rubbish) assert.equal(wire.readSearch(value), null);
  const status = { root: "C:\\my proj", indexing: true, stage: "embed", done: 1, total: 4, index };
  assert.deepEqual(wire.readStatus(status), status);
  assert.deepEqual(wire.readStatus({ root: "/p", done: -1, total: Number.NaN }), {
    root: "/p",
    indexing: false,
    stage: "",
    done: 0,
    total: 0,
    index: null,
  });
  assert.equal(wire.readStatus({ indexing: true }), null);
});

test("who uses a declaration", () => {
  const use = { name: "a", kind: "theorem", module: "M", path: "/p/M.lean", line: 3, deprecated: false };
  const answer = { premise: { name: "b" }, used_by: [use, 1], used_by_count: 7, uses: null, index, notes: ["N", 2] };
  const found = wire.readUses(answer);
  assert.deepEqual(found?.used_by, [use]);
  assert.deepEqual([found?.used_by_count, found?.uses, found?.uses_count, found?.notes], [7, [], 0, ["N"]]);
  for (const value of [...rubbish, { ...answer, premise: null }]) assert.equal(wire.readUses(value), null);
});

test("the sorrys of a document, and the index after a run that was not stopped", () => {
  const sorry = { line: 3, column: 5, declaration: "a" };
  assert.deepEqual(wire.readSorries({ sorries: [sorry, null] }), [sorry]);
  assert.deepEqual(wire.readSorries(null), []);
  assert.equal(wire.readIndexed({ premises: 3, stopped: false, index })?.line, "L");
  assert.equal(wire.readIndexed({ premises: 3, stopped: true, index }), null);
  assert.equal(wire.readIndexed(null), null);
});

test("edits are taken whole or not at all", () => {
  const edit = { range: { start: { line: 1, character: 2 }, end: { line: 1, character: 7 } }, newText: "rfl" };
  assert.deepEqual(wire.readEdits({ edits: [edit] }), { edits: [edit], cursor: null, tactic: "", status: null });
  const cursor = { line: 3, character: 4 };
  const whole = { edits: [edit], cursor, tactic: "rw [a]", status: "fails" };
  assert.deepEqual(wire.readEdits({ ...whole, version: 3 }), whole);
  assert.deepEqual(wire.readEdits({ ...whole, cursor: { line: 3 }, status: "sure" }), { ...whole, cursor: null, status: null });
  assert.equal(wire.readEdits({ edits: [edit, { newText: "x" }] }), null);
  assert.equal(wire.readEdits({ edits: [{ ...edit, range: { start: { line: "1" } } }] }), null);
  assert.equal(wire.readEdits(null), null);
});

test("a declaration, and only a page that can be opened safely", () => {
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } };
  const location = { uri: "file:///c%3A/my%20proj/A.lean", range };
  assert.deepEqual(wire.readDeclaration({ location, docUrl: "https://x.org/#a" }), { location, docUrl: "https://x.org/#a", doc: "", statement: "", reading: "" });
  assert.equal(wire.readDeclaration({ doc: "Words.", statement: 3 }).doc, "Words.");
  for (const value of [null, {}, { location: { uri: 3 }, docUrl: "file:///etc/passwd" }, { location: {}, docUrl: 1 }]) {
    assert.deepEqual(wire.readDeclaration(value), { location: null, docUrl: null, doc: "", statement: "", reading: "" });
  }
});

test("a failure, in the server's words where it sent some", () => {
  const error = Object.assign(new Error("Lean ended."), { code: -32803, data: { hint: "Restart it.", kind: "LeanDied" } });
  assert.deepEqual(wire.readFailure(error), { message: "Lean ended.", hint: "Restart it.", kind: "LeanDied" });
  assert.equal(wire.sentence(wire.readFailure(error)), "Lean ended. Restart it.");
  assert.deepEqual(wire.readFailure("no connection"), { message: "no connection", hint: "", kind: "" });
  assert.equal(wire.isPassing(error), false);
  assert.equal(wire.isPassing(Object.assign(new Error("cancelled"), { code: -32800 })), true);
});
