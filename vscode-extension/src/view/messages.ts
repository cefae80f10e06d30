/** What crosses between page and extension, and what the page keeps, read from unknown values. Pure. */

import { TACTIC_VERDICTS, type PremiseItem, type TacticItem, type TacticVerdict } from "../generated/answers";
import {
  PROOF_ACTIONS,
  VIEW_COMMANDS,
  type DetailsMessage,
  type PageMessage,
  type Pin,
  type Place,
  type ProofMessage,
  type StateMessage,
  type ViewCommand,
  type ViewState,
} from "./state";

/** What the page keeps while it is hidden. */
export interface Saved {
  readonly pins: readonly Pin[];
  readonly active: string | null;
  readonly goalOpen: boolean;
  /** The goal all of whose rows are shown, and in which sections; null where all lists are folded. */
  readonly unfolded: Unfolded | null;
}

/** The sections of a goal's list that are shown whole, by their ids. */
export interface Unfolded {
  readonly goal: string;
  readonly sections: readonly string[];
}

export const NOTHING_SAVED: Saved = { pins: [], active: null, goalOpen: false, unfolded: null };

const KINDS: Readonly<Record<ViewState["kind"], true>> = {
  starting: true,
  noServer: true,
  noLean: true,
  noGoal: true,
  closed: true,
  unread: true,
  indexing: true,
  noMatch: true,
  failed: true,
  ready: true,
};

/** A message from the extension, or null for anything else that reaches the page (browsers' tools send some). */
export function readStateMessage(value: unknown): StateMessage | null {
  if (!isRecord(value) || value["type"] !== "state" || !isRecord(value["state"])) return null;
  const known = typeof value["state"]["kind"] === "string" && Object.hasOwn(KINDS, value["state"]["kind"]);
  return known ? (value as unknown as StateMessage) : null;
}

/** The state of a search for a proof, or null for any other message. */
export function readProofMessage(value: unknown): ProofMessage | null {
  return isRecord(value) && value["type"] === "proof" && isRecord(value["proof"]) ? (value as unknown as ProofMessage) : null;
}

/** What an expanded row shows besides, or null for any other message. */
export function readDetailsMessage(value: unknown): DetailsMessage | null {
  if (!isRecord(value) || value["type"] !== "details" || !isRecord(value["details"])) return null;
  const { name, module, details } = value;
  if (typeof name !== "string" || typeof module !== "string") return null;
  return typeof details["doc"] === "string" && typeof details["statement"] === "string" ? (value as unknown as DetailsMessage) : null;
}

/** A message from the page, or null for anything else. */
export function readPageMessage(value: unknown): PageMessage | null {
  if (!isRecord(value)) return null;
  const { type } = value;
  const positionId = typeof value["positionId"] === "string" ? value["positionId"] : null;
  if (type === "loaded") return { type };
  if (type === "insertTactic") {
    const tactic = readTactic(value["tactic"]);
    return tactic && { type, tactic, positionId };
  }
  if (type === "insertPremise") {
    const premise = readPremise(value["premise"]);
    return premise && { type, premise, addImport: value["addImport"] === true, positionId };
  }
  if (type === "openDeclaration" || type === "details") {
    const premise = readPremise(value["premise"]);
    return premise && { type, premise };
  }
  if (type === "chooseGoal") {
    const number = value["number"];
    return isPositive(number) && positionId !== null ? { type, number, positionId } : null;
  }
  if (type === "prove") return positionId === null ? null : { type, positionId };
  if (type === "atProof") {
    const action = PROOF_ACTIONS.find((one) => one === value["action"]);
    return action === undefined ? null : { type, action };
  }
  if (type === "pinGoal") return { type, pinned: value["pinned"] === true };
  if (type === "goTo") {
    const place = readPlace(value["place"]);
    return place && { type, place };
  }
  if (type === "selectPart") {
    const { part } = value;
    return typeof part === "string" && positionId !== null ? { type, part, positionId } : null;
  }
  if (type === "copyName") return typeof value["name"] === "string" ? { type, name: value["name"] } : null;
  if (type === "run") return isCommand(value["command"]) ? { type, command: value["command"] } : null;
  return null;
}

