/** What the server answers (docs/json.md, docs/lsp.md), read from unknown values. Pure. */

import {
  GOAL_PLACES,
  INDEX_STATES,
  PROOF_STATUSES,
  QUERY_KINDS,
  TACTIC_VERDICTS,
  TACTICS_STATUSES,
  type IndexAnswer,
  type IndexItem,
  type PartItem,
  type PremiseItem,
  type ProofAnswer,
  type ProofProgress,
  type RangeItem,
  type SearchAnswer,
  type SorryItem,
  type StatusItem,
  type Suggestion,
  type TacticItem,
  type TacticVerdict,
  type UseItem,
  type UsesAnswer,
} from "./generated/answers";

/** A failure as the server reports it: one sentence, what to do next, and its kind. */
export interface Failure {
  readonly message: string;
  readonly hint: string;
  readonly kind: string;
}

export interface WirePosition {
  readonly line: number;
  readonly character: number;
}

export interface WireEdit {
  readonly range: { readonly start: WirePosition; readonly end: WirePosition };
  readonly newText: string;
}

/** What inserts something. */
export interface Edits {
  readonly edits: readonly WireEdit[];
  /** Where the cursor belongs, in the text after all edits; null where the server does not say. */
  readonly cursor: WirePosition | null;
  /** The tactic that they insert; empty for a name. */
  readonly tactic: string;
  /** Lean's verdict on it; null where the server gives none. */
  readonly status: TacticVerdict | null;
}

export interface Declaration {
  readonly location: { readonly uri: string; readonly range: WireEdit["range"] } | null;
  readonly docUrl: string | null;
  readonly doc: string;
  readonly statement: string;
  readonly reading: string;
}

/** A suggestion, or null for anything else. */
export function readSuggestion(value: unknown): Suggestion | null {
  const index = isRecord(value) ? readIndex(value["index"]) : null;
  if (!isRecord(value) || index === null || typeof value["goal"] !== "string") return null;
  return {
    goal: value["goal"],
    premises: list<PremiseItem>(value["premises"]),
    tactics: list<TacticItem>(value["tactics"]),
    index,
    timings_ms: numbers(value["timings_ms"]),
    warnings: strings(value["warnings"]),
    notes: strings(value["notes"]),
    goal_number: count(value["goal_number"]) || 1,
    goal_count: count(value["goal_count"]) || 1,
    tactics_status: oneOf(TACTICS_STATUSES, value["tactics_status"], "tried"),
    parts: list<PartItem>(value["parts"]),
    place: oneOf(GOAL_PLACES, value["place"], "here"),
    replaces: isRangeItem(value["replaces"]) ? value["replaces"] : null,
  };
}

/** The tactics of a partial result that has nothing else, or null. */
export function readTactics(value: unknown): readonly TacticItem[] | null {
  return isRecord(value) && Array.isArray(value["tactics"]) ? list<TacticItem>(value["tactics"]) : null;
}

export function readSearch(value: unknown): SearchAnswer | null {
  const index = isRecord(value) ? readIndex(value["index"]) : null;
  if (!isRecord(value) || index === null) return null;
  return {
    kind: oneOf(QUERY_KINDS, value["kind"], "words"),
    premises: list<PremiseItem>(value["premises"]),
    index,
    warnings: strings(value["warnings"]),
    notes: strings(value["notes"]),
    other_kind: oneOf(QUERY_KINDS, value["other_kind"], null),
  };
}

export function readStatus(value: unknown): StatusItem | null {
  if (!isRecord(value) || typeof value["root"] !== "string") return null;
  return {
    root: value["root"],
    indexing: value["indexing"] === true,
    stage: typeof value["stage"] === "string" ? value["stage"] : "",
    done: count(value["done"]),
    total: count(value["total"]),
    index: readIndex(value["index"]),
  };
}

/** The index after a run; null where the run was stopped. */
export function readIndexed(value: unknown): IndexAnswer["index"] | null {
  return isRecord(value) && value["stopped"] !== true ? readIndex(value["index"]) : null;
}

/** The `sorry`s of a document, in order; empty for anything else. */
export function readSorries(value: unknown): readonly SorryItem[] {
  return isRecord(value) ? list<SorryItem>(value["sorries"]) : [];
}

/** Who uses a declaration, or null. */
export function readUses(value: unknown): UsesAnswer | null {
  const index = isRecord(value) ? readIndex(value["index"]) : null;
  if (!isRecord(value) || index === null || !isRecord(value["premise"])) return null;
  return {
    premise: value["premise"] as unknown as PremiseItem,
    used_by: list<UseItem>(value["used_by"]),
    used_by_count: count(value["used_by_count"]),
    uses: list<UseItem>(value["uses"]),
    uses_count: count(value["uses_count"]),
    index,
    warnings: strings(value["warnings"]),
    notes: strings(value["notes"]),
  };
}

