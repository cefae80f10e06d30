/** One question at a time: the goal at a position, then its premises, then tactics as Lean judges them. */

import * as vscode from "vscode";

import type { Suggestion } from "./generated/answers";
import type { GoalBridge } from "./goal/bridge";
import { Weight, type Limiter } from "./limiter";
import type { TrackedPositions } from "./positions";
import { NoServer, type Server } from "./server/server";
import { pause } from "./timing";
import type { Progress, ViewState } from "./view/state";
import * as model from "./viewModel";
import { isPassing, readFailure, readSuggestion, readTactics } from "./wire";

/** A request for suggestions. */
export interface Question {
  readonly document: vscode.TextDocument;
  readonly position: vscode.Position;
  readonly tactics: boolean;
  /** Take the goal from the Lean 4 extension where it runs. */
  readonly bridge: boolean;
  /** The user requested it, so it precedes requests made as the cursor moves. */
  readonly byPerson: boolean;
  /** A part of the goal's target whose rewrites are requested. */
  readonly select?: string;
}

export interface AskerOptions {
  readonly server: Server;
  readonly bridge: GoalBridge;
  readonly limiter: Limiter;
  readonly positions: TrackedPositions;
  readonly progressFor: (uri: vscode.Uri) => Progress | undefined;
  readonly show: (state: ViewState) => void;
}

/** How often to query Lean again until it has reached the position, and how long to wait between queries. */
const TRIES = 60;
const BETWEEN_MS = 400;

export class Asker {
  private abort: AbortController | undefined;
  private current: ViewState = { kind: "starting" };

  constructor(private readonly options: AskerOptions) {}

  /** What is shown. */
  get state(): ViewState {
    return this.current;
  }

  /** Show a state that is no answer, or a part of one. */
  show(state: ViewState): void {
    this.current = state;
    this.options.show(state);
  }

  /** The cursor has moved on, or the answer is not wanted any more. */
  cancel(): void {
    this.abort?.abort();
    this.abort = undefined;
  }

  /** Ask; an earlier question ends. Never rejects: what goes wrong is shown. */
  async ask(question: Question): Promise<void> {
    this.cancel();
    if (this.options.server.state.kind !== "running") return;
    const abort = new AbortController();
    this.abort = abort;
    this.show(model.asBusy(this.current));
    try {
      const goal = await this.goal(question, abort.signal);
      if (goal === null || abort.signal.aborted) return;
      await this.suggest(question, goal, abort.signal);
    } catch (error) {
      if (!abort.signal.aborted) this.failed(error, question);
    } finally {
      if (this.abort === abort) {
        this.abort = undefined;
        if (model.isUnsettled(this.current)) this.show(model.asSettled(this.current));
      }
    }
  }

  /** The goal's text; "" where the server is to find it; null if there is none, which is then shown. */
  private async goal(question: Question, signal: AbortSignal): Promise<string | null> {
    if (!question.bridge) return "";
    for (let tries = 0; tries < TRIES; tries++) {
      const found = await this.options.bridge.goalAt(question.document, question.position, signal);
      if (signal.aborted) return null;
      if (found.kind === "goals") return found.text;
      if (found.kind === "absent") return "";
      this.show({ kind: "noGoal", reason: found.kind === "none" ? "noGoals" : "unsettled" });
      if (found.kind === "none" || !(await pause(BETWEEN_MS, signal))) return null;
    }
    return null;
  }

  private async suggest(question: Question, goal: string, outer: AbortSignal): Promise<void> {
    const { server, limiter, positions } = this.options;
    const uri = question.document.uri.toString();
    const { line, character } = question.position;
    const selected = question.select ?? "";
    const asked = { positionId: positions.add(uri, { line, character }), file: uri, selected };
    const params = {
      textDocument: { uri },
      position: { line, character },
      tactics: question.tactics,
      explain: true,
      parts: true,
      ...(selected !== "" && { select: selected }),
      ...(goal !== "" && { goal }),
    };
    let partial: Suggestion | null = null;
    const take = (part: unknown) => {
      const tactics = readTactics(part);
      partial = readSuggestion(part) ?? (partial && tactics && { ...partial, tactics });
      if (partial !== null && !outer.aborted) {
        this.show(model.ofAnswer(partial, asked, this.progress(question)));
      }
    };
    const weight = question.byPerson ? Weight.asked : Weight.follow;
    const work = (signal: AbortSignal) =>
      question.tactics
        ? server.requestInParts("premiseSuggest/suggest", params, signal, take)
        : server.request("premiseSuggest/suggest", params, signal);
    const answer = readSuggestion(await limiter.run(weight, work, outer));
    if (answer === null || outer.aborted) return;
    this.show(model.ofAnswer(answer, asked, this.progress(question)));
  }

  private failed(error: unknown, question: Question): void {
    if (error instanceof vscode.CancellationError || error instanceof NoServer || isPassing(error)) return;
    // A server that ends in mid-answer is reported by its own state, not by the broken request.
    if (this.options.server.state.kind !== "running") return;
    this.show(model.ofFailure(readFailure(error), this.progress(question)));
  }

  private progress(question: Question): Progress | undefined {
    return this.options.progressFor(question.document.uri);
  }
}
