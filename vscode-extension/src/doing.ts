/** What a person asks for: by a command, a button of the view, or a button of a message. */

import * as vscode from "vscode";

import { insert, type Insertion } from "./actions/insert";
import { openDeclaration } from "./actions/declaration";
import type { Asker } from "./asking";
import { config } from "./config";
import type { CursorFollower } from "./cursor";
import type { Indexes } from "./indexes";
import type { LeanEditor } from "./lean";
import { Weight, type Limiter } from "./limiter";
import type { TrackedPositions } from "./positions";
import { showSearch } from "./search";
import { installServer } from "./server/install";
import type { Remedy } from "./server/problems";
import type { Server } from "./server/server";
import type { Toasts } from "./toasts";
import type { PremiseItem, ViewActions, ViewCommand } from "./view/state";
import { readFailure, readSearch, sentence } from "./wire";

const SETTINGS = "@ext:premise-suggest.premise-suggest";

/** The parts that actions need. */
export interface Parts {
  readonly server: Server;
  readonly asker: Asker;
  readonly follower: CursorFollower;
  readonly limiter: Limiter;
  readonly positions: TrackedPositions;
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
    await server.start();
    await this.ask(current, config.tacticsAsked(current.document.uri), true);
  }

  /** Ask at an editor's cursor. */
  ask({ document, selection }: vscode.TextEditor, tactics: boolean, byPerson: boolean): Promise<void> {
    const bridge = config.fromLean4Extension();
    return this.parts.asker.ask({ document, position: selection.active, tactics, bridge, byPerson });
  }

  search(): void {
    const { editor, positions, server } = this.parts;
    const { current } = editor;
    const uri = current?.document.uri;
    const positionId = current ? positions.add(current.document.uri.toString(), current.selection.active) : null;
    const at = current && { textDocument: { uri: current.document.uri.toString() }, position: plain(current.selection.active) };
    showSearch(
      {
        search: (query, signal) => this.look({ query, ...at }, signal),
        insert: (premise, addImport) => this.insertPremise(premise, { addImport, positionId }),
        copy: (premise) => this.copyName(premise.name),
        open: (premise) => void openDeclaration(server, premise, uri),
      },
      current !== undefined,
    );
  }

  async indexProject(): Promise<void> {
    const { editor, follower, server, toasts } = this.parts;
    const uri = editor.current?.document.uri;
    toasts.end("index");
    try {
      await server.start();
      await server.request("premiseSuggest/index", uri ? { textDocument: { uri: uri.toString() } } : {});
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

  insertTactic({ tactic }: { readonly tactic: string }, positionId: string | null): void {
    void this.insert(positionId, { text: tactic, as: "tactic", importLine: null });
  }

  insertPremise(premise: PremiseItem, options: { addImport: boolean; positionId: string | null }): void {
    const importLine = options.addImport ? premise.import : null;
    void this.insert(options.positionId, { text: premise.name, as: "name", importLine });
  }

  selectPart(part: string, positionId: string): void {
    void this.askForPart(part, positionId);
  }

  copyName(name: string): void {
    void vscode.env.clipboard.writeText(name).then(() => vscode.window.setStatusBarMessage(`Copied ${name}`, 3000));
  }

  openDeclaration(premise: PremiseItem): void {
    void openDeclaration(this.parts.server, premise, this.parts.editor.current?.document.uri);
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

  /** Ask again at the position of an answer, for a part of its goal. */
  private async askForPart(select: string, positionId: string): Promise<void> {
    const { asker, positions } = this.parts;
    const found = positions.find(positionId);
    if (found === undefined || found.position === null) return;
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(found.uri));
    const position = new vscode.Position(found.position.line, found.position.character);
    const tactics = config.tactics(document.uri) || (select !== "" && config.tacticsAsked(document.uri));
    await asker.ask({ document, position, tactics, bridge: config.fromLean4Extension(), byPerson: true, select });
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

function plain({ line, character }: vscode.Position): { line: number; character: number } {
  return { line, character };
}
