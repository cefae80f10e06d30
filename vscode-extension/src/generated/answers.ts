/**
 * The objects that the server answers with (docs/json.md).
 *
 * Written by `python -m lsp_server.engine.schema_files` from lsp_server/engine/schema.py. Do not edit.
 */

/** The whole answer. */
export interface Suggestion {
  /** The goal as Lean prints it: the main one, unless another was requested. */
  readonly goal: string;
  /** The premises that fit, best first. */
  readonly premises: readonly PremiseItem[];
  /** The tactics that Lean accepted; empty if none were requested. */
  readonly tactics: readonly TacticItem[];
  /** What was searched, and how fresh it is. */
  readonly index: IndexItem;
  /** Milliseconds for each part: `goal` (from Lean), `premises`, `tactics`, `total`. */
  readonly timings_ms: Readonly<Record<string, number>>;
  /**
   * Sentences for a person: what could not be done, and how to fix it; imports that have changed since they were built,
   * so that the goal and the verdicts are those of the last build. Empty if all went well.
   */
  readonly warnings: readonly string[];
  /**
   * Sentences for a person: parts of the goal that the model did not read (too long), or does not know; which Lean
   * answered, if it is not the one that the project needs. Empty for most goals.
   */
  readonly notes: readonly string[];
  /** Which of the state's goals `goal` is, from 1. */
  readonly goal_number: number;
  /** How many goals the state has. */
  readonly goal_count: number;
  /** The result of trying tactics. */
  readonly tactics_status: TacticsStatus;
  /**
   * The subexpressions of the target, in order, each before those inside it; each can be selected. Empty if this was
   * not requested.
   */
  readonly parts: readonly PartItem[];
  /** Where the goal is. */
  readonly place: GoalPlace;
  /** The failing or unfinished tactic before which the goal is, and which a suggestion replaces; else null. */
  readonly replaces: RangeItem | null;
}

/** One premise, best first. */
export interface PremiseItem {
  /** The declaration's name as people write it: its full name, or the one that an `export` gives it too. */
  readonly name: string;
  /**
   * Binders, then `: conclusion`, white space folded. Empty where only a name is known (the bundled Mathlib index holds
   * no statements).
   */
  readonly statement: string;
  /** The module that declares it. */
  readonly module: string;
  /** Lean's keyword (`theorem`, `lemma`, `def`, ...), or `field`, `constructor`. */
  readonly kind: string;
  /** How well it fits; higher is better, comparable within one answer only. */
  readonly score: number;
  /** Whether the imports make it usable at the position; null where there is no file to judge by. */
  readonly in_scope: boolean | null;
  /** The line that brings it into scope (`import M`); null where none is needed or there is no file. */
  readonly import: string | null;
  /** Its page in Mathlib's online documentation; null where it has none. */
  readonly doc_url: string | null;
  /** Whether its proof, or the proof of a lemma of the project that it uses, has a `sorry`. */
  readonly rests_on_sorry: boolean;
  /** Whether Lean reports an error in its declaration, in the open file above the goal. */
  readonly has_error: boolean;
  /**
   * Whether it is marked as deprecated; it is listed after its replacement. Never true for the bundled Mathlib index,
   * which does not know.
   */
  readonly deprecated: boolean;
  /** The replacement that a deprecated premise names, as written; empty if it names none. */
  readonly replaced_by: string;
  /**
   * What its score comes from, the largest contribution first. Empty if this was not requested, and for premises found
   * by words.
   */
  readonly explanation: readonly ContributionItem[];
  /**
   * The same for people: the largest contributions and the most negative one, such as `near in meaning (+1.2); less for
   * its name (-0.3)`. Empty where there is no explanation.
   */
  readonly why: string;
  /**
   * The tactic that its statement suggests for the goal, such as `rw [Nat.add_comm]`; Lean has not tried it. Empty
   * where there is no goal.
   */
  readonly form: string;
  /**
   * The first sentence of its doc string on one line, without Markdown, at most 200 characters. Empty where it has none
   * of its own, and where only a name is known.
   */
  readonly doc: string;
}

/**
 * What a group of features adds to a premise's score. It is the score, less the score with the group's features at
 * their medians over all candidates. Contributions to a weighted sum add up; those to the learned ranker's score depend
 * on each other.
 */
export interface ContributionItem {
  /** The group. */
  readonly group: FeatureGroup;
  /** What it adds; below 0 where it takes away. */
  readonly amount: number;
}