/** The edits of an answer, or null where one cannot be read: half of an edit is no edit. */
export function readEdits(value: unknown): Edits | null {
  if (!isRecord(value) || !Array.isArray(value["edits"])) return null;
  const { edits, cursor, tactic, status } = value;
  if (!edits.every(isEdit)) return null;
  return {
    edits,
    cursor: isPosition(cursor) ? cursor : null,
    tactic: typeof tactic === "string" ? tactic : "",
    status: TACTIC_VERDICTS.find((one) => one === status) ?? null,
  };
}

/** How far a search for a proof is, or null. */
export function readProofProgress(value: unknown): ProofProgress | null {
  if (!isRecord(value) || typeof value["limit"] !== "number" || typeof value["steps"] !== "string") return null;
  const { seconds, limit, states, tactics, proved, goals, steps } = value;
  return {
    ...{ seconds: count(seconds), limit, states: count(states), tactics: count(tactics) },
    ...{ proved: count(proved), goals: count(goals), steps, imports: value["imports"] === true },
  };
}

/** The result of a search for a proof; null where it cannot be read: half of an edit is no edit. */
export function readProof(value: unknown): ProofAnswer | null {
  if (!isRecord(value) || !(PROOF_STATUSES as readonly unknown[]).includes(value["status"])) return null;
  const { script, edits, cursor } = value;
  if (typeof script !== "string" || !Array.isArray(edits) || !edits.every((one) => isRangeItem(one) && "text" in one)) return null;
  const isPlaced = isRecord(cursor) && typeof cursor["line"] === "number" && typeof cursor["column"] === "number";
  return { ...(value as unknown as ProofAnswer), cursor: isPlaced ? (cursor as unknown as ProofAnswer["cursor"]) : null };
}

export function readDeclaration(value: unknown): Declaration {
  if (!isRecord(value)) return { location: null, docUrl: null, doc: "", statement: "", reading: "" };
  const { location, docUrl, doc, statement, reading } = value;
  const found = isRecord(location) && typeof location["uri"] === "string" && isRange(location["range"]);
  return {
    location: found ? { uri: location["uri"] as string, range: location["range"] as WireEdit["range"] } : null,
    docUrl: typeof docUrl === "string" && docUrl.startsWith("https://") ? docUrl : null,
    doc: typeof doc === "string" ? doc : "",
    statement: typeof statement === "string" ? statement : "",
    reading: typeof reading === "string" ? reading : "",
  };
}

/** A failed request, as an error that was thrown: the server's own words where it sent some. */
export function readFailure(error: unknown): Failure {
  const data = isRecord(error) ? error["data"] : undefined;
  const message = error instanceof Error ? error.message : String(error);
  const hint = isRecord(data) && typeof data["hint"] === "string" ? data["hint"] : "";
  const kind = isRecord(data) && typeof data["kind"] === "string" ? data["kind"] : "";
  return { message, hint, kind };
}

/** LSP's codes for a request that was cancelled, by either side, or overtaken by a change of the text. */
const PASSING = new Set([-32800, -32801, -32802]);

/** Whether a failed request says nothing about the request: it was cancelled, or the text has changed. */
export function isPassing(error: unknown): boolean {
  return isRecord(error) && typeof error["code"] === "number" && PASSING.has(error["code"]);
}

/** A failure in one line for a message box. */
export function sentence(failure: Pick<Failure, "message" | "hint">): string {
  return `${failure.message} ${failure.hint}`.trim();
}

function readIndex(value: unknown): IndexItem | null {
  if (!isRecord(value) || typeof value["line"] !== "string") return null;
  return {
    sources: list(value["sources"]),
    built_at: typeof value["built_at"] === "string" ? value["built_at"] : null,
    stale_files: count(value["stale_files"]),
    lean: typeof value["lean"] === "string" ? value["lean"] : null,
    line: value["line"],
    state: oneOf(INDEX_STATES, value["state"], "consulted"),
  };
}

function isRangeItem(value: unknown): value is RangeItem {
  return isRecord(value) && ["line", "column", "end_line", "end_column"].every((name) => typeof value[name] === "number");
}

function isEdit(value: unknown): value is WireEdit {
  return isRecord(value) && typeof value["newText"] === "string" && isRange(value["range"]);
}

function isRange(value: unknown): value is WireEdit["range"] {
  return isRecord(value) && isPosition(value["start"]) && isPosition(value["end"]);
}

function isPosition(value: unknown): value is WirePosition {
  return isRecord(value) && typeof value["line"] === "number" && typeof value["character"] === "number";
}

/** The objects of a list, which our own server sends as docs/schema has them; empty for anything else. */
function list<T>(value: unknown): readonly T[] {
  return Array.isArray(value) ? (value.filter(isRecord) as T[]) : [];
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function numbers(value: unknown): Readonly<Record<string, number>> {
  const entries = isRecord(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, number] => typeof entry[1] === "number"));
}

/** One of the known values; `fallback` for one of a later version. */
function oneOf<T extends string, F extends T | null>(known: readonly T[], value: unknown, fallback: F): T | F {
  return known.find((one) => one === value) ?? fallback;
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : 0;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
