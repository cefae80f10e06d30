/** One search for a proof at a time: how far it is, and what becomes of its result. */

import * as vscode from "vscode";

import { show } from "./actions/insert";
import type { EditItem, ProofAnswer } from "./generated/answers";
import type { Server } from "./server/server";
import { characterAt } from "./sorries";
import type { ProofAction, ProofState } from "./view/state";
import { isPassing, readFailure, readProof, readProofProgress, sentence } from "./wire";

interface Search {
  readonly document: vscode.TextDocument;
  /** The text that a proof is searched for: of another text, nothing is known. */
  readonly text: string;
  readonly line: number;
  readonly token: string;
  readonly abort: AbortController;
}

const CHANGED = "The text has changed since the search began. Search again.";

export class Prover {
  private current: ProofState = { kind: "none" };
  private search: Search | undefined;
  private count = 0;

  constructor(
    private readonly server: Server,
    private readonly changed: (state: ProofState) => void,
  ) {}

  get state(): ProofState {
    return this.current;
  }

  /** Search at a position; an earlier search ends. Never rejects: what goes wrong is shown. */
  async prove(document: vscode.TextDocument, { line, character }: vscode.Position): Promise<void> {
    this.discard();
    const token = `premise-suggest-proof-${++this.count}`;
    const search: Search = { document, text: document.getText(), line: line + 1, token, abort: new AbortController() };
    this.search = search;
    this.show(search, { kind: "running", line: search.line, progress: null });
    try {
      await this.server.start();
      const params = { textDocument: { uri: document.uri.toString() }, position: { line, character }, version: document.version, workDoneToken: token };
      const take = (part: unknown) => this.show(search, { kind: "running", line: search.line, progress: readProofProgress(part) });
      const answer = readProof(await this.server.requestInParts("premiseSuggest/prove", params, search.abort.signal, take));
      if (answer === null) this.fail(search, "The server's answer cannot be read.");
      else this.show(search, { kind: "ended", line: search.line, answer });
    } catch (error) {
      this.fail(search, isPassing(error) ? CHANGED : sentence(readFailure(error)));
    }
  }

  act(action: ProofAction): void {
    if (action === "insert") void this.insert();
    else if (action === "discard") this.discard();
    else if (this.search !== undefined) this.server.stopWork(this.search.token);
  }

  private discard(): void {
    this.search?.abort.abort();
    this.search = undefined;
    this.current = { kind: "none" };
    this.changed(this.current);
  }

  private async insert(): Promise<void> {
    const { current, search } = this;
    if (current.kind !== "ended" || search === undefined) return;
    if (search.document.isClosed || search.document.getText() !== search.text) return this.fail(search, CHANGED);
    try {
      await write(search.document, current.answer);
      this.discard();
    } catch (error) {
      this.fail(search, sentence(readFailure(error)));
    }
  }

  private fail(search: Search, message: string): void {
    this.show(search, { kind: "failed", line: search.line, message });
  }

  /** Show a state of a search, unless another has begun since. */
  private show(search: Search, state: ProofState): void {
    if (this.search !== search) return;
    this.current = state;
    this.changed(state);
  }
}

async function write(document: vscode.TextDocument, { edits, cursor }: ProofAnswer): Promise<void> {
  const all = new vscode.WorkspaceEdit();
  for (const edit of edits) all.replace(document.uri, rangeOf(document, edit), edit.text);
  // First the edit: what is typed next goes to the editor once that has the focus.
  if (!(await vscode.workspace.applyEdit(all))) throw new Error("VS Code did not apply the edit.");
  const editor = await show(document);
  if (cursor === null) return;
  const at = positionOf(document, cursor.line, cursor.column);
  editor.selection = new vscode.Selection(at, at);
  editor.revealRange(editor.selection);
}

function rangeOf(document: vscode.TextDocument, { line, column, end_line, end_column }: EditItem): vscode.Range {
  return new vscode.Range(positionOf(document, line, column), positionOf(document, end_line, end_column));
}

function positionOf(document: vscode.TextDocument, line: number, column: number): vscode.Position {
  return new vscode.Position(line - 1, characterAt(document.lineAt(line - 1).text, column));
}
