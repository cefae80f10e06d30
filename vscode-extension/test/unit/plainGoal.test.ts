import assert from "node:assert/strict";
import { test } from "node:test";

import { askedColumn, readPlainGoal, readTermGoal, tacticStarts } from "../../src/goal/plainGoal";

test("Lean's goals are kept as it prints them, the main one first", () => {
  const goals = ["case inl\na b : ℕ\n⊢ a = b", "case inr\n⊢ b = a"];
  assert.deepEqual(readPlainGoal({ rendered: "…", goals }), { kind: "goals", text: goals.join("\n\n") });
  assert.deepEqual(readPlainGoal({ rendered: "```lean\n⊢ P\n```" }), { kind: "goals", text: "```lean\n⊢ P\n```" });
});

test("no goals are told from no proof, and what cannot be read is no proof", () => {
  assert.equal(readPlainGoal({ rendered: "no goals", goals: [] }).kind, "done");
  assert.equal(readPlainGoal({ rendered: "no goals" }).kind, "done");
  for (const answer of [null, undefined, 7, "⊢ P", [], {}, { goals: "⊢ P" }]) {
    assert.equal(readPlainGoal(answer).kind, "none");
  }
});

test("a term's goal", () => {
  assert.deepEqual(readTermGoal({ goal: "n : ℕ\n⊢ P n", range: {} }), { kind: "goals", text: "n : ℕ\n⊢ P n" });
  for (const answer of [null, {}, { goal: 3 }, { goal: "ℕ" }]) assert.equal(readTermGoal(answer).kind, "none");
});

test("at a sorry the goal before it is asked for", () => {
  const line = "  𝔸 · sorry -- sorry";
  const start = line.indexOf("sorry");
  for (const column of [0, start, start + 3, start + 5, line.length]) assert.equal(askedColumn(line, column), start);
  assert.equal(askedColumn("  exact ⟨sorry, sorry⟩", 17), 16);
  assert.equal(askedColumn("  exact ⟨sorry, sorry⟩", 2), 2, "which of two is not known");
  for (const line of ["  sorryAx P", "  x.sorry", "  «sorry»", "  -- sorry", "  simp", ""]) {
    assert.equal(askedColumn(line, 1), 1);
  }
});

test("where tactics begin before the cursor, the nearest first", () => {
  assert.deepEqual(tacticStarts("  · intro h; simp [h] -- by x", 20), [13, 4, 2]);
  assert.deepEqual(tacticStarts("theorem t : P := by rfl", 23), [20, 17, 0]);
  assert.deepEqual(tacticStarts("  rfl", 2), []);
  assert.deepEqual(tacticStarts("", 0), []);
});
