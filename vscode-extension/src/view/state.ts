/**
 * What the *Premises* view can show, and what it can ask for. Pure types: the extension and the page
 * both build on them, so nothing here imports `vscode` or the DOM.
 *
 * The extension sends the view one whole state at a time; the page works out what changed.
 */

import type { IndexItem, PartItem, PremiseItem, ProofAnswer, ProofProgress, RangeItem, TacticItem } from "../generated/answers";

export type { IndexItem, PartItem, PremiseItem, RangeItem, SourceItem, TacticItem } from "../generated/answers";

/** How far an index run is; `total` 0 where it is not known yet. */
export interface Progress {
  /** What is being done, in a word or two, as the server says it (`reading`, `embedding`). */
  readonly stage: string;
  readonly done: number;
  readonly total: number;
}

/** A position in a file, for a button that leads there: its URI; line and column from 1, columns in code points. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The `sorry`s of the file that the cursor is in. */
export interface Sorries {
  readonly total: number;
  /** Which of them the cursor is at, from 1; null where at none. */
  readonly at: number | null;
  /** The one after the cursor, or the first of the file; null where there is none but the one at the cursor. */
  readonly next: Place | null;
}

/** What every state can carry. */
interface Common {
  /** A newer request is running: what is shown stays, under a thin bar of progress. */
  readonly busy?: boolean;
  /** The text has changed since: what is shown stays, dimmed, until there is a new answer. */
  readonly stale?: boolean;
  /** Null while they are not counted. */
  readonly sorries?: Sorries | null;
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

/** Lean cannot read the text at the cursor; `message` is in its words. */
export interface Unread extends Common, Failure {
  readonly kind: "unread";
  /** Where Lean stopped reading; null where the message names no line. */
  readonly place: Place | null;
}

/** The proof is complete at the cursor: no goal is left there. */
export interface Closed extends Common {
  readonly kind: "closed";
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

/** Why a newer request had no answer, in one line; `place` is where Lean stopped reading. */
export interface Trouble {
  readonly message: string;
  readonly place: Place | null;
}

/** A goal was found at a position. */
interface Answered extends Common {
  /** Identifies the position of the request (the extension chooses; it comes back with what is inserted). */
  readonly positionId: string;
  /** The file of the request, as a URI: scopes are judged by its imports. */
  readonly file: string;
  /** The line of the request, from 1. */
  readonly line: number;
  readonly goal: string;
  /** Which of the state's goals it is, from 1, and how many there are. */
  readonly goalNumber: number;
  readonly goalCount: number;
  /** The failing or unfinished tactic before which the goal is, and which a suggestion replaces; null where the goal is at the position. */
  readonly replaces: RangeItem | null;
  /** It stays, whatever the cursor does. */
  readonly pinned?: boolean;
  /** Why there is no newer answer, though the text has changed. */
  readonly trouble?: Trouble | null;
  /** What was searched; its `line` is the view's foot, `built_at` gives the age. */
  readonly index: IndexItem;
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
  /** When the user last had the index compared with the files (ISO 8601). */
  readonly checked?: string | null;
}

/** There is a goal, and nothing that fits it well. */
export interface NoMatch extends Answered {
  readonly kind: "noMatch";
}

/** A request failed; another one may succeed. */
export interface Failed extends Common, Failure {
  readonly kind: "failed";
}

/**
 * `off`: not requested; `running`: more may come; `done`; `failed`: could not be tried (`warnings` say why);
 * `notFirst`: not tried, because the goal is not the first, and `case` does not reach it.
 */
export type TacticsState = "off" | "running" | "done" | "failed" | "notFirst";

/** An answer, whole or still coming. */
export interface Ready extends Answered {
  readonly kind: "ready";
  /** The subexpressions of the target that can be selected. */
  readonly parts: readonly PartItem[];
  /** The text of the part whose rewrites are listed; empty where none is selected. */
  readonly selected: string;
  readonly premises: readonly PremiseItem[];
  readonly tactics: readonly TacticItem[];
  readonly tacticsState: TacticsState;
  /** An index run in progress during this answer. */
  readonly indexing?: Progress;
}

export type ViewState =
  Starting | NoServer | NoLean | NoGoal | Closed | Unread | Indexing | NoMatch | Failed | Ready;

/** The search for a proof, which goes on while the cursor moves. `line`: where it was begun, from 1. */
export type ProofState =
  | { readonly kind: "none" }
  | { readonly kind: "running"; readonly line: number; readonly progress: ProofProgress | null }
  | { readonly kind: "ended"; readonly line: number; readonly answer: ProofAnswer }
  /** It has no result, or its result cannot be inserted. */
  | { readonly kind: "failed"; readonly line: number; readonly message: string };

/** What a button at the search for a proof does: stopped, it keeps what was found. */
export const PROOF_ACTIONS = ["stop", "insert", "discard"] as const;
export type ProofAction = (typeof PROOF_ACTIONS)[number];

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
  /** Show another of the goals at the position of an answer. */
  chooseGoal(number: number, positionId: string): void;
  /** Let this answer stay while the cursor moves, or follow the cursor again. */
  pinGoal(pinned: boolean): void;
  /** Search for a proof where an answer is. */
  prove(positionId: string): void;
  atProof(action: ProofAction): void;
  copyName(name: string): void;
  openDeclaration(premise: PremiseItem): void;
  /** Look up the doc string and the whole statement; null where they cannot be had. */
  details(premise: PremiseItem): Promise<Details | null>;
  goTo(place: Place): void;
  run(command: ViewCommand): void;
}

/** What an expanded row shows besides; each empty where it is not known. */
export interface Details {
  readonly doc: string;
  readonly statement: string;
  /** The statement in English, made by rules; empty where they cannot read it. */
  readonly reading: string;
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

/** From the extension to the page: the search for a proof has begun, gone on, or ended. */
export interface ProofMessage {
  readonly type: "proof";
  readonly proof: ProofState;
}

/** From the extension to the page, for a row that was expanded. */
export interface DetailsMessage {
  readonly type: "details";
  readonly name: string;
  readonly module: string;
  readonly details: Details;
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
  | { readonly type: "chooseGoal"; readonly number: number; readonly positionId: string }
  | { readonly type: "pinGoal"; readonly pinned: boolean }
  | { readonly type: "prove"; readonly positionId: string }
  | { readonly type: "atProof"; readonly action: ProofAction }
  | { readonly type: "details"; readonly premise: PremiseItem }
  | { readonly type: "goTo"; readonly place: Place }
  | { readonly type: "copyName"; readonly name: string }
  | { readonly type: "openDeclaration"; readonly premise: PremiseItem }
  | { readonly type: "run"; readonly command: ViewCommand };