/**
 * The groups of features that a premise's score comes from.
 * - `meaning`: How near its embedding is to the goal's.
 * - `words`: Which words and symbols it shares with the goal.
 * - `proofs`: How much the proofs of similar theorems use it.
 * - `together`: How often it is used with the premises that those proofs use most.
 * - `shape`: How its statement matches the goal: what it concludes, assumes, or can rewrite.
 * - `name`: What its name shares with the goal and with the theorem being proved.
 * - `use`: How often proofs use it at all.
 * - `place`: Where it is declared and used, seen from the goal.
 * - `kind`: Whether it is a theorem or a definition, for the tactic in the request.
 * - `scope`: Whether the file's imports reach it.
 * - `reranker`: The re-ranker's score, if the model has one.
 * - `other`: Features of no other group.
 */
export const FEATURE_GROUPS = [
  "meaning",
  "words",
  "proofs",
  "together",
  "shape",
  "name",
  "use",
  "place",
  "kind",
  "scope",
  "reranker",
  "other",
] as const;
export type FeatureGroup = (typeof FEATURE_GROUPS)[number];

/**
 * One tactic that was tried in Lean: what closes first, then fewest goals left, then the best guess; last what cannot
 * be judged.
 */
export interface TacticItem {
  /**
   * The tactic that was tried, after `by` where a term is expected; it replaces the `sorry` at the position, if there
   * is one.
   */
  readonly tactic: string;
  /** Lean's verdict. */
  readonly status: TacticVerdict;
  /** The remaining goals, as Lean prints them. */
  readonly remaining_goals: readonly string[];
  /** Lean's own words on a failure, or why it cannot be judged, with the line; else empty. */
  readonly message: string;
  /** The theorem whose proof the tactic is taken from and adapted to this goal; else empty. */
  readonly origin: string;
  /** Whether the proof uses a declaration that is not proved: it rests on `sorry`, or has an error. */
  readonly rests_on_sorry: boolean;
  /** The declarations, named by the tactic, that are not proved; empty where none is known. */
  readonly unfinished: readonly string[];
  /**
   * The edit that inserts it, brackets, indentation and a `sorry` for each goal that it leaves included: Lean has
   * judged the file that this makes. Null where there is no file.
   */
  readonly edit: EditItem | null;
  /**
   * Where the cursor belongs after the edit: on the first `sorry` of a goal that is left, else after the inserted text.
   * Null where there is no edit.
   */
  readonly cursor: PositionItem | null;
  /** The listed premises that it uses, by the names under which they are listed. */
  readonly uses: readonly string[];
  /**
   * The line (`import M`) without which Lean does not accept it: it uses a premise that is not in scope. Null where
   * none is needed.
   */
  readonly import: string | null;
  /**
   * The edit that adds this line. Lean has judged the file with both edits; apply this one last, so that it does not
   * move the other. Null where none is needed.
   */
  readonly import_edit: EditItem | null;
}

/**
 * Lean's verdict on one tactic.
 * - `closes`: The goal is proved.
 * - `progress`: It leaves goals.
 * - `unjudged`: Lean accepts it, but an error above may have changed the goal.
 * - `fails`: Lean rejects it; only if failures were requested.
 * - `timeout`: It takes too long; only if failures were requested.
 * - `untried`: Lean did not try it: it is unfinished (`sorry`), or the time limit was reached; only in TrialsAnswer.
 */
export const TACTIC_VERDICTS = [
  "closes",
  "progress",
  "unjudged",
  "fails",
  "timeout",
  "untried",
] as const;
export type TacticVerdict = (typeof TACTIC_VERDICTS)[number];

/**
 * An edit of a file: the replaced range and its new text. Lines and columns count from 1, columns in code points;
 * nothing is replaced if the end is the start.
 */
export interface EditItem {
  /** The line in which it begins. */
  readonly line: number;
  /** The column in which it begins. */
  readonly column: number;
  /** The line in which it ends. */
  readonly end_line: number;
  /** The column after its last character. */
  readonly end_column: number;
  /** The text that replaces it; `\n` ends a line. */
  readonly text: string;
}

/** A position in a file. Line and column count from 1, the column in code points. */
export interface PositionItem {
  /** The line. */
  readonly line: number;
  /** The column. */
  readonly column: number;
}

