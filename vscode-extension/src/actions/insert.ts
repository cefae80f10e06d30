/** Putting tactics and names into the text, at the place that the answer was for. */

import * as vscode from "vscode";

import type { Places, Spot } from "../places";
import type { Server } from "../server/server";
import { readEdits, readFailure, sentence, type WireEdit } from "../wire";
import { cursorAfter } from "./edits";

/** What is inserted: text, how the server is to place it, and an `import` line that goes with it. */
export interface Insertion {
  readonly text: string;
  readonly as: "tactic" | "name";
  readonly importLine: string | null;
}

const CHANGED = "The text at that place has changed since it was asked about. Ask again there.";
const TRIES = 2;

/** Thrown with a sentence for a person. */
class Refused extends Error {}

/** Insert; what goes wrong is told in a message. */
export async function insert(server: Server, places: Places, place: string, wanted: Insertion): Promise<void> {
  try {
    await attempt(server, places, place, wanted);
  } catch (error) {
    const said = error instanceof Refused ? error.message : sentence(readFailure(error));
    void vscode.window.showWarningMessage(`Premise Suggest: ${said}`);
  }
}

async function attempt(server: Server, places: Places, name: string, wanted: Insertion): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    const place = places.find(name);
    if (place === undefined || place.spot === null) throw new Refused(CHANGED);
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(place.uri));
    const { version } = document;
    const edits = await ask(server, place.uri, place.spot, wanted);
    if (document.version === version) return apply(document, edits, wanted);
  }
  throw new Refused("The text changed while it was being edited. Try again.");
}

async function ask(server: Server, uri: string, position: Spot, wanted: Insertion): Promise<readonly WireEdit[]> {
  const answer = await server.request("premiseSuggest/edits", {
    textDocument: { uri },
    position,
    insert: wanted.text,
    as: wanted.as,
    ...(wanted.importLine !== null && { import: wanted.importLine }),
  });
  const edits = readEdits(answer);
  if (edits === null || edits.length === 0) throw new Refused("The server sent no edits for that place.");
  return edits;
}

async function apply(document: vscode.TextDocument, edits: readonly WireEdit[], wanted: Insertion): Promise<void> {
  const all = new vscode.WorkspaceEdit();
  for (const { range, newText } of edits) all.replace(document.uri, rangeOf(range), newText);
  if (!(await vscode.workspace.applyEdit(all))) throw new Refused("VS Code did not take the edit.");
  const spot = cursorAfter(edits, wanted.text);
  const shown = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
  const selection = spot && new vscode.Range(spot.line, spot.character, spot.line, spot.character);
  await vscode.window.showTextDocument(document, {
    ...(shown?.viewColumn !== undefined && { viewColumn: shown.viewColumn }),
    ...(selection && { selection }),
  });
}

export function rangeOf({ start, end }: WireEdit["range"]): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
