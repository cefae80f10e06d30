import assert from "node:assert/strict";
import { test } from "node:test";

import { sameDeclaration } from "../../src/declarations";
import { characterAt, columnAt, sorriesAt, sorryBeside } from "../../src/sorries";

const all = [
  { line: 3, column: 3, declaration: "a" },
  { line: 9, column: 3, declaration: "b" },
  { line: 9, column: 20, declaration: "b" },
];
const FILE = "file:///A.lean";

test("from sorry to sorry, round the file", () => {
  const beside = (line: number, column: number) =>
    (["next", "previous"] as const).map((step) => {
      const found = sorryBeside(all, { line, column }, step);
      return found && [found.line, found.column];
    });
  assert.deepEqual(beside(1, 1), [[3, 3], [9, 20]]);
  assert.deepEqual(beside(3, 8), [[9, 3], [9, 20]], "at the end of the first");
  assert.deepEqual(beside(9, 4), [[9, 20], [3, 3]], "inside the second");
  assert.deepEqual(beside(9, 20), [[3, 3], [9, 3]]);
  assert.deepEqual(beside(9, 10), [[9, 20], [9, 3]]);
  assert.equal(sorryBeside([], { line: 1, column: 1 }, "next"), null);
  assert.equal(sorryBeside(all.slice(0, 1), { line: 3, column: 5 }, "next"), null, "there is no other");
});

test("which of how many", () => {
  assert.deepEqual(sorriesAt(all, { line: 9, column: 8 }, FILE), { total: 3, at: 2, next: { file: FILE, line: 9, column: 20 } });
  assert.deepEqual(sorriesAt(all, { line: 9, column: 9 }, FILE).at, null);
  assert.deepEqual(sorriesAt([], { line: 1, column: 1 }, FILE), { total: 0, at: null, next: null });
});

test("columns are counted in characters, of which some are two units of UTF-16", () => {
  const line = "  𝔸 𝕜 sorry";
  assert.equal(columnAt(line, line.indexOf("sorry")), 7);
  assert.equal(characterAt(line, 7), line.indexOf("sorry"));
  assert.equal(characterAt(line, 99), line.length);
});

test("lines of one proof are told from those of another", () => {
  const text = ["theorem a : p := by", "  exact ", "", "  sorry", "-- a note", "theorem b : q := by", "| zero => rfl", "@[simp]", "end A"];
  const same = (one: number, other: number): boolean => sameDeclaration((line) => text[line] ?? "", one, other);
  assert.equal(same(1, 3), true);
  assert.equal(same(3, 0), true);
  assert.equal(same(3, 5), false);
  assert.equal(same(6, 5), true);
  assert.equal(same(6, 7), false);
  assert.equal(same(7, 8), false);
});
