/** All parts, put together: what happens, and what is shown of it. */

import * as vscode from "vscode";

import { offerTools, type NewerVscode } from "./agentTools";
import type { Api } from "./api";
import { Asker } from "./asking";
import { config, STARTS_ANEW } from "./config";
import { CursorFollower } from "./cursor";
import { Doing } from "./doing";
import type { StatusItem } from "./generated/answers";
import { GoalBridge } from "./goal/bridge";
import { Lean4Extension } from "./goal/lean4";
import { Indexes } from "./indexes";
import { isLean, LeanEditor } from "./lean";
import { Limiter } from "./limiter";
import { offerLean4 } from "./offerLean4";
import { TrackedPositions } from "./positions";
import { Prover } from "./proving";
import { findServer } from "./server/find";
import { searchIn } from "./server/locate";
import { Server, type ServerState } from "./server/server";
import { StatusBar } from "./statusBar";
import { Toasts } from "./toasts";
import { PremisesView } from "./view/provider";
import type { ViewActions, ViewState } from "./view/state";
import * as model from "./viewModel";
import { sentence } from "./wire";

export class App implements vscode.Disposable {
  readonly doing: Doing;
  readonly view: PremisesView;
  private readonly limiter = new Limiter();
  private readonly positions = new TrackedPositions();
  private readonly indexes = new Indexes();
  private readonly lean4 = new Lean4Extension();
  private readonly editor = new LeanEditor();
  private readonly states = new vscode.EventEmitter<ViewState>();
  private readonly toasts = new Toasts();
  private readonly server: Server;
  private readonly asker: Asker;
  private readonly follower: CursorFollower;
  private readonly statusBar: StatusBar;
  private readonly parts: vscode.Disposable[];

  constructor(
    private readonly context: vscode.ExtensionContext,
    channel: vscode.LogOutputChannel,
    cwd: string,
  ) {
    const { limiter, positions, indexes, editor, toasts } = this;
    const storage = context.globalStorageUri;
    const locate = async () => findServer(await searchIn(storage, channel));
    this.server = new Server({
      locate,
      cwd,
      channel,
      limiter,
      canCompete: () => this.lean4.present,
      onStatus: (status) => indexes.notice(status),
    });
    const { server } = this;
    this.asker = new Asker({
      server,
      bridge: new GoalBridge(this.lean4),
      limiter,
      positions,
      progressFor: (uri) => indexes.progressFor(uri),
      show: (state) => this.shown(state),
    });
    const { asker } = this;
    this.follower = new CursorFollower(editor, {
      isWanted: () => this.view.visible && config.followCursor(),
      wait: config.debounce,
      onMove: () => config.followCursor() && asker.pinned === undefined && asker.cancel(),
      onRest: (active) => this.rests(active),
    });
    const { follower } = this;
    const reveal = () => this.view.reveal();
    const prover = new Prover(server, (proof) => this.view.showProof(proof));
    const parts = { server, asker, follower, limiter, positions, prover, indexes, editor, channel, storage, toasts, reveal };
    this.doing = new Doing(parts);
    this.view = new PremisesView(context.extensionUri, this.doing satisfies ViewActions);
    this.statusBar = new StatusBar(() => ({
      server: server.state.kind,
      index: indexes.item,
      checked: indexes.lastChecked,
      indexing: indexes.progressFor(editor.current?.document.uri),
      visible: editor.current !== undefined,
    }));
    const tools = offerTools(vscode as unknown as NewerVscode, {
      locate,
      log: (line) => channel.info(line),
      folders: () => trustedFolders(),
      onDidChange: (listener) =>
        vscode.Disposable.from(server.onDidChange(listener), vscode.workspace.onDidChangeWorkspaceFolders(listener)),
    });
    const listeners = [...this.listeners(), ...(tools === undefined ? [] : [tools as vscode.Disposable])];
    this.parts = [...listeners, follower, this.statusBar, this.view, server, indexes, editor, toasts];
  }

