/** What Lean's server answers about goals, and where to ask it. Pure; positions are LSP's, columns in UTF-16 units. */

import { isRecord } from "../wire";

/** Lean's answer for a position: its goals as one text, that none are left, or that there is no proof. */
export type Goals = { readonly kind: "goals"; readonly text: string } | { readonly kind: "done" } | { readonly kind: "none" };

/** The answer to `$/lean/plainGoal`. All goals are kept, the main one first, a blank line between two. */
export function readPlainGoal(answer: unknown): Goals {
  if (!isRecord(answer)) return { kind: "none" };
  const { goals, rendered } = answer;
  if (Array.isArray(goals)) {
    const texts = goals.filter((goal) => typeof goal === "string" && goal.trim() !== "");
    return texts.length === 0 ? { kind: "done" } : { kind: "goals", text: texts.join("\n\n") };
  }
  if (typeof rendered !== "string" || rendered.trim() === "") return { kind: "none" };
  return rendered.includes("⊢") ? { kind: "goals", text: rendered } : { kind: "done" };
}

/** The answer to `$/lean/plainTermGoal`. */
export function readTermGoal(answer: unknown): Goals {
  const goal = isRecord(answer) ? answer["goal"] : undefined;
  return typeof goal === "string" && goal.includes("⊢") ? { kind: "goals", text: goal } : { kind: "none" };
}

const SORRY = /(?<![\p{L}\p{N}_.'«])sorry(?![\p{L}\p{N}_.'!?»])/gu;
const STARTS = /(?:^\s*|(?<![\p{L}\p{N}_.'])(?:by|then|else|do)\s+|(?:<;>|=>|:=|[·.;({⟨|])\s*)(?=\S)/gu;
const MOST_STARTS = 3;

/** The column to ask at: where the `sorry` begins that the cursor touches, or the only one of the line; else the cursor's. */
export function askedColumn(line: string, column: number): number {
  const spans = [...withoutComment(line).matchAll(SORRY)].map((match) => match.index);
  const touched = spans.find((start) => start <= column && column <= start + "sorry".length);
  return touched ?? (spans.length === 1 ? spans[0] : undefined) ?? column;
}

/** Where tactics begin on the line before the cursor, the nearest first: the goal there is used if none is left. */
export function tacticStarts(line: string, column: number): readonly number[] {
  const ends = [...withoutComment(line).matchAll(STARTS)].map((match) => match.index + match[0].length);
  return ends.filter((start) => start < column).reverse().slice(0, MOST_STARTS);
}

function withoutComment(line: string): string {
  const start = line.indexOf("--");
  return start < 0 ? line : line.slice(0, start);
}
