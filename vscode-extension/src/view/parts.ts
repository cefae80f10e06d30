/** The goal's target as nested parts that can be selected. Pure. */

import type { PartItem } from "../generated/answers";

/** A subexpression: its text, which is that of its pieces, in order. */
export interface Part {
  readonly text: string;
  readonly pieces: readonly Piece[];
}

export type Piece = string | Part;

/** A goal's hypotheses, and its target with the parts in it. */
export interface SplitGoal {
  readonly above: string;
  readonly target: readonly Piece[];
}

/** One name or number: there is nothing in it to rewrite. */
const ATOM = /^(?:[\p{L}\p{N}\p{M}_'!?.✝✶]|«[^»]*»)+$/u;

interface Open {
  readonly start: number;
  readonly end: number;
  readonly pieces: Piece[];
  at: number;
}

/** Split a goal before its last `⊢`; single names, and parts that do not nest or lie outside of the target, are left out. */
export function splitGoal(goal: string, parts: readonly PartItem[]): SplitGoal {
  const cut = Math.max(goal.lastIndexOf("⊢"), 0);
  const offsets = offsetsOf(goal);
  const open: Open[] = [{ start: cut, end: goal.length, pieces: [], at: cut }];
  for (const { start, end } of parts) {
    const [from, to] = [offsets[start], offsets[end]];
    if (from === undefined || to === undefined || from >= to || ATOM.test(goal.slice(from, to))) continue;
    while (open.length > 1 && last(open).end <= from) close(goal, open);
    const outer = last(open);
    if (from < outer.at || to > outer.end) continue;
    open.push({ start: from, end: to, pieces: [], at: from });
  }
  while (open.length > 1) close(goal, open);
  fill(goal, last(open), goal.length);
  return { above: goal.slice(0, cut).trimEnd(), target: last(open).pieces };
}

/** Put the innermost open part into the one around it. */
function close(goal: string, open: Open[]): void {
  const part = open.pop() as Open;
  fill(goal, part, part.end);
  const outer = last(open);
  fill(goal, outer, part.start);
  outer.pieces.push({ text: goal.slice(part.start, part.end), pieces: part.pieces });
  outer.at = part.end;
}

function fill(goal: string, part: Open, upto: number): void {
  if (upto > part.at) part.pieces.push(goal.slice(part.at, upto));
  part.at = upto;
}

function last(open: readonly Open[]): Open {
  return open[open.length - 1] as Open;
}

/** The offset in UTF-16 units of each code point, and of the end. */
function offsetsOf(text: string): readonly number[] {
  const offsets = [0];
  for (const character of text) offsets.push((offsets[offsets.length - 1] as number) + character.length);
  return offsets;
}
