/** Putting tactics and names into the text, at the position that the answer was for. */

import * as vscode from "vscode";

import type { TextPosition, TrackedPositions } from "../positions";
import type { Server } from "../server/server";
import { readEdits, readFailure, sentence, type Edits, type WireEdit } from "../wire";
import { cursorAfter } from "./edits";

/** What is inserted: text, how the server is to place it, and an `import` line that goes with it. */
export interface Insertion {
  readonly text: string;
  readonly as: "tactic" | "name" | "premise";
  readonly importLine: string | null;
  /** For which of several goals a premise is, from 1, the first where it is left out. */
  readonly goalNumber?: number;
}

const CHANGED = "The text at that position has changed since the request. Try again there.";
const TRIES = 2;
/** How much of a tactic a message shows, in characters. */
const LONGEST = 120;

/** Thrown with a sentence for a person. */
class Refused extends Error {}

/** Insert; a failure is shown in a message. */
export async function insert(
  server: Server,
  positions: TrackedPositions,
  positionId: string,
  wanted: Insertion,
): Promise<void> {
  try {
    await attempt(server, positions, positionId, wanted);
  } catch (error) {
    const message = error instanceof Refused ? error.message : sentence(readFailure(error));
    void vscode.window.showWarningMessage(`Premise Suggest: ${message}`);
  }
}

async function attempt(
  server: Server,
  positions: TrackedPositions,
  positionId: string,
  wanted: Insertion,
): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    const tracked = positions.find(positionId);
    if (tracked === undefined || tracked.position === null) throw new Refused(CHANGED);
    // The focus goes there before any request: what the person opens meanwhile must not lose it.
    const editor = await show(await vscode.workspace.openTextDocument(vscode.Uri.parse(tracked.uri)));
    const { version } = editor.document;
    // For a premise, Lean may have to try several forms.
    const options = { location: vscode.ProgressLocation.Window, title: `Inserting ${wanted.text}` };
    const { uri, position } = tracked;
    const answer = await vscode.window.withProgress(options, () => ask(server, uri, position, wanted));
    if (editor.document.version !== version) continue;
    await apply(editor, answer, wanted);
    return tell(answer);
  }
  throw new Refused("The text changed while it was being edited. Try again.");
}

async function ask(
  server: Server,
  uri: string,
  position: TextPosition,
  wanted: Insertion,
): Promise<Edits> {
  const answer = await server.request("premiseSuggest/edits", {
    textDocument: { uri },
    position,
    insert: wanted.text,
    as: wanted.as,
    ...(wanted.as === "tactic" && { accepted: true }),
    ...(wanted.importLine !== null && { import: wanted.importLine }),
    ...(wanted.goalNumber !== undefined && { goalNumber: wanted.goalNumber }),
  });
  const found = readEdits(answer);
  if (found === null || found.edits.length === 0) throw new Refused("The server sent no edits for that position.");
  return found;
}

/** Say what cannot be seen in the text: that Lean does not accept it. */
function tell({ status, tactic }: Edits): void {
  if (status !== "fails") return;
  const what = tactic.length > LONGEST ? `${tactic.slice(0, LONGEST)}…` : tactic;
  void vscode.window.showInformationMessage(`Premise Suggest: Lean does not accept "${what}" here. It was inserted as a draft.`);
}

/** The document with the focus, in the column where it is seen already. */
export function show(document: vscode.TextDocument): Thenable<vscode.TextEditor> {
  const column = vscode.window.visibleTextEditors.find((editor) => editor.document === document)?.viewColumn;
  return vscode.window.showTextDocument(document, column);
}

async function apply(editor: vscode.TextEditor, { edits, cursor: place }: Edits, wanted: Insertion): Promise<void> {
  const all = new vscode.WorkspaceEdit();
  for (const { range, newText } of edits) all.replace(editor.document.uri, rangeOf(range), newText);
  if (!(await vscode.workspace.applyEdit(all))) throw new Refused("VS Code did not apply the edit.");
  const end = place ?? cursorAfter(edits, wanted.text);
  if (end === null) return;
  const cursor = new vscode.Position(end.line, end.character);
  editor.selection = new vscode.Selection(cursor, cursor);
  editor.revealRange(editor.selection);
}

export function rangeOf({ start, end }: WireEdit["range"]): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
