/** The item in the status bar: the index's age, or what keeps it from being used. Shown for Lean files only. */

import * as vscode from "vscode";

import { statusText, type ServerKind } from "./statusText";
import type { IndexItem, Progress } from "./view/state";

const REFRESH_MS = 60_000;

export interface Shown {
  readonly server: ServerKind;
  readonly index: IndexItem | null;
  /** When it was last compared with the files (ISO 8601). */
  readonly checked: string | null;
  readonly indexing: Progress | undefined;
  readonly visible: boolean;
}

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("premiseSuggest.index", vscode.StatusBarAlignment.Right, 90);
  private readonly timer: ReturnType<typeof setInterval>;

  constructor(private readonly what: () => Shown) {
    this.item.name = "Premise Suggest: Index";
    this.timer = setInterval(() => this.update(), REFRESH_MS);
  }

  update(): void {
    const { server, index, checked, indexing, visible } = this.what();
    if (!visible) return this.item.hide();
    const { text, tooltip, warning } = statusText({ server, index, checked, indexing }, Date.now());
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label: `${text.replace(/\$\([^()]*\)\s*/gu, "")}. ${tooltip}` };
    this.item.backgroundColor = warning ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    this.item.command = server === "problem" ? "premise-suggest.restartServer" : "premise-suggest.indexProject";
    this.item.show();
  }

  dispose(): void {
    clearInterval(this.timer);
    this.item.dispose();
  }
}
