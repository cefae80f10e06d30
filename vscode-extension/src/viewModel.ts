/** What the view shows for an answer, an error, or a server that is not there. Pure. */

import type { StatusItem, Suggestion, TacticsStatus } from "./generated/answers";
import type { Problem } from "./server/problems";
import type { NoServer, Progress, Ready, TacticsState, ViewState } from "./view/state";
import type { Failure } from "./wire";

/** What an answer is about. */
export interface Asked {
  readonly positionId: string;
  readonly file: string;
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
  goal_not_first: "failed",
  goal_broken: "failed",
  no_goal: "failed",
  no_file: "failed",
  lean_failed: "failed",
};

/** The state for an answer: whole, or with tactics still to come. */
export function ofAnswer(answer: Suggestion, asked: Asked, indexing?: Progress): ViewState {
  const { goal, parts, premises, tactics, index, warnings, notes } = answer;
  const tacticsState = TACTICS_STATES[answer.tactics_status];
  if (premises.length === 0 && tactics.length === 0 && tacticsState !== "running") {
    return { kind: "noMatch", goal, index, warnings, notes };
  }
  const ready: Ready = {
    kind: "ready",
    ...asked,
    goal,
    parts,
    premises,
    tactics,
    tacticsState,
    index,
    warnings,
    notes,
  };
  return indexing === undefined ? ready : { ...ready, indexing };
}

/** The state for a request that failed. */
export function ofFailure(failure: Failure, indexing?: Progress): ViewState {
  const { message, hint, kind } = failure;
  if (GOAL_FAILURES.has(kind)) return { kind: "noGoal", reason: "noGoals" };
  if (INDEX_FAILURES.has(kind) && indexing !== undefined) return { kind: "indexing", ...indexing };
  if (LEAN_FAILURES.has(kind)) return { kind: "noLean", message, hint };
  return { kind: "failed", message, hint };
}

/** The state for a server that cannot be had. */
export function ofProblem(problem: Problem): NoServer {
  return { kind: "noServer", reason: problem.reason, message: problem.message, hint: problem.hint };
}

/** What is shown while a newer request runs: the old answer under a bar, where there is one. */
export function asBusy(state: ViewState): ViewState {
  return { ...state, busy: true };
}

/** Whether a state says that more is to come. */
export function isUnsettled(state: ViewState): boolean {
  return state.busy === true || (state.kind === "ready" && state.tacticsState === "running");
}

/** What is shown once nothing more will come, though no whole answer did: what there is, as it is. */
export function asSettled(state: ViewState): ViewState {
  if (state.kind !== "ready" || state.tacticsState !== "running") return { ...state, busy: false };
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