/** What was searched, and how fresh it is. */
export interface IndexItem {
  /** The packages in the index. */
  readonly sources: readonly SourceItem[];
  /** When it was last written (ISO 8601, UTC); null where there is no date. */
  readonly built_at: string | null;
  /** How many source files changed since then, or are not in the index yet. */
  readonly stale_files: number;
  /** The Lean version: the one that runs, else what `lean-toolchain` names; null where unknown. */
  readonly lean: string | null;
  /** All this in one line for a person: revisions, Lean, files newer than the index. */
  readonly line: string;
  /** Whether what should be searched was. */
  readonly state: IndexState;
}

/** One package in the index. */
export interface SourceItem {
  /** The package's name. */
  readonly package: string;
  /** Its revision: a commit, a version, or a hash of what was read. */
  readonly revision: string;
  /** How many premises of it the index holds. */
  readonly premises: number;
  /** Whether it came with the installation rather than from files read here. */
  readonly bundled: boolean;
  /** Its day (ISO 8601), if its revision is one; else null. */
  readonly date: string | null;
  /** How many days ago that was; null if `date` is null. */
  readonly age_days: number | null;
}

/**
 * Whether what should be searched was. Only then does an empty answer mean that nothing fits.
 * - `consulted`: All of it was searched.
 * - `warming`: The project's index is being brought up to date; what is not read yet was not searched.
 * - `unavailable`: A part is missing or cannot be used; `warnings` names it, and what to do.
 */
export const INDEX_STATES = [
  "consulted",
  "warming",
  "unavailable",
] as const;
export type IndexState = (typeof INDEX_STATES)[number];

/**
 * The result of trying tactics, for programs; `warnings` has the same for people.
 * - `not_asked`: None were requested, or the setting `tactics.enabled` is off.
 * - `running`: They are being tried; only in a partial result.
 * - `tried`: They were tried, within the limits on number and time.
 * - `partial`: Lean failed before all were tried; those that it had accepted are listed.
 * - `without_generator`: Only templates were tried: the generator cannot be used.
 * - `no_generator`: None was tried: the generator cannot be used, and nothing else proposed any.
 * - `goal_not_first`: None was tried: the goal is not the first, and `case` does not reach it.
 * - `goal_broken`: None was tried: the goal mentions `sorry`, usually because of an error above.
 * - `no_goal`: None was tried: Lean has no goal at the position, or a tactic is not allowed there.
 * - `no_file`: None was tried: the document is not a file on this machine.
 * - `lean_failed`: Lean could not be started, or failed before it had accepted any.
 */
export const TACTICS_STATUSES = [
  "not_asked",
  "running",
  "tried",
  "partial",
  "without_generator",
  "no_generator",
  "goal_not_first",
  "goal_broken",
  "no_goal",
  "no_file",
  "lean_failed",
] as const;
export type TacticsStatus = (typeof TACTICS_STATUSES)[number];

/** A subexpression of the goal's target, as a range of the text `goal`. */
export interface PartItem {
  /** Where it begins: the number of characters (code points) before it. */
  readonly start: number;
  /** Where it ends: the number of characters before what follows it. */
  readonly end: number;
}

/**
 * Where the goal of an answer is.
 * - `here`: At the position.
 * - `before`: Before the tactic at the position, which fails or is unfinished. A suggestion replaces that tactic.
 * - `closed`: Nowhere: no goal is left at the position, and `goal` is empty.
 */
export const GOAL_PLACES = [
  "here",
  "before",
  "closed",
] as const;
export type GoalPlace = (typeof GOAL_PLACES)[number];

/** A part of a file. Lines and columns count from 1, columns in code points. */
export interface RangeItem {
  /** The line in which it begins. */
  readonly line: number;
  /** The column in which it begins. */
  readonly column: number;
  /** The line in which it ends. */
  readonly end_line: number;
  /** The column after its last character. */
  readonly end_column: number;
}

/** A partial result after the first one, which is a Suggestion. */
export interface TacticsSoFar {
  /** All that Lean has accepted so far, in the order to show. */
  readonly tactics: readonly TacticItem[];
}

/** The answer to a search. */
export interface SearchAnswer {
  /** How the query was read. */
  readonly kind: QueryKind;
  /** What was found, best first; names that match come first. */
  readonly premises: readonly PremiseItem[];
  /** What was searched, and how fresh it is. */
  readonly index: IndexItem;
  /** As in Suggestion. */
  readonly warnings: readonly string[];
  /** As in Suggestion. */
  readonly notes: readonly string[];
  /** How else the query may be read; a search with this as `as` reads it so. Null where there is no doubt. */
  readonly other_kind: QueryKind | null;
}

