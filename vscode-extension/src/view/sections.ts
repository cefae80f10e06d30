/** The content of the list, in order. Pure. */

import type { PremiseItem, TacticItem, TacticVerdict } from "../generated/answers";
import { counted, fold as folded, goalHeading, PLAIN_GOAL } from "./format";
import type { Hold } from "./rounds";
import type { Pin, Ready, TacticsState, ViewState } from "./state";

/** A tactic in the list. */
export interface TacticRow {
  readonly kind: "tactic";
  readonly key: string;
  readonly tactic: TacticItem;
  /** It was accepted for this goal before the text changed, and Lean has not judged it again yet. */
  readonly earlier: boolean;
}

/** A premise in the list. */
export interface PremiseRow {
  readonly kind: "premise";
  readonly key: string;
  readonly premise: PremiseItem;
  readonly pinned: boolean;
  /** The accepted tactic that uses it, and that is inserted for it; null where there is none. */
  readonly use: TacticItem | null;
}

export type Row = TacticRow | PremiseRow;

export type SectionId = "tactics" | "pinned" | "premises";

/** Rows under one heading. */
export interface Section {
  readonly id: SectionId;
  readonly title: string;
  /** The text in place of rows if there are none, or what is still in progress, or what is to be known of all of them. */
  readonly note: string;
  readonly running: boolean;
  readonly rows: readonly Row[];
  /** All rows in their places, whether shown or not. */
  readonly all: readonly Row[];
  /** How many rows there are that match the filter, those that are folded away among them. */
  readonly count: number;
  /** Whether all rows are shown, if there are enough for the list to fold; otherwise null. */
  readonly unfolded: boolean | null;
  readonly hold: Hold;
  /** For how many rows there is room, with `slots`. */
  readonly slots: number;
}

/** How many tactics are above the premises while the rest is folded away. */
export const FOLDED = 5;
/** How many premises are shown while the rest is folded away. */
export const MOST_PREMISES = 100;

/** How much of a long list is shown, and where. */
export interface Shown {
  /** The sections all of whose rows are shown. */
  readonly unfolded: readonly string[];
  /** The row that a person is at, by key: it is never folded away under their hand. */
  readonly held: string | null;
  /** Only rows with all of these words are shown. */
  readonly filter: string;
  readonly hold: Hold;
  /** Whether premises that a newer answer for the same goal does not have stay for now: the mouse is in the list, or more may come. */
  readonly keeps: boolean;
  /** How many tactics are shown of a list that is folded. */
  readonly slots: number;
  /** The sections as they were shown last, whose rows keep their places unless the hold is `free`. */
  readonly before: readonly Section[];
}

export const SHOWN: Shown = { unfolded: [], held: null, filter: "", hold: "free", keeps: false, slots: FOLDED, before: [] };

/** The sections of a state: tactics, what is pinned, and the premises that fit. */
export function sections(state: ViewState, pins: readonly Pin[], shown: Shown = SHOWN): Section[] {
  const ready = state.kind === "ready" ? state : null;
  const found: Section[] = [];
  const tactics = ready === null || ready.tacticsState === "off" ? null : tacticSection(ready, shown);
  const uses = (tactics?.all ?? []).flatMap((row) => (row.kind === "tactic" ? [row.tactic] : []));
  if (tactics !== null) found.push(tactics);
  if (pins.length > 0) found.push(pinnedSection(ready, pins, uses, shown));
  if (ready !== null) found.push(premiseSection(ready, pins, uses, shown));
  return found;
}

/** Names a premise in the list, whichever section it is in: its row keeps the focus when it is pinned. */
export function premiseKey(premise: Pick<PremiseItem, "module" | "name">): string {
  return `premise ${premise.module} ${premise.name}`;
}

const TACTIC_NOTES: Readonly<Record<TacticsState, string>> = {
  off: "",
  running: "Trying tactics in Lean…",
  done: "Lean accepted none of those tried.",
  failed: "Tactics could not be tried.",
  notFirst: "Not the first goal, and `case` does not reach it.",
};

/** The tactics that are shown, from top to bottom: what closes the goal, what is a step, what cannot be judged. */
const LISTED: readonly TacticVerdict[] = ["closes", "progress", "unjudged"];

function tacticRows(tactics: readonly TacticItem[]): TacticRow[] {
  const rows = LISTED.flatMap((status) => tactics.filter((tactic) => tactic.status === status)).map(
    (tactic): TacticRow => ({ kind: "tactic", key: `tactic ${tactic.tactic}`, tactic, earlier: false }),
  );
  return unique(rows);
}

const closes = (row: Row): boolean => row.kind === "tactic" && row.tactic.status === "closes";

/**
 * Rows in the places that they had, the new ones below them.
 *
 * Of a first round's places, the first is kept for a tactic that closes the goal: as long as there is none, a note is there.
 */
function inPlace(before: readonly Row[], wanted: readonly TacticRow[], hold: Hold): TacticRow[] {
  const fresh = new Map(wanted.map((row) => [row.key, row]));
  const kept = before.flatMap((row) => (row.kind === "tactic" ? [fresh.get(row.key) ?? { ...row, earlier: true }] : []));
  const known = new Set(kept.map((row) => row.key));
  const added = wanted.filter((row) => !known.has(row.key));
  const first = hold !== "slots" || kept.some(closes) ? undefined : added.find(closes);
  return [...(first === undefined ? [] : [first]), ...kept, ...added.filter((row) => row !== first)];
}

