/** One question at a time: the goal at a position, then its premises, then tactics as Lean judges them. */

import * as vscode from "vscode";

import { sameDeclaration } from "./declarations";
import type { Suggestion } from "./generated/answers";
import type { GoalBridge } from "./goal/bridge";
import { Weight, type Limiter } from "./limiter";
import type { TrackedPositions } from "./positions";
import { NoServer, type Server } from "./server/server";
import { columnAt, sorriesAt } from "./sorries";
import { pause } from "./timing";
import type { Progress, Sorries, ViewState } from "./view/state";
import * as model from "./viewModel";
import { isPassing, readFailure, readSorries, readSuggestion, readTactics } from "./wire";

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
  /** Which of several goals, from 1, the first where it is left out. */
  readonly goalNumber?: number;
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
  /** The position whose answer stays while the cursor moves. */
  private pin: string | undefined;
  private sorries: Sorries | null = null;

  constructor(private readonly options: AskerOptions) {}

  /** What is shown. */
  get state(): ViewState {
    return this.current;
  }

  /** The id of the position whose answer stays; undefined where the cursor is followed. */
  get pinned(): string | undefined {
    return this.pin;
  }

  /** Show a state that is no answer, or a part of one. */
  show(state: ViewState): void {
    this.current = state;
    this.options.show(state);
  }

  /** Let the answer that is shown stay while the cursor moves, or let it go. */
  setPinned(on: boolean): void {
    const { current } = this;
    this.pin = on && "goal" in current ? current.positionId : undefined;
    if ("goal" in current) this.show({ ...current, pinned: this.pin !== undefined });
  }

  /** The text of a file has changed: what is shown of it stays, dimmed. */
  changed(uri: string): void {
    const { current } = this;
    if ("file" in current && current.file !== uri) return;
    if (current.stale !== true) this.show(model.asStale(current));
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
    void this.count(question, abort.signal);
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
      // Where there is none, the server knows better why: its own Lean runs for the tactics in any case.
      if (found.kind === "absent" || (found.kind === "none" && question.tactics)) return "";
      if (found.kind === "none") this.answered({ kind: "noGoal", reason: "noGoals" });
      else if (!model.isKept(this.current, this.isSameProof(question))) this.show({ kind: "noGoal", reason: "unsettled" });
      if (found.kind === "none" || !(await pause(BETWEEN_MS, signal))) return null;
    }
    return null;
  }

  private async suggest(question: Question, goal: string, outer: AbortSignal): Promise<void> {
    const { server, limiter, positions } = this.options;
    const uri = question.document.uri.toString();
    const { line, character } = question.position;
    const selected = question.select ?? "";
    const goalNumber = question.goalNumber ?? 1;
    const { tactics } = question;
    const positionId = positions.add(uri, { line, character });
    if (this.pin !== undefined) this.pin = positionId;
    const asked = { positionId, file: uri, line: line + 1, selected };
    const params = {
      textDocument: { uri },
      position: { line, character },
      tactics,
      ...(goalNumber > 1 && { goalNumber }),
      explain: true,
      parts: true,
      ...(selected !== "" && { select: selected }),
      ...(goal !== "" && { goal }),
    };
    let partial: Suggestion | null = null;
    const take = (part: unknown) => {
      const news = readTactics(part);
      partial = readSuggestion(part) ?? (partial && news && { ...partial, tactics: news });
      if (partial !== null && !outer.aborted) this.answered(model.ofAnswer(partial, asked, this.progress(question)));
    };
    const weight = question.byPerson ? Weight.asked : Weight.follow;
    const work = (signal: AbortSignal) =>
      tactics
        ? server.requestInParts("premiseSuggest/suggest", params, signal, take)
        : server.request("premiseSuggest/suggest", params, signal);
    const answer = readSuggestion(await limiter.run(weight, work, outer));
    if (answer === null || outer.aborted) return;
    this.answered(model.ofAnswer(answer, asked, this.progress(question)));
  }

  /** Show what was found, with what is known besides. */
  private answered(state: ViewState): void {
    const { sorries } = this;
    if (!("goal" in state)) this.pin = undefined; // there is nothing left that could stay
    this.show({ ...state, sorries, ...("goal" in state && { pinned: this.pin !== undefined }) });
  }

  /** Count the file's `sorry`s; where that fails, the rest is shown without them. */
  private async count({ document, position }: Question, signal: AbortSignal): Promise<void> {
    const uri = document.uri.toString();
    const cursor = { line: position.line + 1, column: columnAt(document.lineAt(position.line).text, position.character) };
    const params = { textDocument: { uri } };
    const found = await this.options.server.request("premiseSuggest/sorries", params, signal).then(
      (answer) => sorriesAt(readSorries(answer), cursor, uri),
      () => null,
    );
    if (signal.aborted) return;
    this.sorries = found;
    if (model.isAnswer(this.current)) this.show({ ...this.current, sorries: found });
  }

  /** Whether what is shown is of the proof that a question is about. */
  private isSameProof({ document, position }: Question): boolean {
    const { current } = this;
    if (current.kind !== "ready" || current.file !== document.uri.toString()) return false;
    const before = this.options.positions.find(current.positionId)?.position?.line ?? position.line;
    return sameDeclaration((line) => document.lineAt(line).text, before, position.line);
  }

  private failed(error: unknown, question: Question): void {
    if (error instanceof vscode.CancellationError || error instanceof NoServer || isPassing(error)) return;
    // A server that ends in mid-answer is reported by its own state, not by the broken request.
    if (this.options.server.state.kind !== "running") return;
    const failure = model.ofFailure(readFailure(error), question.document.uri.toString(), this.progress(question));
    this.answered(model.afterFailure(this.current, failure, this.isSameProof(question)));
  }

  private progress(question: Question): Progress | undefined {
    return this.options.progressFor(question.document.uri);
  }
}
