/** What the view shows for an answer, an error, or a server that is not there. Pure. */

import type { StatusItem, Suggestion, TacticsStatus } from "./generated/answers";
import type { Problem } from "./server/problems";
import type { NoServer, Place, Progress, Ready, TacticsState, ViewState } from "./view/state";
import type { Failure } from "./wire";

/** What an answer is about. */
export interface Asked {
  readonly positionId: string;
  readonly file: string;
  /** The line of the position, from 1. */
  readonly line: number;
  /** The part of the goal's target whose rewrites were requested; empty for none. */
  readonly selected: string;
}

const LEAN_FAILURES = new Set(["LeanNotFound", "LeanDied", "LeanTimeout", "LeanError"]);
const GOAL_FAILURES = new Set(["NoGoalHere", "BadPosition"]);
const INDEX_FAILURES = new Set(["IndexMissing", "IndexLocked"]);

/** What the view shows for each status of the server. */
const TACTICS_STATES: Readonly<Record<TacticsStatus, TacticsState>> = {
  not_asked: "off",
  running: "running",
  tried: "done",
  partial: "done",
  without_generator: "done",
  no_generator: "failed",
  goal_not_first: "notFirst",
  goal_broken: "failed",
  no_goal: "failed",
  no_file: "failed",
  lean_failed: "failed",
};

/** The state for an answer: whole, or with tactics still to come. */
export function ofAnswer(answer: Suggestion, asked: Asked, indexing?: Progress): ViewState {
  if (answer.place === "closed") return { kind: "closed" };
  const { premises, tactics } = answer;
  const { selected, ...where } = asked;
  const found = {
    ...where,
    goal: answer.goal,
    goalNumber: answer.goal_number,
    goalCount: answer.goal_count,
    replaces: answer.place === "before" ? answer.replaces : null,
    index: answer.index,
    warnings: answer.warnings,
    notes: answer.notes,
  };
  const tacticsState = TACTICS_STATES[answer.tactics_status];
  if (premises.length === 0 && tactics.length === 0 && tacticsState !== "running") return { kind: "noMatch", ...found };
  const ready: Ready = { kind: "ready", ...found, parts: answer.parts, selected, premises, tactics, tacticsState };
  return indexing === undefined ? ready : { ...ready, indexing };
}

/** The state for a request in a file that failed. */
export function ofFailure(failure: Failure, file: string, indexing?: Progress): ViewState {
  const { message, hint, kind } = failure;
  if (GOAL_FAILURES.has(kind)) return { kind: "noGoal", reason: "noGoals" };
  if (kind === "TextUnread") return { kind: "unread", message, hint, place: placeIn(hint, file) ?? placeIn(message, file) };
  if (INDEX_FAILURES.has(kind) && indexing !== undefined) return { kind: "indexing", ...indexing };
  if (LEAN_FAILURES.has(kind)) return { kind: "noLean", message, hint };
  return { kind: "failed", message, hint };
}

const LINE = /\bline (\d{1,9})\b(?:, column (\d{1,9})\b)?/iu;

/** The position that a sentence names: the hint names the one to correct. */
function placeIn(text: string, file: string): Place | null {
  const found = LINE.exec(text);
  return found === null ? null : { file, line: Number(found[1]), column: Number(found[2] ?? 1) };
}

/**
 * What is shown after a request that failed: the failure; but where the text of a proof is just being changed, its last
 * list, since an unfinished line is the rule there and not the exception.
 *
 * @param sameProof whether what is shown now is of the proof that the request was in.
 */
export function afterFailure(current: ViewState, failure: ViewState, sameProof: boolean): ViewState {
  if (!isKept(current, sameProof)) return failure;
  if (failure.kind === "unread") return { ...settledList(current), trouble: { message: failure.message, place: failure.place } };
  if (failure.kind === "failed" || failure.kind === "noLean") {
    return { ...settledList(current), trouble: { message: `${failure.message} ${failure.hint}`.trim(), place: null } };
  }
  return failure;
}

/** Whether a list stays while there is no newer answer. */
export function isKept(state: ViewState, sameProof: boolean): state is Ready {
  return state.kind === "ready" && state.stale === true && sameProof;
}

/** The state for a server that cannot be had. */
export function ofProblem(problem: Problem): NoServer {
  return { kind: "noServer", reason: problem.reason, message: problem.message, hint: problem.hint };
}

/** What is shown once the text has changed: the old answer, dimmed. */
export function asStale(state: ViewState): ViewState {
  return { ...state, stale: true };
}

/** What is shown while a newer request runs: the old answer under a bar, where there is one. */
export function asBusy(state: ViewState): ViewState {
  return { ...state, busy: true };
}

/** Whether a state is what was found at a position. */
export function isAnswer({ kind }: ViewState): boolean {
  return ["ready", "noMatch", "closed", "unread", "noGoal"].includes(kind);
}

/** Whether a state says that more is to come. */
export function isUnsettled(state: ViewState): boolean {
  return state.busy === true || (state.kind === "ready" && state.tacticsState === "running");
}

/** What is shown once nothing more will come, though no whole answer did: what there is, as it is. */
export function asSettled(state: ViewState): ViewState {
  return state.kind === "ready" ? settledList(state) : { ...state, busy: false };
}

function settledList(state: Ready): Ready {
  if (state.tacticsState !== "running") return { ...state, busy: false };
  return { ...state, busy: false, tacticsState: state.tactics.length > 0 ? "done" : "off" };
}

/** The progress of a status, while an index run goes on. */
export function progressOf(status: StatusItem | undefined): Progress | undefined {
  if (!status?.indexing) return undefined;
  return { stage: status.stage, done: status.done, total: status.total };
}

/** The state with an index run's progress put in, or taken out; before a first answer there is nothing else to show. */
export function withProgress(state: ViewState, indexing: Progress | undefined): ViewState {
  if ((state.kind === "starting" || state.kind === "indexing") && indexing !== undefined) {
    return { ...(state.busy && { busy: true }), kind: "indexing", ...indexing };
  }
  // The index is there; what the first answer still waits for is Lean.
  if (state.kind === "indexing") return { kind: "noGoal", reason: "unsettled", busy: true };
  if (state.kind !== "ready") return state;
  const { indexing: _, ...rest } = state;
  return indexing === undefined ? rest : { ...rest, indexing };
}
