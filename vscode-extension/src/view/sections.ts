/** The content of the list, in order. Pure. */

import type { PremiseItem, TacticItem, TacticVerdict } from "../generated/answers";
import { counted } from "./format";
import type { Pin, Ready, TacticsState, ViewState } from "./state";

/** A tactic in the list. */
export interface TacticRow {
  readonly kind: "tactic";
  readonly key: string;
  readonly tactic: TacticItem;
}

/** A premise in the list. */
export interface PremiseRow {
  readonly kind: "premise";
  readonly key: string;
  readonly premise: PremiseItem;
  readonly pinned: boolean;
}

export type Row = TacticRow | PremiseRow;

/** Rows under one heading. */
export interface Section {
  readonly id: "tactics" | "pinned" | "premises";
  readonly title: string;
  /** The text in place of rows if there are none, or what is still in progress. */
  readonly note: string;
  readonly running: boolean;
  readonly rows: readonly Row[];
  /** How many rows there are, those that are folded away among them. */
  readonly count: number;
  /** Whether all rows are shown, if there are enough for the list to fold; otherwise null. */
  readonly unfolded: boolean | null;
}

/** How many tactics are above the premises while the rest is folded away. */
export const FOLDED = 5;

/** How much of a long list of tactics is shown. */
export interface Fold {
  readonly unfolded: boolean;
  /** The row that a person is at, by key: it is never folded away under their hand. */
  readonly held: string | null;
}

const FOLDED_UP: Fold = { unfolded: false, held: null };

/** The sections of a state: tactics, what is pinned, and the premises that fit. */
export function sections(state: ViewState, pins: readonly Pin[], fold: Fold = FOLDED_UP): Section[] {
  const ready = state.kind === "ready" ? state : null;
  const found: Section[] = [];
  if (ready !== null && ready.tacticsState !== "off") found.push(tacticSection(ready, fold));
  if (pins.length > 0) found.push(pinnedSection(ready, pins));
  if (ready !== null) found.push(premiseSection(ready, pins));
  return found;
}

/** Names a premise in the list, whichever section it is in: its row keeps the focus when it is pinned. */
export function premiseKey(premise: PremiseItem): string {
  return `premise ${premise.module} ${premise.name}`;
}

const TACTIC_NOTES: Readonly<Record<TacticsState, string>> = {
  off: "",
  running: "Trying tactics in Lean…",
  done: "Lean accepted none of those tried.",
  failed: "Tactics could not be tried.",
};

/** The tactics that are shown, from top to bottom: what closes the goal, what is a step, what cannot be judged. */
const SHOWN: readonly TacticVerdict[] = ["closes", "progress", "unjudged"];

function tacticRows(tactics: readonly TacticItem[]): TacticRow[] {
  const rows = SHOWN.flatMap((status) => tactics.filter((tactic) => tactic.status === status)).map(
    (tactic): TacticRow => ({ kind: "tactic", key: `tactic ${tactic.tactic}`, tactic }),
  );
  return unique(rows);
}

function tacticSection(ready: Ready, fold: Fold): Section {
  const rows = tacticRows(ready.tactics);
  const folds = rows.length > FOLDED;
  const title = rows.some((row) => row.tactic.status === "unjudged") ? "Tactics" : "Verified Tactics";
  return {
    id: "tactics",
    title,
    note: rows.length > 0 && ready.tacticsState !== "failed" ? "" : TACTIC_NOTES[ready.tacticsState],
    running: ready.tacticsState === "running",
    rows: fold.unfolded ? rows : rows.filter((row, at) => at < FOLDED || row.key === fold.held),
    count: rows.length,
    unfolded: folds ? fold.unfolded : null,
  };
}

function pinnedSection(ready: Ready | null, pins: readonly Pin[]): Section {
  const fresh = new Map(ready?.premises.map((premise) => [premiseKey(premise), premise]));
  const rows = pins.map((pin): PremiseRow => {
    const key = premiseKey(pin.premise);
    const premise = fresh.get(key) ?? elsewhere(pin, ready);
    return { kind: "premise", key, premise, pinned: true };
  });
  return premisesUnder({ id: "pinned", title: "Pinned", note: "" }, rows);
}

/** A pinned premise in another file than the one it was judged in: whether it is in scope is not known there. */
function elsewhere(pin: Pin, ready: Ready | null): PremiseItem {
  return ready !== null && ready.file === pin.file ? pin.premise : { ...pin.premise, in_scope: null };
}

function premiseSection(ready: Ready, pins: readonly Pin[]): Section {
  const pinned = new Set(pins.map((pin) => premiseKey(pin.premise)));
  const rows = ready.premises
    .map((premise): PremiseRow => ({ kind: "premise", key: premiseKey(premise), premise, pinned: false }))
    .filter((row) => !pinned.has(row.key));
  const note = ready.premises.length === 0 ? "No good match." : rows.length === 0 ? "All that fit are pinned." : "";
  return premisesUnder({ id: "premises", title: "Premises", note }, rows);
}

function premisesUnder(heading: Pick<Section, "id" | "title" | "note">, all: readonly PremiseRow[]): Section {
  const rows = unique(all);
  return { ...heading, running: false, rows, count: rows.length, unfolded: null };
}

/** Each key once, its first row kept: two rows of one key could not be distinguished. */
function unique<T extends Row>(rows: readonly T[]): T[] {
  return [...new Map([...rows].reverse().map((row) => [row.key, row])).values()].reverse();
}

/** Pin a premise, or let it go. */
export function togglePin(pins: readonly Pin[], premise: PremiseItem, file: string): Pin[] {
  const key = premiseKey(premise);
  const rest = pins.filter((pin) => premiseKey(pin.premise) !== key);
  return rest.length < pins.length ? rest : [...pins, { premise, file }];
}

/** What a screen reader announces once an answer is complete; nothing while more may come. */
export function announcement(state: ViewState, title: string): string {
  if (state.kind !== "ready") return title;
  if (state.tacticsState === "running" || state.busy === true) return "";
  const premises = state.premises.length === 0 ? "no good match" : counted(state.premises.length, "premise");
  const tactics = counted(tacticRows(state.tactics).length, "tactic");
  return state.tacticsState === "off" ? premises : `${premises}, ${tactics}`;
}
