/** Answers for the tests: small ones, and ones that try to break the page. */

import type { ProofAnswer, ProofProgress } from "../../src/generated/answers";
import type { IndexItem, NoMatch, PartItem, PremiseItem, ProofState, Ready, Sorries, TacticItem, ViewState } from "../../src/view/state";

export const NOW = Date.parse("2026-11-22T12:00:00Z");

export const INDEX: IndexItem = {
  sources: [
    { package: "Mathlib", revision: "2026-07-01", premises: 253_622, bundled: true, date: "2026-07-01", age_days: 144 },
    { package: "example", revision: "1f0c", premises: 41, bundled: false, date: null, age_days: null },
  ],
  built_at: "2026-11-22T09:00:00Z",
  stale_files: 0,
  lean: "4.35.0",
  line: "Mathlib of 2026-07-01, 4 months old (bundled) · example 1f0c · Lean 4.35.0 · your files up to date",
  state: "consulted",
};

export function premise(name: string, more: Partial<PremiseItem> = {}): PremiseItem {
  return {
    name,
    statement: "(n m : ℕ) : n + m = m + n",
    module: "Mathlib.Algebra.Group.Defs",
    kind: "theorem",
    score: 1,
    in_scope: true,
    import: null,
    doc_url: null,
    rests_on_sorry: false,
    has_error: false,
    deprecated: false,
    replaced_by: "",
    explanation: [],
    why: "",
    form: `exact ${name} _`,
    doc: "",
    ...more,
  };
}

export function needsImport(name: string, module: string, more: Partial<PremiseItem> = {}): PremiseItem {
  return premise(name, { module, in_scope: false, import: `import ${module}`, ...more });
}

const SOUND = { rests_on_sorry: false, unfinished: [], edit: null, cursor: null, uses: [], import: null, import_edit: null } as const;

export function tactic(text: string, goals: readonly string[] = []): TacticItem {
  const status = goals.length === 0 ? "closes" : "progress";
  return { tactic: text, status, remaining_goals: goals, message: "", origin: "", ...SOUND };
}

export function unjudged(text: string, goals: readonly string[] = []): TacticItem {
  const message = "cannot be judged: line 3 has an error";
  return { tactic: text, status: "unjudged", remaining_goals: goals, message, origin: "", ...SOUND };
}

/** Ten tactics: one closes the goal, the others leave three goals each. */
export const TEN: readonly TacticItem[] = Array.from({ length: 10 }, (_, at) =>
  at === 0 ? tactic("exact h_0") : tactic(`apply Nat.lemma_${at} (by assumption) ${at === 3 ? "(Nat.succ_le_of_lt h)" : ""}`.trim(), ["⊢ 0 < k + 1", "h : p\n⊢ n ≤ m + k", "⊢ m ∣ n.factorial"]),
);

export const GOAL = "n m k : ℕ\nh : n ≤ m\n⊢ n + k ≤ m + k";

/** The parts of that goal's target. */
export const PARTS: readonly PartItem[] = partsOf(GOAL, "n + k ≤ m + k", "n + k", "n", "k", "m + k", "m", "k");

/** The ranges of these texts in the last line of a goal; each begins not before the one before it. */
export function partsOf(goal: string, ...texts: readonly string[]): PartItem[] {
  let at = goal.lastIndexOf("⊢");
  return texts.map((text, number) => {
    const before = texts[number - 1] ?? "";
    at = goal.indexOf(text, before.includes(text) ? at : at + before.length);
    const start = [...goal.slice(0, at)].length;
    return { start, end: start + [...text].length };
  });
}

export const PREMISES: readonly PremiseItem[] = [
  premise("Nat.add_le_add_right", {
    statement: "{n m : ℕ} (h : n ≤ m) (k : ℕ) : n + k ≤ m + k",
    module: "Init.Data.Nat.Basic",
  }),
  premise("add_le_add_right", {
    statement:
      "[Add α] [LE α] [i : CovariantClass α α (Function.swap (· + ·)) (· ≤ ·)] {b c : α} (bc : b ≤ c) (a : α) : b + a ≤ c + a",
    module: "Mathlib.Algebra.Order.Monoid.Unbundled.Basic",
  }),
  needsImport("OrderedAddCommMonoid.toCovariantClassRight", "Mathlib.Algebra.Order.Monoid.Defs", {
    statement: "(M : Type u_1) [OrderedAddCommMonoid M] : CovariantClass M M (Function.swap fun x1 x2 => x1 + x2) fun x1 x2 => x1 ≤ x2",
    kind: "instance",
  }),
  premise("Nat.add_comm", { module: "Init.Data.Nat.Basic", statement: "(n m : ℕ) : n + m = m + n" }),
  needsImport("tsub_le_iff_right", "Mathlib.Algebra.Order.Sub.Defs", {
    statement: "[LE α] [Add α] [Sub α] [OrderedSub α] {a b c : α} : a - c ≤ b ↔ a ≤ b + c",
  }),
  premise("Nat.le_of_add_le_add_right", { statement: "", module: "Init.Data.Nat.Basic", in_scope: null }),
];

