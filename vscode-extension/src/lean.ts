/** Which documents and editors are Lean's. */

import * as vscode from "vscode";

const LANGUAGES = new Set(["lean4", "lean"]);

export function isLean(document: vscode.TextDocument): boolean {
  return LANGUAGES.has(document.languageId) && document.uri.scheme === "file";
}

/** The Lean editor that a person works in: the active one, else the last one while it can still be seen. */
export class LeanEditor implements vscode.Disposable {
  private last: vscode.TextEditor | undefined;
  private readonly listener: vscode.Disposable;

  constructor() {
    this.take(vscode.window.activeTextEditor);
    this.listener = vscode.window.onDidChangeActiveTextEditor((editor) => this.take(editor));
  }

  get current(): vscode.TextEditor | undefined {
    const active = vscode.window.activeTextEditor;
    if (active !== undefined && isLean(active.document)) return active;
    const { last } = this;
    return vscode.window.visibleTextEditors.find((editor) => editor === last || editor.document === last?.document);
  }

  dispose(): void {
    this.listener.dispose();
  }

  private take(editor: vscode.TextEditor | undefined): void {
    if (editor !== undefined && isLean(editor.document)) this.last = editor;
  }
}
