/** Follows the cursor: a request ends as soon as it moves, and the next one is sent when it rests. */

import * as vscode from "vscode";

import { Debounce } from "./debounce";
import { isLean, type LeanEditor } from "./lean";

export interface Follower {
  /** Whether the view follows the cursor now. */
  readonly isWanted: () => boolean;
  /** How long the cursor has to rest, in milliseconds. */
  readonly wait: () => number;
  readonly onMove: () => void;
  /** The cursor rests in this editor, or in none of Lean's. */
  readonly onRest: (editor: vscode.TextEditor | undefined) => void;
}

export class CursorFollower implements vscode.Disposable {
  private readonly debounce = new Debounce();
  private readonly listeners: vscode.Disposable[];
  private asked = "";

  constructor(
    private readonly editor: LeanEditor,
    private readonly follower: Follower,
  ) {
    this.listeners = [
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.moved(textEditor.document)),
      vscode.window.onDidChangeActiveTextEditor((active) => this.moved(active?.document)),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) this.moved(document);
      }),
      vscode.workspace.onDidCloseTextDocument((document) => this.moved(document)),
    ];
  }

  /** Ask again though the cursor has not moved, once it has rested. */
  again(): void {
    this.schedule();
  }

  /** Send a request unless there has been one for this position. */
  check(): void {
    if (keyOf(this.editor.current) !== this.asked) this.schedule();
  }

  /** The last request has no answer any more. */
  forget(): void {
    this.asked = "";
  }

  /** The position was requested by other means: resting there sends no request. */
  hasAsked(editor: vscode.TextEditor): void {
    this.debounce.cancel();
    this.asked = keyOf(editor);
  }

  dispose(): void {
    this.debounce.cancel();
    for (const listener of this.listeners) listener.dispose();
  }

  private moved(document: vscode.TextDocument | undefined): void {
    if (document !== undefined && !isLean(document)) return;
    const { current } = this.editor;
    if (keyOf(current) === this.asked) return this.debounce.cancel();
    this.schedule();
  }

  private schedule(): void {
    this.asked = ""; // The request ends here, so coming back to its position sends another.
    this.follower.onMove();
    this.debounce.moved(this.follower.wait(), () => this.rests());
  }

  private rests(): void {
    if (!this.follower.isWanted()) return;
    const { current } = this.editor;
    this.asked = keyOf(current);
    this.follower.onRest(current);
  }
}

/** What an answer depends on: the text, and the position in it. */
function keyOf(editor: vscode.TextEditor | undefined): string {
  if (editor === undefined) return "none";
  const { document, selection } = editor;
  const { line, character } = selection.active;
  return `${document.uri.toString()} ${document.version} ${line}:${character}`;
}