/** What was kept; whatever of it cannot be read is left out. */
export function readSaved(value: unknown): Saved {
  if (!isRecord(value)) return NOTHING_SAVED;
  const pins = Array.isArray(value["pins"]) ? value["pins"].map(readPin).filter((pin) => pin !== null) : [];
  const active = typeof value["active"] === "string" ? value["active"] : null;
  return { pins, active, goalOpen: value["goalOpen"] === true, unfolded: readUnfolded(value["unfolded"]) };
}

function readUnfolded(value: unknown): Unfolded | null {
  if (!isRecord(value) || typeof value["goal"] !== "string" || !Array.isArray(value["sections"])) return null;
  return { goal: value["goal"], sections: value["sections"].filter((id) => typeof id === "string") };
}

function readPlace(value: unknown): Place | null {
  if (!isRecord(value) || typeof value["file"] !== "string") return null;
  const { file, line, column } = value;
  return isPositive(line) && isPositive(column) ? { file, line, column } : null;
}

function isPositive(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

function readPin(value: unknown): Pin | null {
  if (!isRecord(value)) return null;
  const premise = readPremise(value["premise"]);
  const { file } = value;
  return premise !== null && typeof file === "string" ? { premise, file } : null;
}

function readPremise(value: unknown): PremiseItem | null {
  if (!isRecord(value)) return null;
  const { name, statement, module, kind, score, in_scope, doc_url, rests_on_sorry, has_error, why } = value;
  const { deprecated, replaced_by, form, doc } = value;
  const line = value["import"];
  if (typeof name !== "string" || name === "" || typeof module !== "string") return null;
  return {
    name,
    module,
    statement: typeof statement === "string" ? statement : "",
    kind: typeof kind === "string" ? kind : "",
    score: typeof score === "number" ? score : 0,
    in_scope: typeof in_scope === "boolean" ? in_scope : null,
    import: typeof line === "string" ? line : null,
    doc_url: typeof doc_url === "string" ? doc_url : null,
    rests_on_sorry: rests_on_sorry === true,
    has_error: has_error === true,
    deprecated: deprecated === true,
    replaced_by: typeof replaced_by === "string" ? replaced_by : "",
    explanation: [], // the view shows the line that is made of it
    why: typeof why === "string" ? why : "",
    form: typeof form === "string" ? form : "",
    doc: typeof doc === "string" ? doc : "",
  };
}

function readTactic(value: unknown): TacticItem | null {
  if (!isRecord(value)) return null;
  const { tactic, status, remaining_goals: goals, message, origin, rests_on_sorry, unfinished } = value;
  const line = value["import"];
  if (typeof tactic !== "string" || tactic === "" || !isVerdict(status)) return null;
  const remaining = Array.isArray(goals) ? goals.filter((goal) => typeof goal === "string") : [];
  return {
    tactic,
    status,
    remaining_goals: remaining,
    message: typeof message === "string" ? message : "",
    origin: typeof origin === "string" ? origin : "",
    rests_on_sorry: rests_on_sorry === true,
    unfinished: Array.isArray(unfinished) ? unfinished.filter((name) => typeof name === "string") : [],
    import: typeof line === "string" ? line : null,
    edit: null, // the server knows the edits, and sends them when it is inserted
    import_edit: null,
    cursor: null,
    uses: [],
  };
}

function isVerdict(value: unknown): value is TacticVerdict {
  return (TACTIC_VERDICTS as readonly unknown[]).includes(value);
}

function isCommand(value: unknown): value is ViewCommand {
  return (VIEW_COMMANDS as readonly unknown[]).includes(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