  /** What the extension exports. */
  get api(): Api {
    return {
      state: () => this.asker.state,
      onDidChangeState: this.states.event,
      server: () => this.server.state,
      onDidChangeServer: this.server.onDidChange,
      serverPid: () => this.server.pid,
      requests: () => this.limiter.counts,
    };
  }

  /** Start what is allowed to be started. */
  async start(): Promise<void> {
    this.statusBar.update();
    if (this.editor.current !== undefined) void offerLean4(this.context, this.lean4.present);
    await this.server.start();
  }

  /** End the server; resolves when its process has ended. */
  stop(): Promise<void> {
    return this.server.stop();
  }

  dispose(): void {
    this.asker.cancel();
    for (const part of this.parts) part.dispose();
    this.states.dispose();
  }

  private rests(editor: vscode.TextEditor | undefined): void {
    this.statusBar.update();
    if (this.doing.askPinned()) return;
    if (editor !== undefined) void this.doing.ask(editor, config.tactics(editor.document.uri), false);
    else if (this.server.state.kind === "running") this.asker.show({ kind: "noGoal", reason: "noFile" });
  }

  private shown(state: ViewState): void {
    this.view.show("goal" in state ? { ...state, checked: this.indexes.lastChecked } : state);
    if (state.kind === "ready") this.indexes.answered(state.index);
    this.states.fire(state);
  }

  private seen(visible: boolean): void {
    if (visible) return this.follower.check();
    this.asker.cancel();
    this.follower.forget();
  }

  private serverChanged(state: ServerState): void {
    this.asker.cancel();
    this.statusBar.update();
    void vscode.commands.executeCommand("setContext", "premiseSuggest.serverRunning", state.kind === "running");
    if (state.kind !== "running") this.indexes.reset();
    this.toastProblem(state);
    if (state.kind === "starting") this.asker.show({ kind: "starting" });
    if (state.kind === "running") this.follower.again();
    if (state.kind === "problem") this.asker.show(model.ofProblem(state.problem));
  }

  /** Tell of a problem for as long as it is one; what an untrusted workspace lacks, the view says. */
  private toastProblem(state: ServerState): void {
    const { toasts } = this;
    if (state.kind !== "problem") toasts.end("server");
    else if (state.problem.reason !== "untrusted") toasts.show("server", sentence(state.problem), state.problem.remedies);
    if (state.kind === "running") for (const mended of ["index", "install"] as const) toasts.end(mended);
  }

  private indexChanged(status: StatusItem | undefined): void {
    this.statusBar.update();
    const uri = this.editor.current?.document.uri;
    if (status === undefined || uri === undefined) return;
    const { state } = this.asker;
    const updated = model.withProgress(state, this.indexes.progressFor(uri));
    if (updated !== state) this.asker.show(updated);
    if (status.index !== null) this.toasts.end("index");
    if (!status.indexing) this.follower.again();
  }

  private configured(change: vscode.ConfigurationChangeEvent): void {
    if (STARTS_ANEW.some((name) => change.affectsConfiguration(name))) void this.doing.restart();
    else if (change.affectsConfiguration("premiseSuggest")) this.follower.again();
  }

  private edited({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (!isLean(document)) return;
    const changes = contentChanges.map(({ range, text }) => ({ start: range.start, end: range.end, text }));
    this.positions.changed(document.uri.toString(), changes);
    if (changes.length > 0) this.asker.changed(document.uri.toString());
  }

  private listeners(): vscode.Disposable[] {
    return [
      this.server.onDidChange((state) => this.serverChanged(state)),
      this.indexes.onDidChange((status) => this.indexChanged(status)),
      this.view.onDidChangeVisibility((visible) => this.seen(visible)),
      vscode.window.onDidChangeActiveTextEditor(() => this.statusBar.update()),
      vscode.workspace.onDidChangeTextDocument((change) => this.edited(change)),
      vscode.workspace.onDidChangeConfiguration((change) => this.configured(change)),
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.doing.restart()),
    ];
  }
}

/** The folders that are open; none in a workspace that is not trusted. */
function trustedFolders(): readonly string[] {
  if (!vscode.workspace.isTrusted) return [];
  return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file").map(({ uri }) => uri.fsPath);
}
