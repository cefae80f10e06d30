/** What a person asks for: by a command, a button of the view, or a button of a message. */

import * as vscode from "vscode";

import { insert, type Insertion } from "./actions/insert";
import { lookUp, openDeclaration, type Named } from "./actions/declaration";
import { goTo, goToSorry } from "./actions/going";
import type { Asker, Question } from "./asking";
import { config } from "./config";
import type { CursorFollower } from "./cursor";
import type { Indexes } from "./indexes";
import type { LeanEditor } from "./lean";
import { Weight, type Limiter } from "./limiter";
import type { TrackedPositions } from "./positions";
import type { Prover } from "./proving";
import { showSearch } from "./search";
import { installServer } from "./server/install";
import type { Remedy } from "./server/problems";
import type { Server } from "./server/server";
import type { Toasts } from "./toasts";
import { showUses } from "./uses";
import type { Details, Place, PremiseItem, ProofAction, TacticItem, ViewActions, ViewCommand } from "./view/state";
import { isRecord, readFailure, readIndexed, readSearch, readUses, sentence } from "./wire";

/** Of each list. */
const LISTED_USES = 100;
const SETTINGS = "@ext:premise-suggest.premise-suggest";

/** The parts that actions need. */
export interface Parts {
  readonly server: Server;
  readonly asker: Asker;
  readonly follower: CursorFollower;
  readonly limiter: Limiter;
  readonly positions: TrackedPositions;
  readonly prover: Prover;
  readonly indexes: Indexes;
  readonly editor: LeanEditor;
  readonly channel: vscode.LogOutputChannel;
  readonly storage: vscode.Uri;
  readonly toasts: Toasts;
  readonly reveal: () => void;
}

export class Doing implements ViewActions {
  constructor(private readonly parts: Parts) {}

  /** Ask now, with tactics, and move the focus to the view. */
  async suggestHere(): Promise<void> {
    const { asker, editor, follower, server } = this.parts;
    this.parts.reveal();
    const { current } = editor;
    if (current === undefined) return asker.show({ kind: "noGoal", reason: "noFile" });
    follower.hasAsked(current);
    asker.setPinned(false);
    await server.start();
    await this.ask(current, config.tacticsAsked(current.document.uri), true);
  }

  /** Ask at an editor's cursor. */
  ask({ document, selection }: vscode.TextEditor, tactics: boolean, byPerson: boolean): Promise<void> {
    const bridge = config.fromLean4Extension();
    return this.parts.asker.ask({ document, position: selection.active, tactics, bridge, byPerson });
  }

  /** The text of a pinned answer has changed, or there is none yet: ask again where it was. False where nothing is pinned any more. */
  askPinned(): boolean {
    const { asker, positions } = this.parts;
    const { pinned, state } = asker;
    if (pinned === undefined) return false;
    if (positions.find(pinned)?.position === null) {
      asker.setPinned(false);
      return false;
    }
    if (state.stale === true && "goal" in state) void this.askAt(pinned, { goalNumber: state.goalNumber }, false);
    return true;
  }

  /** Move the cursor to another `sorry` of the file. */
  async goToSorry(step: "next" | "previous"): Promise<void> {
    const { editor, server } = this.parts;
    if (editor.current !== undefined) await goToSorry(server, editor.current, step);
  }

  /** Search for a proof at the cursor, and move the focus to the view. */
  async proveHere(): Promise<void> {
    const { editor, prover } = this.parts;
    const { current } = editor;
    this.parts.reveal();
    if (current !== undefined) await prover.prove(current.document, current.selection.active);
  }

  prove(positionId: string): void {
    void this.placeOf(positionId).then((place) => place && this.parts.prover.prove(place.document, place.position));
  }

  atProof(action: ProofAction): void {
    this.parts.prover.act(action);
  }

  goTo(place: Place): void {
    void goTo(place);
  }

  search(query = ""): void {
    const { editor, positions, server } = this.parts;
    const { current } = editor;
    const uri = current?.document.uri;
    const positionId = current ? positions.add(current.document.uri.toString(), current.selection.active) : null;
    const at = current && { textDocument: { uri: current.document.uri.toString() }, position: plain(current.selection.active) };
    showSearch(
      {
        search: (query, as, signal) => this.look({ query, ...(as !== null && { as }), ...at }, signal),
        insert: (premise, addImport) => void this.insert(positionId, insertionOf(premise, "name", addImport)),
        copy: (premise) => this.copyName(premise.name),
        open: (premise) => void openDeclaration(server, premise, uri),
      },
      current !== undefined,
      query,
    );
  }

  async indexProject(): Promise<void> {
    const { asker, editor, follower, indexes, server, toasts } = this.parts;
    const uri = editor.current?.document.uri;
    toasts.end("index");
    try {
      await server.start();
      const answer = await server.request("premiseSuggest/index", uri ? { textDocument: { uri: uri.toString() } } : {});
      const index = readIndexed(answer);
      if (index !== null) indexes.checked(index);
      asker.show(asker.state); // its foot says when the index was checked
      follower.again();
    } catch (error) {
      toasts.show("index", sentence(readFailure(error)), ["output"]);
    }
  }

  async restart(): Promise<void> {
    await this.parts.server.restart();
  }

