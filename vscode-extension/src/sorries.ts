/** Where the cursor is among the `sorry`s of its file. Pure: lines and columns count from 1, columns in code points. */

import type { SorryItem } from "./generated/answers";
import type { Place, Sorries } from "./view/state";

type Spot = Pick<SorryItem, "line" | "column">;

const LENGTH = "sorry".length;

function compare(one: Spot, other: Spot): number {
  return one.line - other.line || one.column - other.column;
}

/** Whether the cursor is on the word or at one of its ends. */
function touches(cursor: Spot, sorry: Spot): boolean {
  return cursor.line === sorry.line && cursor.column >= sorry.column && cursor.column <= sorry.column + LENGTH;
}

/** The `sorry` after the cursor, or before it; beyond the last one comes the first. Null where there is no other. */
export function sorryBeside(all: readonly SorryItem[], cursor: Spot, step: "next" | "previous"): SorryItem | null {
  const others = all.filter((one) => !touches(cursor, one));
  const found =
    step === "next"
      ? (others.find((one) => compare(one, cursor) > 0) ?? others[0])
      : (others.findLast((one) => compare(one, cursor) < 0) ?? others.at(-1));
  return found ?? null;
}

/** The `sorry`s of a file, seen from the cursor. */
export function sorriesAt(all: readonly SorryItem[], cursor: Spot, file: string): Sorries {
  const at = all.findIndex((one) => touches(cursor, one));
  const next = sorryBeside(all, cursor, "next");
  return { total: all.length, at: at < 0 ? null : at + 1, next: next && placeOf(next, file) };
}

export function placeOf({ line, column }: Spot, file: string): Place {
  return { file, line, column };
}

/** The column, from 1, in code points, of a UTF-16 offset in a line. */
export function columnAt(line: string, character: number): number {
  return [...line.slice(0, character)].length + 1;
}

/** The UTF-16 offset in a line of a column, from 1, in code points. */
export function characterAt(line: string, column: number): number {
  return [...line].slice(0, Math.max(0, column - 1)).join("").length;
}