/**
 * How a search query was read.
 * - `words`: As words of English, with or without formulas in LaTeX or Lean.
 * - `name`: As a name or a part of one.
 * - `goal`: As a goal: it has a `⊢`, is a declaration with its `:=`, or is a statement.
 * - `pattern`: As a pattern (docs/pattern-search.md): it has a hole `_` or `?a`, or a quoted part of a name.
 */
export const QUERY_KINDS = [
  "words",
  "name",
  "goal",
  "pattern",
] as const;
export type QueryKind = (typeof QUERY_KINDS)[number];

/** The answer to `premiseSuggest/index`. */
export interface IndexAnswer {
  /** How many premises the project's own index holds now. */
  readonly premises: number;
  /** Whether it was cancelled; what was read is kept, and the next run continues from there. */
  readonly stopped: boolean;
  /** What is searched from now on. */
  readonly index: IndexItem;
}

/** The notification `$/premiseSuggest/status`: an update of an index begins, makes progress, or has ended. */
export interface StatusItem {
  /** The folder of the project. */
  readonly root: string;
  /** False when it has ended. */
  readonly indexing: boolean;
  /** What is being done, in words; empty at the beginning and at the end. */
  readonly stage: string;
  /** How much of it is done. */
  readonly done: number;
  /** Out of how much; 0 where that is not known. */
  readonly total: number;
  /** The index at the end; null before, and where the update failed. */
  readonly index: IndexItem | null;
}

/** Lean's verdicts on tactics that the caller sent. */
export interface TrialsAnswer {
  /** The goal that they were tried on, as Lean prints it. */
  readonly goal: string;
  /** The tactics in the order in which they were sent. */
  readonly tactics: readonly TacticItem[];
  /** Milliseconds for each part: `goal`, `tactics`, `total`. */
  readonly timings_ms: Readonly<Record<string, number>>;
  /** As in Suggestion. */
  readonly warnings: readonly string[];
  /** As in Suggestion. */
  readonly notes: readonly string[];
}

/** The known data of one declaration. */
export interface DeclarationAnswer {
  /** The declaration. Its score is 0. */
  readonly premise: PremiseItem;
  /** The file that declares it; null where that is not on this machine. */
  readonly path: string | null;
  /** The line of the declaration, from 1; null where it is not known. */
  readonly line: number | null;
  /** Its text, cut after 4,000 characters; empty where it is not on this machine. */
  readonly source: string;
  /** What was searched, and how fresh it is. */
  readonly index: IndexItem;
  /** Its doc string, if it has one and its file is on this machine. */
  readonly doc: string;
  /** Its statement in English, made by rules: no translation. Empty where they cannot read it. */
  readonly reading: string;
}

/** The proofs that use a declaration, and what its own proof uses; both the project's own first. */
export interface UsesAnswer {
  /** The declaration, with its replacement if it is deprecated. Its score is 0. */
  readonly premise: PremiseItem;
  /** The first theorems whose proofs name it, in order of modules and lines. */
  readonly used_by: readonly UseItem[];
  /** How many such theorems are known. */
  readonly used_by_count: number;
  /** The first declarations that its own proof names, in the same order. */
  readonly uses: readonly UseItem[];
  /** How many such declarations are known. */
  readonly uses_count: number;
  /** What was searched, and how fresh it is. */
  readonly index: IndexItem;
  /** As in Suggestion. */
  readonly warnings: readonly string[];
  /** Sentences for a person: which uses are not known. */
  readonly notes: readonly string[];
}

/** A declaration in an answer to `uses`. */
export interface UseItem {
  /** Its name as people write it. */
  readonly name: string;
  /** As in PremiseItem. */
  readonly kind: string;
  /** The module that declares it. */
  readonly module: string;
  /** The file that declares it; null where that is not on this machine. */
  readonly path: string | null;
  /** The line, from 1, when it was indexed; null where it is not known. */
  readonly line: number | null;
  /** As in PremiseItem. */
  readonly deprecated: boolean;
}

/** The `sorry`s of a file. */
export interface SorriesAnswer {
  /** In the order of the text; at most 1,000. */
  readonly sorries: readonly SorryItem[];
}

