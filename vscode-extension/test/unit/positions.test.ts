import assert from "node:assert/strict";
import { test } from "node:test";

import { cursorAfter } from "../../src/actions/edits";
import { shifted, TrackedPositions, type Change, type TextPosition } from "../../src/positions";

function offsetOf(text: string, { line, character }: TextPosition): number {
  const lines = text.split("\n").slice(0, line);
  return lines.reduce((sum, one) => sum + one.length + 1, 0) + character;
}

function positionOf(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length - 1, character: (before.at(-1) ?? "").length };
}

function apply(text: string, change: Change): string {
  return text.slice(0, offsetOf(text, change.start)) + change.text + text.slice(offsetOf(text, change.end));
}

test("a position stays before the character it stood before, whatever else changes", () => {
  const text = "theorem t : P := by\n  simp\n  sorry\nend\n";
  const inserted = ["", "x", "abc\n", "\n\n  y"];
  for (let at = 0; at < text.length; at++) {
    for (let start = 0; start < text.length; start++) {
      for (const end of [start, start + 1, start + 5].filter((one) => one <= text.length)) {
        for (const piece of inserted) {
          const change = { start: positionOf(text, start), end: positionOf(text, end), text: piece };
          const moved = shifted(positionOf(text, at), change);
          const now = apply(text, change);
          if (start < at && at < end) assert.equal(moved, null);
          else if (at === start && end > start) assert.deepEqual(moved, positionOf(text, at));
          else assert.deepEqual(moved, positionOf(now, at < start ? at : at + piece.length - (end - start)));
        }
      }
    }
  }
});

test("what is typed at a position goes before it", () => {
  const position = { line: 3, character: 2 };
  assert.deepEqual(shifted(position, { start: position, end: position, text: "exact " }), { line: 3, character: 8 });
  assert.deepEqual(shifted(position, { start: position, end: position, text: "simp\r\n  " }), { line: 4, character: 2 });
});

test("several changes of one edit, in whatever order they are reported", () => {
  const changes: Change[] = [
    { start: { line: 0, character: 0 }, end: { line: 0, character: 0 }, text: "import A\n" },
    { start: { line: 4, character: 1 }, end: { line: 4, character: 3 }, text: "longer" },
  ];
  for (const reported of [changes, [...changes].reverse()]) {
    const positions = new TrackedPositions();
    const id = positions.add("file:///a%20b.lean", { line: 4, character: 5 });
    positions.changed("file:///other.lean", reported);
    assert.deepEqual(positions.find(id)?.position, { line: 4, character: 5 });
    positions.changed("file:///a%20b.lean", reported);
    assert.deepEqual(positions.find(id)?.position, { line: 5, character: 9 });
  }
});

test("a position whose text is gone stays gone, and only the latest are kept", () => {
  const positions = new TrackedPositions(2);
  const gone = positions.add("u", { line: 1, character: 4 });
  positions.changed("u", [{ start: { line: 1, character: 0 }, end: { line: 2, character: 0 }, text: "" }]);
  positions.changed("u", [{ start: { line: 0, character: 0 }, end: { line: 0, character: 0 }, text: "x" }]);
  assert.equal(positions.find(gone)?.position, null);
  positions.add("u", { line: 0, character: 0 });
  positions.add("u", { line: 0, character: 0 });
  assert.equal(positions.find(gone), undefined);
});

test("the cursor goes behind what was inserted, also where an import came in above", () => {
  const importLine = { range: { start: { line: 2, character: 0 }, end: { line: 2, character: 0 } }, newText: "import M\n" };
  const tactic = { range: { start: { line: 9, character: 2 }, end: { line: 9, character: 7 } }, newText: "by exact foo\n  bar" };
  assert.deepEqual(cursorAfter([tactic], "exact foo\n  bar"), { line: 10, character: 5 });
  assert.deepEqual(cursorAfter([importLine, tactic], "exact foo\n  bar"), { line: 11, character: 5 });
  assert.deepEqual(cursorAfter([tactic, importLine], "exact foo\n  bar"), { line: 11, character: 5 });
  assert.equal(cursorAfter([], "x"), null);
  const module = { range: importLine.range, newText: "import Mathlib.Data.Nat.Prime.Basic\n" };
  const name = { range: tactic.range, newText: "Nat.Prime" };
  assert.deepEqual(cursorAfter([module, name], "Nat.Prime"), { line: 10, character: 11 });
});
