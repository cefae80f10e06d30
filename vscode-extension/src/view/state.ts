/**
 * What the *Premises* view can show, and what it can ask for. Pure types: the extension and the page
 * both build on them, so nothing here imports `vscode` or the DOM.
 *
 * The extension sends the view one whole state at a time; the page works out what changed.
 */

import type { IndexItem, PartItem, PremiseItem, TacticItem } from "../generated/answers";

export type { IndexItem, PartItem, PremiseItem, SourceItem, TacticItem } from "../generated/answers";

/** How far an index run is; `total` 0 where it is not known yet. */
export interface Progress {
  /** What is being done, in a word or two, as the server says it (`reading`, `embedding`). */
  readonly stage: string;
  readonly done: number;
  readonly total: number;
}

/** What every state can carry. */
interface Common {
  /** A newer request is running: what is shown stays, under a thin bar of progress. */
  readonly busy?: boolean;
}

/** A failure as a person should read it: one sentence on what happened, one on what to do next. */
interface Failure {
  readonly message: string;
  readonly hint: string;
}

/** The server is being started. */
export interface Starting extends Common {
  readonly kind: "starting";
}

/** There is no server: never found, stopped for good, or not allowed. */
export interface NoServer extends Common, Failure {
  readonly kind: "noServer";
  readonly reason: "missing" | "crashed" | "untrusted";
}

/** The server runs, but no Lean was found or it died. */
export interface NoLean extends Common, Failure {
  readonly kind: "noLean";
}

/** There is nothing to look for here. */
export interface NoGoal extends Common {
  readonly kind: "noGoal";
  /** `noFile`: no Lean file is open; `noGoals`: Lean has no goal at the cursor; `unsettled`: Lean is not there yet. */
  readonly reason: "noFile" | "noGoals" | "unsettled";
}

/** The project is read into the index, and there is nothing to show before that is done. */
export interface Indexing extends Common, Progress {
  readonly kind: "indexing";
}

/** There is a goal, and nothing that fits it well. */
export interface NoMatch extends Common {
  readonly kind: "noMatch";
  readonly goal: string;
  readonly index: IndexItem | null;
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}

/** A request failed; another one may succeed. */
export interface Failed extends Common, Failure {
  readonly kind: "failed";
}

/** `off`: not requested; `running`: more may come; `done`; `failed`: could not be tried (`warnings` say why). */
export type TacticsState = "off" | "running" | "done" | "failed";

/** An answer, whole or still coming. */
export interface Ready extends Common {
  readonly kind: "ready";
  /** Identifies the position of the request (the extension chooses; it comes back with what is inserted). */
  readonly positionId: string;
  /** The file of the request, as a URI: scopes are judged by its imports. */
  readonly file: string;
  readonly goal: string;
  /** The subexpressions of the target that can be selected. */
  readonly parts: readonly PartItem[];
  /** The text of the part whose rewrites are listed; empty where none is selected. */
  readonly selected: string;
  readonly premises: readonly PremiseItem[];
  readonly tactics: readonly TacticItem[];
  readonly tacticsState: TacticsState;
  /** What was searched; its `line` is the view's foot, `built_at` gives the age. */
  readonly index: IndexItem;
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
  /** An index run in progress during this answer. */
  readonly indexing?: Progress;
}

export type ViewState =
  Starting | NoServer | NoLean | NoGoal | Indexing | NoMatch | Failed | Ready;

/** What a button in a state's message asks for. */
export const VIEW_COMMANDS = ["install", "restart", "output", "index", "settings", "trust", "retry"] as const;
export type ViewCommand = (typeof VIEW_COMMANDS)[number];

/**
 * What the view asks the extension to do.
 *
 * `positionId` is the `Ready.positionId` under which the item stood; null for a pinned premise shown where there is no
 * answer. Actions tell failures to the person themselves; the view does not wait for them.
 */
export interface ViewActions {
  insertTactic(tactic: TacticItem, positionId: string | null): void;
  insertPremise(
    premise: PremiseItem,
    options: { readonly addImport: boolean; readonly positionId: string | null },
  ): void;
  /** List what rewrites this part of the goal's target; with an empty text, what fits the whole goal again. */
  selectPart(part: string, positionId: string): void;
  copyName(name: string): void;
  openDeclaration(premise: PremiseItem): void;
  run(command: ViewCommand): void;
}

/** A pinned premise, with the file by whose imports its scope was judged. */
export interface Pin {
  readonly premise: PremiseItem;
  readonly file: string;
}

/** From the extension to the page. */
export interface StateMessage {
  readonly type: "state";
  readonly state: ViewState;
}

/** From the page to the extension. */
export type PageMessage =
  | { readonly type: "loaded" }
  | { readonly type: "insertTactic"; readonly tactic: TacticItem; readonly positionId: string | null }
  | {
      readonly type: "insertPremise";
      readonly premise: PremiseItem;
      readonly addImport: boolean;
      readonly positionId: string | null;
    }
  | { readonly type: "selectPart"; readonly part: string; readonly positionId: string }
  | { readonly type: "copyName"; readonly name: string }
  | { readonly type: "openDeclaration"; readonly premise: PremiseItem }
  | { readonly type: "run"; readonly command: ViewCommand };