/** A `sorry` of a file. Line and column count from 1, the column in code points. */
export interface SorryItem {
  /** The line. */
  readonly line: number;
  /** The column. */
  readonly column: number;
  /** The name of the declaration around it, as written; empty if it has none. */
  readonly declaration: string;
}

/** The first `sorry`s of a file, with their goals. */
export interface SorryGoalsAnswer {
  /** In the order of the text. */
  readonly sorries: readonly SorryGoals[];
  /** How many the file has, counted up to 1,000. */
  readonly count: number;
}

/** A `sorry` of a file, with its goals. */
export interface SorryGoals {
  /** The `sorry`. */
  readonly sorry: SorryItem;
  /** Lean's goals there, as Lean prints them; none where there is an error. */
  readonly goals: readonly string[];
  /** Why its goals are not known, and what to do; else empty. */
  readonly error: string;
}

/** The answer to `suggest FILE --all`. */
export interface AllSorriesAnswer {
  /** In the order of the text; at most 1,000. After Ctrl-C those that were answered. */
  readonly sorries: readonly AnsweredSorry[];
}

/** A `sorry` of a file, with the answer for it. */
export interface AnsweredSorry {
  /** The `sorry`. */
  readonly sorry: SorryItem;
  /** Its goal, premises and tactics; null if there is an error. */
  readonly suggestion: Suggestion | null;
  /** Why it has no suggestion, and what to do; else empty. */
  readonly error: string;
}

/** The state of the index, and what the project is missing. */
export interface IndexStatusAnswer {
  /** What is searched, and how fresh it is. */
  readonly index: IndexItem;
  /** As in Suggestion. */
  readonly warnings: readonly string[];
}

/** The answer to a search in a collection of a backend other than Lean. */
export interface CollectionAnswer {
  /** The backend: `naturalproofs`, `match`, or a package's name. */
  readonly backend: string;
  /** The collection's name. */
  readonly collection: string;
  /** How many documents were searched. */
  readonly documents: number;
  /** What was found, best first. */
  readonly hits: readonly CollectionHit[];
  /** As in Suggestion. */
  readonly warnings: readonly string[];
}

/** One document of a collection, best first. */
export interface CollectionHit {
  /** Its title, or its label where it has none. */
  readonly title: string;
  /** Its type: `theorem`, `definition`, `other`, `proof`, ... */
  readonly kind: string;
  /** Its text, as its source has it (LaTeX). */
  readonly body: string;
  /** Its label, or the part of the source that contains it; empty if unknown. */
  readonly where: string;
  /** How well it fits; higher is better, comparable within one answer only. */
  readonly score: number;
}

/** A search for a proof, while it runs. */
export interface ProofProgress {
  /** How long it has run. */
  readonly seconds: number;
  /** After how many seconds it ends. */
  readonly limit: number;
  /** How many states were expanded. */
  readonly states: number;
  /** How many tactics Lean has judged. */
  readonly tactics: number;
  /** How many of the goals of `steps` are proved. */
  readonly proved: number;
  /** How many goals `steps` leads to. */
  readonly goals: number;
  /** The script that has come furthest; empty if none has. */
  readonly steps: string;
  /** Whether it has found no proof, and tries what needs an import. */
  readonly imports: boolean;
}

/** The result of a search for the proof of one `sorry`, or of one goal. */
export interface ProofAnswer {
  /** How the search ended. */
  readonly status: ProofStatus;
  /** The goal, as Lean prints it; empty if Lean gave none. */
  readonly goal: string;
  /** The name of the declaration around it, as written; empty if it has none. */
  readonly declaration: string;
  /** The tactics, as they are inserted; with `sorry` for goals that are not proved. Empty if there are none. */
  readonly script: string;
  /**
   * The edits that insert the script and the imports it needs, the last in the file first. Empty if there is no script.
   */
  readonly edits: readonly EditItem[];
  /** Where the cursor belongs after the edits: on the first `sorry` that is left, else after the script. */
  readonly cursor: PositionItem | null;
  /** The lines (`import M`) that the edits add. */
  readonly imports: readonly string[];
  /** The premises that the script uses, by full name. */
  readonly uses: readonly string[];
  /** How many of `goals` the script proves. */
  readonly proved: number;
  /** How many goals the script leads to; 1 if it closes the goal without a branch. */
  readonly goals: number;
  /** Whether a new Lean process has accepted the file with the edits. */
  readonly checked: boolean;
  /** A sentence on why there is no proof, or what Lean says of it; else empty. */
  readonly message: string;
  /** How long the search took. */
  readonly seconds: number;
  /** How many states were expanded. */
  readonly states: number;
  /** How many tactics Lean judged. */
  readonly tactics: number;
  /** The most private memory of all Lean processes together, in megabytes. */
  readonly memory_mb: number;
  /** The most Lean processes at the same time. */
  readonly processes: number;
  /** As in Suggestion. */
  readonly warnings: readonly string[];
  /** What a model at a server was asked; null if none is set. */
  readonly model: ModelUseItem | null;
}

