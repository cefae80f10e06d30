/** What stands in the list, in order. Pure. */

import { counted } from "./format";
import type { PremiseItem, TacticItem } from "./items";
import type { Pin, Ready, TacticsState, ViewState } from "./state";

/** A verified tactic in the list. */
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
  /** What stands in the place of rows where there are none, or what is still going on. */
  readonly note: string;
  readonly running: boolean;
  readonly rows: readonly Row[];
}

/** The sections of a state: verified tactics, what is pinned, and the premises that fit. */
export function sections(state: ViewState, pins: readonly Pin[]): Section[] {
  const ready = state.kind === "ready" ? state : null;
  const found: Section[] = [];
  if (ready !== null && ready.tacticsState !== "off") found.push(tacticSection(ready));
  if (pins.length > 0) found.push(pinnedSection(ready, pins));
  if (ready !== null) found.push(premiseSection(ready, pins));
  return found;
}

/** Names a premise in the list, whichever section it stands in: its row keeps the focus when it is pinned. */
export function premiseKey(premise: PremiseItem): string {
  return `premise ${premise.module} ${premise.name}`;
}

const TACTIC_NOTES: Readonly<Record<TacticsState, string>> = {
  off: "",
  running: "Trying tactics in Lean…",
  done: "Lean accepted none of those tried.",
  failed: "Tactics could not be tried.",
};

function tacticSection(ready: Ready): Section {
  const rows = ready.tactics
    .filter((tactic) => tactic.status === "closes" || tactic.status === "progress")
    .map((tactic): TacticRow => ({ kind: "tactic", key: `tactic ${tactic.tactic}`, tactic }));
  const note = rows.length > 0 && ready.tacticsState !== "failed" ? "" : TACTIC_NOTES[ready.tacticsState];
  const running = ready.tacticsState === "running";
  return { id: "tactics", title: "Verified Tactics", note, running, rows: unique(rows) };
}

function pinnedSection(ready: Ready | null, pins: readonly Pin[]): Section {
  const fresh = new Map(ready?.premises.map((premise) => [premiseKey(premise), premise]));
  const rows = pins.map((pin): PremiseRow => {
    const key = premiseKey(pin.premise);
    const premise = fresh.get(key) ?? elsewhere(pin, ready);
    return { kind: "premise", key, premise, pinned: true };
  });
  return { id: "pinned", title: "Pinned", note: "", running: false, rows: unique(rows) };
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
  return { id: "premises", title: "Premises", note, running: false, rows: unique(rows) };
}

/** Each key once, its first row kept: two rows of one key could not be told apart. */
function unique<T extends Row>(rows: readonly T[]): T[] {
  return [...new Map([...rows].reverse().map((row) => [row.key, row])).values()].reverse();
}

/** Pin a premise, or let it go. */
export function togglePin(pins: readonly Pin[], premise: PremiseItem, file: string): Pin[] {
  const key = premiseKey(premise);
  const rest = pins.filter((pin) => premiseKey(pin.premise) !== key);
  return rest.length < pins.length ? rest : [...pins, { premise, file }];
}

/** What is said aloud once an answer is whole; nothing while more may come. */
export function announcement(state: ViewState, title: string): string {
  if (state.kind !== "ready") return title;
  if (state.tacticsState === "running" || state.busy === true) return "";
  const premises = state.premises.length === 0 ? "no good match" : counted(state.premises.length, "premise");
  const tactics = counted(tacticSection(state).rows.length, "tactic");
  return state.tacticsState === "off" ? premises : `${premises}, ${tactics}`;
}
