/** "Search by Goal or Text…": premises as they are typed for; Enter inserts the name at the cursor. */

import * as vscode from "vscode";

import type { QueryKind, SearchAnswer } from "./generated/answers";
import { pause } from "./timing";
import { deprecationLabel, sorryLabel } from "./view/format";
import type { PremiseItem } from "./view/state";
import { isPassing, readFailure, sentence } from "./wire";

const WAIT_MS = 150;

/** What can be done with a premise that was found. */
export interface SearchActions {
  readonly search: (query: string, as: QueryKind | null, signal: AbortSignal) => Promise<SearchAnswer | null>;
  readonly insert: (premise: PremiseItem, addImport: boolean) => void;
  readonly copy: (premise: PremiseItem) => void;
  readonly open: (premise: PremiseItem) => void;
}

const KINDS: Record<QueryKind, string> = { words: "Words", name: "a Name", goal: "a Goal", pattern: "a Pattern" };

interface Item extends vscode.QuickPickItem {
  readonly premise?: PremiseItem;
  /** What the query is read as where this item is chosen. */
  readonly as?: QueryKind;
}

/** VS Code sorts what matches what is typed; our order is the server's. The property is not in its types. */
type Picker = vscode.QuickPick<Item> & { sortByLabel?: boolean };

const OPEN: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("go-to-file"), tooltip: "Open the Declaration" };
const LIKE: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("search"), tooltip: "More Like This" };
const COPY: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("copy"), tooltip: "Copy the Name" };
const IMPORT: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("add"), tooltip: "Insert, With Its Import" };

/** Show the picker with a query; it goes when something is chosen, or with Escape. */
export function showSearch(actions: SearchActions, canInsert: boolean, query: string): void {
  const picker: Picker = vscode.window.createQuickPick<Item>();
  picker.title = "Premise Suggest: Search";
  picker.placeholder = canInsert
    ? "A goal with ⊢, words, a name, or a pattern (_ * _ ≤ _); Enter inserts the name at the cursor"
    : "A goal with ⊢, words, a name, or a pattern (_ * _ ≤ _); Enter copies the name";
  picker.matchOnDescription = picker.matchOnDetail = false;
  picker.sortByLabel = false;
  let abort = new AbortController();
  const typed = async (query: string, as: QueryKind | null) => {
    abort.abort();
    abort = new AbortController();
    await look(picker, actions, query, as, abort.signal);
  };
  const ask = (query: string) => {
    picker.value = query;
    void typed(query, null);
  };
  picker.onDidChangeValue((query) => void typed(query, null));
  picker.onDidAccept(() => {
    const { premise, as } = picker.selectedItems[0] ?? {};
    if (as !== undefined) void typed(picker.value, as);
    if (premise === undefined) return;
    picker.hide();
    if (canInsert) actions.insert(premise, false);
    else actions.copy(premise);
  });
  picker.onDidTriggerItemButton(({ item, button }) => {
    if (item.premise === undefined) return;
    if (button === COPY) return actions.copy(item.premise);
    if (button === LIKE) return ask(`like:${item.premise.name}`);
    picker.hide();
    if (button === OPEN) actions.open(item.premise);
    else actions.insert(item.premise, true);
  });
  picker.onDidHide(() => {
    abort.abort();
    picker.dispose();
  });
  picker.show();
  if (query !== "") ask(query);
}

async function look(
  picker: Picker,
  actions: SearchActions,
  query: string,
  as: QueryKind | null,
  signal: AbortSignal,
): Promise<void> {
  if (query.trim() === "") {
    picker.items = [];
    picker.busy = false;
    return;
  }
  picker.busy = true;
  if (!(await pause(WAIT_MS, signal))) return;
  try {
    const answer = await actions.search(query, as, signal);
    if (signal.aborted || answer === null) return;
    const found =
      answer.premises.length > 0
        ? answer.premises.map(itemOf)
        : ["Nothing in the index matches.", ...answer.warnings, ...answer.notes].map(messageItem);
    picker.items = answer.other_kind === null ? found : [...found, otherItem(answer.kind, answer.other_kind)];
  } catch (error) {
    if (signal.aborted || isPassing(error)) return;
    picker.items = [messageItem(sentence(readFailure(error)))];
  } finally {
    if (!signal.aborted) picker.busy = false;
  }
}

/** A premise as it is listed: whatever is typed, it is shown, since the server has chosen it. */
function itemOf(premise: PremiseItem): Item {
  const scope = premise.in_scope === false ? `  needs ${premise.import ?? "an import"}` : "";
  const detail = [premise.statement, premise.doc].filter((part) => part !== "").join("  — ");
  return {
    premise,
    label: premise.name,
    description: [`${premise.module}${scope}`, sorryLabel(premise), deprecationLabel(premise)].filter((part) => part !== "").join("  "),
    ...(detail !== "" && { detail }),
    alwaysShow: true,
    buttons: [...(premise.import !== null ? [IMPORT] : []), LIKE, OPEN, COPY],
  };
}

function otherItem(kind: QueryKind, other: QueryKind): Item {
  return { as: other, label: `$(search) Read It as ${KINDS[other]}`, description: `now as ${KINDS[kind]}`, alwaysShow: true };
}

function messageItem(label: string): Item {
  return { label: `$(info) ${label}`, alwaysShow: true };
}