/**
 * How a search for a proof ended.
 * - `proved`: Lean accepts the file with the proof.
 * - `partial`: Some goals are proved; a `sorry` stands for each of the others.
 * - `false`: The goal is false: `message` has a counterexample, or Lean's `decide` refutes it.
 * - `not_proved`: Nothing was found within the limits, or nothing was left to try.
 * - `stopped`: The search was stopped, and nothing had been proved.
 * - `failed`: There is nothing to search with: `message` has the reason.
 */
export const PROOF_STATUSES = [
  "proved",
  "partial",
  "false",
  "not_proved",
  "stopped",
  "failed",
] as const;
export type ProofStatus = (typeof PROOF_STATUSES)[number];

/** What a model at a server was asked in a search for a proof. */
export interface ModelUseItem {
  /** How many requests it got; answers that were known are not asked for again. */
  readonly requests: number;
  /** The tokens of the prompts. */
  readonly prompt_tokens: number;
  /** The tokens of the answers. */
  readonly answer_tokens: number;
  /** How long at least one request was under way. */
  readonly seconds: number;
  /** Whether the server did not count some of the tokens. */
  readonly is_estimate: boolean;
}

/** The answer to `fill`. */
export interface FillAnswer {
  /** In the order of files and text. */
  readonly sorries: readonly FilledSorry[];
  /** How many are proved. */
  readonly proved: number;
  /** How long it took. */
  readonly seconds: number;
  /** Whether it was stopped, or its time ran out, before all had been tried. */
  readonly stopped: boolean;
}

/** A `sorry` that `fill` has tried to replace. */
export interface FilledSorry {
  /** The file, relative to the folder in which the command runs. */
  readonly file: string;
  /** The `sorry`, with its place before anything was written. */
  readonly sorry: SorryItem;
  /** The result of the search; null if it was not reached. */
  readonly proof: ProofAnswer | null;
  /** Whether the file has the proof now. */
  readonly written: boolean;
}

/** The answer to `repair`. */
export interface RepairAnswer {
  /** In the order in which they were found. */
  readonly errors: readonly RepairedError[];
  /** How many are repaired. */
  readonly repaired: number;
  /** The files that were written. */
  readonly written: readonly string[];
  /** How long it took. */
  readonly seconds: number;
  /** Whether it was stopped, or its time ran out. */
  readonly stopped: boolean;
}

/** An error of a build, and its repair. */
export interface RepairedError {
  /** The file, relative to the folder in which the command runs. */
  readonly file: string;
  /** The line of the error, from 1, before anything was written. */
  readonly line: number;
  /** The name of the declaration with the error, as written; empty if it has none. */
  readonly declaration: string;
  /** The first line of Lean's message. */
  readonly message: string;
  /** What repaired it. */
  readonly kind: RepairKind;
  /** The lines that were replaced; empty if it was not repaired. */
  readonly before: string;
  /** The lines in their place. */
  readonly after: string;
  /** The edits of the file, the last in the file first. */
  readonly edits: readonly EditItem[];
  /** A sentence on why it was not repaired; else empty. */
  readonly reason: string;
}

/**
 * What repaired an error.
 * - `renamed`: Another name in place of one that is deprecated, was renamed, or does not exist.
 * - `import`: Another import, or a further one.
 * - `arguments`: The same lemmas with other arguments, or in another form.
 * - `tactic`: Another tactic that Lean accepts for the goal.
 * - `proof`: A proof that the search found.
 * - `none`: Nothing: the error is still there.
 */
export const REPAIR_KINDS = [
  "renamed",
  "import",
  "arguments",
  "tactic",
  "proof",
  "none",
] as const;
export type RepairKind = (typeof REPAIR_KINDS)[number];