function tacticSection(ready: Ready, shown: Shown): Section {
  const { hold, slots } = shown;
  const wanted = tacticRows(ready.tactics);
  const all = hold === "free" ? wanted : inPlace(rowsOf(shown, "tactics"), wanted, hold);
  const leads = hold === "slots" && !all.some(closes);
  const isUnjudged = all.some((row) => row.tactic.status === "unjudged");
  return {
    id: "tactics",
    title: isUnjudged ? "Tactics" : "Verified Tactics",
    note: tacticNote(ready.tacticsState, all, leads),
    running: ready.tacticsState === "running",
    ...folding("tactics", all, shown, leads ? slots - 1 : slots),
    slots,
  };
}

/** One notice for all tactics that cannot be judged, not one per row; else why there is none that closes the goal. */
function tacticNote(state: TacticsState, rows: readonly TacticRow[], leads: boolean): string {
  if (state === "failed" || state === "notFirst" || rows.length === 0) return TACTIC_NOTES[state];
  const unjudged = new Set(rows.filter((row) => row.tactic.status === "unjudged").map((row) => folded(row.tactic.message)));
  unjudged.delete("");
  if (unjudged.size > 0) return sentenceOf([...unjudged].join("; "));
  if (!leads) return "";
  return state === "running" ? TACTIC_NOTES.running : "None of them closes the goal.";
}

function sentenceOf(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}

function pinnedSection(ready: Ready | null, pins: readonly Pin[], tactics: readonly TacticItem[], shown: Shown): Section {
  const fresh = new Map(ready?.premises.map((premise) => [premiseKey(premise), premise]));
  const rows = pins.map((pin): PremiseRow => {
    const key = premiseKey(pin.premise);
    const premise = fresh.get(key) ?? elsewhere(pin, ready);
    return { kind: "premise", key, premise, pinned: true, use: useOf(premise, tactics) };
  });
  return premisesUnder({ id: "pinned", title: "Pinned", note: "" }, rows, shown);
}

/** A pinned premise at another goal: in another file, it is not known whether it is in scope. */
function elsewhere(pin: Pin, ready: Ready | null): PremiseItem {
  const premise = { ...pin.premise, form: "" };
  return ready !== null && ready.file === pin.file ? premise : { ...premise, in_scope: null };
}

/** The first of the accepted tactics that uses a premise. */
function useOf({ name }: PremiseItem, tactics: readonly TacticItem[]): TacticItem | null {
  return tactics.find((tactic) => tactic.uses.includes(name)) ?? null;
}

function premiseSection(ready: Ready, pins: readonly Pin[], tactics: readonly TacticItem[], shown: Shown): Section {
  const pinned = new Set(pins.map((pin) => premiseKey(pin.premise)));
  const wanted = ready.premises
    .map((premise): PremiseRow => {
      return { kind: "premise", key: premiseKey(premise), premise, pinned: false, use: useOf(premise, tactics) };
    })
    .filter((row) => !pinned.has(row.key));
  const before = rowsOf(shown, "premises").filter((row) => row.kind === "premise" && !pinned.has(row.key)) as PremiseRow[];
  const rows = shown.hold === "free" ? wanted : inOrder(before, wanted, shown.keeps);
  const note = ready.premises.length === 0 ? "No good match." : rows.length === 0 ? "All that fit are pinned." : "";
  return premisesUnder({ id: "premises", title: "Premises", note }, rows, shown);
}

/** Those rows that were there in their order, the others below them. */
function inOrder(before: readonly PremiseRow[], wanted: readonly PremiseRow[], keeps: boolean): PremiseRow[] {
  const fresh = new Map(wanted.map((row) => [row.key, row]));
  const known = new Set(before.map((row) => row.key));
  const kept = before.flatMap((row) => fresh.get(row.key) ?? (keeps ? [row] : []));
  return [...kept, ...wanted.filter((row) => !known.has(row.key))];
}

function premisesUnder(heading: Pick<Section, "id" | "title" | "note">, rows: readonly PremiseRow[], shown: Shown): Section {
  return { ...heading, running: false, ...folding(heading.id, unique(rows), shown, MOST_PREMISES), slots: 0 };
}

/** Which rows of a section are shown: those that match the filter, or as many as are not folded away. */
function folding(id: SectionId, all: readonly Row[], shown: Shown, most: number): Omit<Section, "id" | "title" | "note" | "running" | "slots"> {
  const { hold } = shown;
  const words = wordsOf(shown.filter);
  if (words.length > 0) {
    const rows = all.filter((row) => matches(row, words));
    return { rows, all, count: rows.length, unfolded: null, hold };
  }
  const unfolded = shown.unfolded.includes(id);
  const rows = unfolded ? all : all.filter((row, at) => at < most || row.key === shown.held);
  return { rows, all, count: all.length, unfolded: all.length > most ? unfolded : null, hold };
}

function rowsOf({ before }: Shown, id: SectionId): readonly Row[] {
  return before.find((section) => section.id === id)?.all ?? [];
}

function wordsOf(filter: string): readonly string[] {
  return folded(filter).toLowerCase().split(" ").filter((word) => word !== "");
}

/** Whether a row has all of these words, in lower case. */
function matches(row: Row, words: readonly string[]): boolean {
  const texts =
    row.kind === "tactic"
      ? [row.tactic.tactic, ...row.tactic.remaining_goals]
      : [row.premise.name, row.premise.statement, row.use?.tactic ?? row.premise.form];
  const text = texts.join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
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
  if (state.tacticsState === "running" || state.busy === true || state.stale === true) return "";
  const premises = state.premises.length === 0 ? "no good match" : counted(state.premises.length, "premise");
  const tactics = counted(tacticRows(state.tactics).length, "tactic");
  const counts = state.tacticsState === "off" || state.tacticsState === "notFirst" ? premises : `${premises}, ${tactics}`;
  const heading = goalHeading(state);
  return heading === PLAIN_GOAL ? counts : `${heading}: ${counts}`;
}
