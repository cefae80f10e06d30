/** The objects of docs/json.md, as the server sends them. A test holds them to that page. */

/** One premise, best first. */
export interface PremiseItem {
  readonly name: string;
  readonly statement: string;
  readonly module: string;
  readonly kind: string;
  readonly score: number;
  readonly in_scope: boolean | null;
  readonly import: string | null;
  readonly doc_url: string | null;
  readonly rests_on_sorry: boolean;
}

/** `unjudged`: Lean took it, but `message` says why that proves nothing; the last two only where failures were asked for. */
export const TACTIC_STATUSES = ["closes", "progress", "unjudged", "fails", "timeout"] as const;
export type TacticStatus = (typeof TACTIC_STATUSES)[number];

/** One tactic that was tried in Lean. */
export interface TacticItem {
  readonly tactic: string;
  readonly status: TacticStatus;
  readonly remaining_goals: readonly string[];
  readonly message: string;
}

/** One package in the index. */
export interface SourceItem {
  readonly package: string;
  readonly revision: string;
  readonly premises: number;
  readonly bundled: boolean;
  readonly date: string | null;
  readonly age_days: number | null;
}

/** What was searched, and how fresh it is. */
export interface IndexItem {
  readonly sources: readonly SourceItem[];
  readonly built_at: string | null;
  readonly stale_files: number;
  readonly lean: string | null;
  readonly line: string;
}
