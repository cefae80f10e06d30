/**
 * When the rows of the list may move. Pure.
 *
 * While Lean tries tactics, and as long as a person has the mouse or the keyboard in the list, rows keep their places:
 * what is new goes below what is there. The list is put in order once neither is so any more.
 */

import type { Ready, ViewState } from "./state";

/**
 * `free`: in the answer's order; `slots`: a first round, for whose tactics places are kept free; `frozen`: another round
 * for a goal whose tactics are shown, or a list that a person is in: it keeps the size that it has.
 */
export type Hold = "free" | "slots" | "frozen";

export interface Round {
  /** What the rows are for: another goal's are others. */
  readonly about: string;
  readonly hold: Hold;
  /** How many tactics have a place; of no meaning where the hold is `free`. */
  readonly slots: number;
}

/** What a person and the window allow. */
export interface Circumstances {
  /** Whether the mouse or the keyboard is in the list. */
  readonly held: boolean;
  /** How many tactics are shown while the rest is folded away. */
  readonly capacity: number;
  /** How many tactics are shown now. */
  readonly shown: number;
}

/** The round that a state belongs to, after the one before it. */
export function nextRound(before: Round | null, state: ViewState, { held, capacity, shown }: Circumstances): Round | null {
  if (state.kind !== "ready") return null;
  const about = identity(state);
  const running = state.tacticsState === "running";
  if (before?.about !== about) return { about, hold: running ? "slots" : "free", slots: capacity };
  if (!running && !held) return { about, hold: "free", slots: capacity };
  return before.hold === "free" ? { about, hold: "frozen", slots: shown } : before;
}

function identity({ file, goal, goalNumber, selected }: Ready): string {
  return JSON.stringify([file, goal, goalNumber, selected]);
}