  async install(): Promise<void> {
    const { channel, server, storage, toasts } = this.parts;
    if (await installServer(storage, channel, toasts, () => server.stop())) await server.restart();
    else if (server.state.kind === "idle") await server.start();
  }

  insertTactic(item: Pick<TacticItem, "tactic" | "import">, positionId: string | null): void {
    void this.insert(positionId, { text: item.tactic, as: "tactic", importLine: item.import });
  }

  insertPremise(premise: PremiseItem, options: { addImport: boolean; positionId: string | null }): void {
    void this.insert(options.positionId, { ...insertionOf(premise, "premise", options.addImport), ...this.goalNumber });
  }

  selectPart(part: string, positionId: string): void {
    void this.askAt(positionId, { select: part, ...this.goalNumber }, true);
  }

  chooseGoal(number: number, positionId: string): void {
    void this.askAt(positionId, { goalNumber: number }, true);
  }

  pinGoal(pinned: boolean): void {
    const { asker, follower } = this.parts;
    asker.setPinned(pinned);
    if (!pinned) follower.again();
  }

  copyName(name: string): void {
    void vscode.env.clipboard.writeText(name).then(() => vscode.window.setStatusBarMessage(`Copied ${name}`, 3000));
  }

  /** The entries of the view's context menu; VS Code passes what the page keeps at the row. */
  copyRow(row: unknown): void {
    if (isRecord(row) && typeof row["copied"] === "string") this.copyName(row["copied"]);
  }

  searchLikeRow(row: unknown): void {
    if (isRecord(row) && typeof row["copied"] === "string") this.search(`like:${row["copied"]}`);
  }

  usesOfRow(row: unknown): void {
    if (!isRecord(row) || typeof row["copied"] !== "string") return;
    const name = row["copied"];
    const file = this.parts.editor.current?.document.uri;
    const params = { name, k: LISTED_USES, ...(file && { textDocument: { uri: file.toString() } }) };
    const ask = async () => readUses(await this.parts.server.request("premiseSuggest/uses", params));
    void showUses(name, ask, (use) => this.openDeclaration(use));
  }

  openDeclaration(premise: Named): void {
    void openDeclaration(this.parts.server, premise, this.parts.editor.current?.document.uri);
  }

  details(premise: PremiseItem): Promise<Details | null> {
    return lookUp(this.parts.server, premise, this.parts.editor.current?.document.uri).catch(() => null);
  }

  run(command: ViewCommand | Remedy): void {
    const actions: Record<ViewCommand, () => unknown> = {
      install: () => this.install(),
      restart: () => this.restart(),
      output: () => this.parts.channel.show(),
      index: () => this.indexProject(),
      settings: () => vscode.commands.executeCommand("workbench.action.openSettings", SETTINGS),
      trust: () => vscode.commands.executeCommand("workbench.trust.manage"),
      retry: () => this.retry(),
    };
    void actions[command]();
  }

  private async look(params: { query: string }, signal: AbortSignal) {
    const { indexes, limiter, server } = this.parts;
    const work = (inner: AbortSignal) => server.request("premiseSuggest/search", params, inner);
    const answer = readSearch(await limiter.run(Weight.asked, work, signal));
    if (answer !== null) indexes.answered(answer.index);
    return answer;
  }

  /** Which goal is shown. */
  private get goalNumber(): { readonly goalNumber?: number } {
    const { state } = this.parts.asker;
    return "goal" in state ? { goalNumber: state.goalNumber } : {};
  }

  /** Ask again at the position of an answer: for a part of its goal, for another goal, or because the text has changed. */
  private async askAt(positionId: string, more: Pick<Question, "select" | "goalNumber">, byPerson: boolean): Promise<void> {
    const place = await this.placeOf(positionId);
    if (place === null) return;
    const { uri } = place.document;
    const tactics = config.tactics(uri) || ((more.select ?? "") !== "" && config.tacticsAsked(uri));
    await this.parts.asker.ask({ ...place, tactics, bridge: config.fromLean4Extension(), byPerson, ...more });
  }

  /** Where the position of an answer is now; null where its text was removed. */
  private async placeOf(positionId: string): Promise<Pick<Question, "document" | "position"> | null> {
    const found = this.parts.positions.find(positionId);
    if (found === undefined || found.position === null) return null;
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(found.uri));
    return { document, position: new vscode.Position(found.position.line, found.position.character) };
  }

  private async retry(): Promise<void> {
    const { editor, server } = this.parts;
    if (server.state.kind === "problem") return this.restart();
    const { current } = editor;
    if (current !== undefined) await this.ask(current, config.tactics(current.document.uri), true);
  }

  /** Insert at the position of an answer; without one, at the cursor. */
  private async insert(positionId: string | null, wanted: Insertion): Promise<void> {
    const { editor, positions, server } = this.parts;
    const { current } = editor;
    const id = positionId ?? (current && positions.add(current.document.uri.toString(), current.selection.active));
    if (id !== undefined) await insert(server, positions, id, wanted);
    else void vscode.window.showWarningMessage("Premise Suggest: Open a Lean file to insert into.");
  }
}

/** A premise to insert: as its bare name, or as a tactic that uses it. */
function insertionOf(premise: PremiseItem, as: "name" | "premise", addImport: boolean): Insertion {
  return { text: premise.name, as, importLine: addImport ? premise.import : null };
}

function plain({ line, character }: vscode.Position): { line: number; character: number } {
  return { line, character };
}