export const TACTICS: readonly TacticItem[] = [
  tactic("exact Nat.add_le_add_right h k"),
  tactic("omega"),
  tactic("apply Nat.add_le_add", ["n m k : ℕ\nh : n ≤ m\n⊢ n ≤ m", "n m k : ℕ\nh : n ≤ m\n⊢ k ≤ k"]),
];

export function ready(more: Partial<Ready> = {}): Ready {
  return {
    kind: "ready",
    positionId: "1",
    file: "file:///project/Example.lean",
    line: 9,
    goal: GOAL,
    goalNumber: 1,
    goalCount: 1,
    replaces: null,
    parts: [],
    selected: "",
    premises: PREMISES,
    tactics: TACTICS,
    tacticsState: "done",
    index: INDEX,
    warnings: [],
    notes: [],
    ...more,
  };
}

export function noMatch(more: Partial<NoMatch> = {}): NoMatch {
  const { positionId, file, line, goal, goalNumber, goalCount, replaces, index, warnings, notes } = ready();
  return { kind: "noMatch", positionId, file, line, goal, goalNumber, goalCount, replaces, index, warnings, notes, ...more };
}

const RIGHT_TO_LEFT = "\u202e";

/** Names and statements that break pages: markup, one endless word, letters from right to left, stacked marks. */
export const HOSTILE: readonly PremiseItem[] = [
  premise("a.markup", {
    statement: "<img src=x onerror=\"window.broken = true\"><script>window.broken = true</script> </div> &lt; <b>b</b>",
    module: "<i>M</i>",
    kind: "<u>",
    doc: "<img src=x onerror=\"window.broken = true\"> [a](command:x) `<b>`",
  }),
  needsImport(`Very.${"long".repeat(120)}`, `Module.${"Deep".repeat(60)}`, { statement: "x".repeat(3000) }),
  premise("שלום.עולם", { statement: `(שלום : ℕ) : שלום = ${RIGHT_TO_LEFT}1 = 0 ∧ ‮نص‬` }),
  premise("Z\u0351\u036b\u0343algo", { statement: `${"a\u0301\u0489\u0360\u035c".repeat(200)} 𝕜 ⟦𝓞 → 𝔸⟧ 👩‍👩‍👧‍👦` }),
  premise("«name with spaces and \u0000 zero»", { statement: "" }),
];

/** As many premises as a person can ask for at a sitting. */
export function many(count: number): PremiseItem[] {
  return Array.from({ length: count }, (_, at) => premise(`Many.lemma_${at}`, { statement: `(n : ℕ) : n + ${at} = ${at} + n` }));
}

/** Three premises without tactics: the second needs an import. */
export const A = premise("a.first");
export const B = needsImport("b.second", "Far.Away");
export const C = premise("c.third");
export const ABC = ready({ premises: [A, B, C], tactics: [], tacticsState: "off" });

/** The cursor is at the second `sorry` of five. */
export const SORRIES: Sorries = { total: 5, at: 2, next: { file: "file:///project/Example.lean", line: 14, column: 3 } };

/** States that are a message. */
export const MESSAGES: readonly ViewState[] = [
  { kind: "starting" },
  { kind: "noServer", reason: "missing", message: "No Python here has premise-suggest.", hint: "Install it, or name its command." },
  { kind: "noLean", message: "Lean was not found.", hint: "Install elan." },
  { kind: "noGoal", reason: "noGoals", sorries: SORRIES },
  { kind: "closed", sorries: SORRIES },
  { kind: "unread", message: "Lean cannot read line 9: unexpected token 'theorem'.", hint: "", place: { file: "file:///project/Example.lean", line: 9, column: 3 } },
  { kind: "indexing", stage: "embedding", done: 3100, total: 8222 },
  noMatch(),
  { kind: "failed", message: "Lean did not answer.", hint: "Run `premise-suggest doctor`." },
];

/** An answer with everything that can stand around it. */
export const FULL = ready({
  tacticsState: "running",
  busy: true,
  warnings: ["Two tactics took too long."],
  notes: ["The goal is long."],
  indexing: { stage: "reading", done: 1, total: 9 },
  index: { ...INDEX, stale_files: 3 },
});

/** A search for a proof: going on, and its ends. */
export const PROGRESS: ProofProgress = { seconds: 12.2, limit: 30, states: 41, tactics: 380, proved: 2, goals: 3, steps: "constructor", imports: false };
export const SEARCHING: ProofState = { kind: "running", line: 9, progress: PROGRESS };
const ANSWER: ProofAnswer = {
  ...{ status: "proved", goal: "⊢ p", declaration: "t", script: "constructor\n· exact h\n· rfl", cursor: null },
  ...{ edits: [{ line: 9, column: 3, end_line: 9, end_column: 8, text: "…" }], imports: ["import Far.Away"], uses: [] },
  ...{ proved: 2, goals: 2, checked: true, message: "", seconds: 13, states: 44, tactics: 400, memory_mb: 0, processes: 1, warnings: [], model: null },
};
export const PROVED: ProofState = { kind: "ended", line: 9, answer: ANSWER };
export const PARTLY_PROVED: ProofState = { kind: "ended", line: 9, answer: { ...ANSWER, status: "partial", goals: 3 } };
export const NO_PROOF: ProofState = { kind: "ended", line: 9, answer: { ...ANSWER, status: "not_proved", script: "", imports: [], edits: [], message: "Time ran out (30 s)." } };
