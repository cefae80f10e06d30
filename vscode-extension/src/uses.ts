/** "Who Uses This": the proofs that use a premise, and what its own proof uses; Enter opens the declaration. */

import * as vscode from "vscode";

import type { UseItem, UsesAnswer } from "./generated/answers";
import { deprecationLabel } from "./view/format";
import { readFailure, sentence } from "./wire";

interface Item extends vscode.QuickPickItem {
  readonly use?: UseItem;
}

/** Show what `ask` answers for a name; `open` opens a declaration that is chosen. */
export async function showUses(name: string, ask: () => Promise<UsesAnswer | null>, open: (use: UseItem) => void): Promise<void> {
  const picker = vscode.window.createQuickPick<Item>();
  picker.title = `Premise Suggest: Uses of ${name}`;
  picker.placeholder = "Enter opens the declaration";
  picker.matchOnDescription = true;
  picker.busy = true;
  picker.onDidAccept(() => {
    const use = picker.selectedItems[0]?.use;
    if (use === undefined) return;
    picker.hide();
    open(use);
  });
  picker.onDidHide(() => picker.dispose());
  picker.show();
  try {
    const answer = await ask();
    picker.items = answer === null ? [] : itemsOf(answer);
  } catch (error) {
    picker.items = [{ label: `$(info) ${sentence(readFailure(error))}`, alwaysShow: true }];
  }
  picker.busy = false;
}

function itemsOf(answer: UsesAnswer): Item[] {
  const { premise, used_by, used_by_count, uses, uses_count, warnings, notes } = answer;
  const said = [deprecationLabel(premise), ...warnings, ...notes].filter((one) => one !== "");
  return [
    ...said.map((one) => ({ label: `$(info) ${one}` })),
    heading(used_by_count === 0 ? "No known proof names it" : `Used by ${counted(used_by_count, used_by.length)}`),
    ...used_by.map(itemOf),
    heading(uses_count === 0 ? "Its proof names nothing that is known" : `Its proof uses ${counted(uses_count, uses.length)}`),
    ...uses.map(itemOf),
  ];
}

function heading(label: string): Item {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

function counted(all: number, listed: number): string {
  return listed < all ? `${all}, of which ${listed} are listed` : String(all);
}

function itemOf(use: UseItem): Item {
  const line = use.path !== null && use.line !== null ? `:${use.line}` : "";
  return { use, label: use.name, description: `${use.module}${line}${use.deprecated ? "  deprecated" : ""}` };
}
