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

/** One tactic that Lean has judged. */
export interface TacticItem {
  readonly tactic: string;
  readonly status: string;
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
