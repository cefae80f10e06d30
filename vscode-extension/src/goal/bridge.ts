/** The goal at the cursor from the Lean that elaborates the file already. */

import type * as vscode from "vscode";

import { tokenOf } from "../tokens";
import { within } from "../timing";
import { isPassing } from "../wire";
import { isProcessing, type Lean4Extension, type LeanClient } from "./lean4";
import { askedColumn, readPlainGoal, readTermGoal, tacticStarts, type Goals } from "./plainGoal";

/**
 * What was found: Lean's goals, that there are none, that Lean has not come so far yet, or that no other Lean
 * works on the file, so that the server's own may.
 */
export type BridgedGoal =
  | { readonly kind: "goals"; readonly text: string }
  | { readonly kind: "none" }
  | { readonly kind: "unsettled" }
  | { readonly kind: "absent" };

const LIMIT_MS = 1500;

export class GoalBridge {
  constructor(private readonly lean4: Lean4Extension) {}

  async goalAt(document: vscode.TextDocument, position: vscode.Position, signal: AbortSignal): Promise<BridgedGoal> {
    if (document.uri.scheme !== "file") return { kind: "absent" };
    const client = await this.lean4.clientFor(document.uri);
    if (client === undefined) return { kind: "absent" };
    const asked = new Questions(client, document.uri.toString(), position.line, signal);
    try {
      const found = await within(LIMIT_MS, settled(goals(asked, document.lineAt(position.line).text, position.character)));
      // Silent over a file that it is done with, it may be silent for good.
      if (found === undefined) return { kind: isProcessing(client, document.uri) ? "unsettled" : "absent" };
      if ("error" in found) return { kind: isPassing(found.error) ? "unsettled" : "absent" };
      return found.goals.kind === "goals" ? found.goals : { kind: "none" };
    } finally {
      asked.stop();
    }
  }
}

/** The goals at a place: the tactic block's, before the tactic where none are left, else the term's. */
async function goals(asked: Questions, line: string, column: number): Promise<Goals> {
  const start = askedColumn(line, column);
  const found = await asked.tacticGoal(start);
  if (found.kind === "none") return asked.termGoal(start);
  if (found.kind === "goals") return found;
  for (const earlier of tacticStarts(line, start)) {
    const before = await asked.tacticGoal(earlier);
    if (before.kind === "goals") return before;
  }
  return found;
}

/** Questions about one line, all of which end together. */
class Questions {
  private readonly source;

  constructor(
    private readonly client: LeanClient,
    private readonly uri: string,
    private readonly line: number,
    signal: AbortSignal,
  ) {
    this.source = tokenOf(signal);
  }

  async tacticGoal(character: number): Promise<Goals> {
    return readPlainGoal(await this.ask("$/lean/plainGoal", character));
  }

  async termGoal(character: number): Promise<Goals> {
    return readTermGoal(await this.ask("$/lean/plainTermGoal", character));
  }

  stop(): void {
    this.source.cancel();
    this.source.dispose();
  }

  private ask(method: string, character: number): Promise<unknown> {
    const params = { textDocument: { uri: this.uri }, position: { line: this.line, character } };
    return this.client.sendRequest(method, params, this.source.token);
  }
}

/** An outcome or its error, as a value: a time limit must not hide which it was. */
async function settled(found: Promise<Goals>): Promise<{ goals: Goals } | { error: unknown }> {
  try {
    return { goals: await found };
  } catch (error) {
    return { error };
  }
}
