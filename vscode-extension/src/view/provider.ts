/** The *Premises* view inside VS Code: keeps the last state, shows it when there is a page, passes on requests. */

import { randomBytes } from "node:crypto";

import * as vscode from "vscode";

import { pageHtml } from "./html";
import { readPageMessage } from "./messages";
import type { DetailsMessage, PageMessage, PremiseItem, ProofMessage, ProofState, StateMessage, ViewActions, ViewState } from "./state";

export class PremisesView implements vscode.WebviewViewProvider, vscode.Disposable {
  /** The view's id in package.json. */
  static readonly id = "premiseSuggest.premises";

  private readonly visibility = new vscode.EventEmitter<boolean>();
  /** Fires with whether the view can be seen; not seen, it needs no answers. */
  readonly onDidChangeVisibility = this.visibility.event;

  private state: ViewState = { kind: "starting" };
  private proof: ProofState = { kind: "none" };
  private view: vscode.WebviewView | undefined;
  private seen = false;

  constructor(
    private readonly extensionUri: vscode.Uri,
    private readonly actions: ViewActions,
  ) {}

  get visible(): boolean {
    return this.view?.visible ?? false;
  }

  /** Show a state; where there is no page yet, it is shown once there is one. */
  show(state: ViewState): void {
    this.state = state;
    this.send();
  }

  /** Show how far the search for a proof is. */
  showProof(proof: ProofState): void {
    this.proof = proof;
    this.sendProof();
  }

  /** Open the view; with the focus on it unless that is to be left where it is. */
  reveal(preserveFocus = false): void {
    if (this.view !== undefined) this.view.show(preserveFocus);
    else void vscode.commands.executeCommand(`${PremisesView.id}.focus`, { preserveFocus });
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    view.webview.options = {
      enableScripts: true,
      localResourceRoots: [this.folder("dist"), this.folder("media")],
    };
    const listeners = [
      view.webview.onDidReceiveMessage((value: unknown) => this.receive(value)),
      view.onDidChangeVisibility(() => this.tellVisibility()),
    ];
    view.onDidDispose(() => {
      for (const listener of listeners) listener.dispose();
      if (this.view === view) this.view = undefined;
      this.tellVisibility();
    });
    view.webview.html = this.html(view.webview);
    this.tellVisibility();
  }

  dispose(): void {
    this.visibility.dispose();
  }

  private html(webview: vscode.Webview): string {
    return pageHtml({
      cspSource: webview.cspSource,
      script: webview.asWebviewUri(vscode.Uri.joinPath(this.folder("dist"), "view.js")).toString(),
      style: webview.asWebviewUri(vscode.Uri.joinPath(this.folder("media"), "view.css")).toString(),
      nonce: randomBytes(16).toString("hex"),
    });
  }

  private folder(name: string): vscode.Uri {
    return vscode.Uri.joinPath(this.extensionUri, name);
  }

  private tellVisibility(): void {
    if (this.visible === this.seen) return;
    this.seen = this.visible;
    this.visibility.fire(this.seen);
  }

  private send(): void {
    const message: StateMessage = { type: "state", state: this.state };
    void this.view?.webview.postMessage(message);
  }

  private sendProof(): void {
    const message: ProofMessage = { type: "proof", proof: this.proof };
    void this.view?.webview.postMessage(message);
  }

  private async sendDetails(premise: PremiseItem): Promise<void> {
    const details = await this.actions.details(premise);
    if (details === null) return;
    const message: DetailsMessage = { type: "details", name: premise.name, module: premise.module, details };
    void this.view?.webview.postMessage(message);
  }

  private receive(value: unknown): void {
    const message = readPageMessage(value);
    if (message !== null) this.act(message);
  }

  private act(message: PageMessage): void {
    switch (message.type) {
      case "loaded":
        this.send();
        return this.sendProof();
      case "insertTactic":
        return this.actions.insertTactic(message.tactic, message.positionId);
      case "insertPremise": {
        const { premise, addImport, positionId } = message;
        return this.actions.insertPremise(premise, { addImport, positionId });
      }
      case "chooseGoal":
        return this.actions.chooseGoal(message.number, message.positionId);
      case "pinGoal":
        return this.actions.pinGoal(message.pinned);
      case "prove":
        return this.actions.prove(message.positionId);
      case "atProof":
        return this.actions.atProof(message.action);
      case "details":
        return void this.sendDetails(message.premise);
      case "goTo":
        return this.actions.goTo(message.place);
      case "selectPart":
        return this.actions.selectPart(message.part, message.positionId);
      case "copyName":
        return this.actions.copyName(message.name);
      case "openDeclaration":
        return this.actions.openDeclaration(message.premise);
      case "run":
        return this.actions.run(message.command);
    }
  }
}
