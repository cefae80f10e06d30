import assert from "node:assert/strict";
import test from "node:test";

import { describe, progressLine } from "../../src/view/describe";
import { age, counted, cut, freshness, goalHeading, kindLabel, originLabel, scopeLabel, targetLine, verdict, visible } from "../../src/view/format";
import { pageHtml } from "../../src/view/html";
import type { ViewState } from "../../src/view/state";
import { INDEX, needsImport, noMatch, NOW, premise, ready, SORRIES, tactic, unjudged } from "./samples";

test("numbers and nouns", () => {
  assert.equal(counted(1, "goal"), "1 goal");
  assert.equal(counted(0, "goal"), "0 goals");
  assert.equal(counted(253_622, "premise"), "253,622 premises");
});

test("what Lean said of a tactic", () => {
  assert.equal(verdict(tactic("omega")), "closes the goal");
  assert.equal(verdict({ ...tactic("omega"), rests_on_sorry: true }), "closes the goal, rests on sorry");
  assert.equal(
    verdict({ ...tactic("exact wrong"), rests_on_sorry: true, unfinished: ["wrong"] }),
    "closes the goal, rests on sorry (wrong)",
  );
  assert.equal(verdict({ ...tactic("exact le"), import: "import A.B" }), "closes the goal, adds import A.B");
  assert.equal(verdict(tactic("skip", ["⊢ p"])), "1 goal left");
  assert.equal(verdict({ ...tactic("skip"), status: "progress" }), "leaves goals");
  assert.equal(verdict(unjudged("rfl")), "not judged");
});

test("the theorem that a tactic is taken from", () => {
  const taken = { ...tactic("omega"), origin: "Nat.add_comm" };
  assert.deepEqual([originLabel(taken, false), originLabel(taken, true)], ["as in Nat.add_comm", "as in …add_comm"]);
  assert.equal(originLabel({ ...taken, origin: "add_comm" }, true), "as in add_comm");
  assert.equal(originLabel(tactic("omega"), true), "");
});

test("the target of a goal is its last turnstile, on one line", () => {
  assert.equal(targetLine("h : a ⊢ b\n⊢ p ∧\n    q"), "⊢ p ∧ q");
  assert.equal(targetLine("no  turnstile\n here"), "no turnstile here");
});

test("only what is unusual is said of a premise", () => {
  assert.equal(scopeLabel(premise("a")), "");
  assert.equal(scopeLabel(needsImport("a", "A.B")), "needs import A.B");
  assert.equal(scopeLabel(premise("a", { in_scope: false })), "out of scope");
  assert.equal(scopeLabel(premise("a", { in_scope: null, import: "import A" })), "");
  assert.deepEqual(["theorem", "lemma", "def", "instance"].map((kind) => kindLabel(premise("a", { kind }))), ["", "", "def", "instance"]);
});

test("which goal it is", () => {
  const replaces = { line: 9, column: 3, end_line: 9, end_column: 8 };
  assert.equal(goalHeading(ready()), "Goal");
  assert.equal(goalHeading(ready({ replaces })), "Goal before line 9");
  assert.equal(goalHeading(ready({ goalNumber: 2, goalCount: 3 })), "Goal 2 of 3");
  assert.equal(goalHeading(ready({ goalCount: 3, replaces })), "Goal 1 of 3 before line 9");
  assert.equal(goalHeading(ready({ pinned: true, line: 12 })), "Pinned goal, line 12");
});

test("a text that is too long is cut between characters", () => {
  assert.equal(cut("𝔸𝔸𝔸", 3), "𝔸𝔸𝔸");
  assert.equal(cut("𝔸𝔸𝔸𝔸", 3), "𝔸𝔸…");
});

test("ages", () => {
  const ago = (seconds: number): string => age(new Date(NOW - seconds * 1000).toISOString(), NOW);
  assert.equal(ago(-5), "just now");
  assert.equal(ago(59), "just now");
  assert.equal(ago(60), "1 minute ago");
  assert.equal(ago(3 * 3600 + 59), "3 hours ago");
  assert.equal(ago(86_400), "1 day ago");
  assert.equal(ago(40 * 86_400), "on 2026-10-13");
  assert.equal(age(null, NOW), "");
  assert.equal(age("not a date", NOW), "");
});

test("the foot has the server's line and the index's age, where there are any", () => {
  assert.equal(freshness(INDEX, null, NOW), `${INDEX.line} · indexed 3 hours ago`);
  assert.equal(freshness({ ...INDEX, built_at: null }, null, NOW), INDEX.line);
  assert.equal(freshness({ ...INDEX, line: "", built_at: null }, null, NOW), "");
  const checked = new Date(NOW - 300_000).toISOString();
  assert.equal(freshness(INDEX, checked, NOW), `${INDEX.line} · up to date, checked 5 minutes ago`);
  assert.equal(freshness({ ...INDEX, stale_files: 1 }, checked, NOW), `${INDEX.line} · indexed 3 hours ago`);
  assert.equal(freshness({ ...INDEX, built_at: new Date(NOW).toISOString() }, checked, NOW), `${INDEX.line} · indexed just now`);
});

test("characters that hide or turn text are made visible, letters and accents stay", () => {
  assert.equal(visible("a\u202eb\u200bc\u0000"), "a‹U+202E›b‹U+200B›c‹U+0000›");
  const harmless = "𝕜 ⟦x⟧ שלום a\u0301 ∀ x, 👩 \n\t";
  assert.equal(visible(harmless), harmless);
});

const STATES: readonly ViewState[] = [
  { kind: "starting" },
  ...(["missing", "crashed", "untrusted"] as const).map((reason): ViewState => ({ kind: "noServer", reason, message: "What.", hint: "Do." })),
  { kind: "noLean", message: "What.", hint: "Do." },
  ...(["noFile", "noGoals", "unsettled"] as const).map((reason): ViewState => ({ kind: "noGoal", reason })),
  { kind: "indexing", stage: "embedding", done: 3, total: 9 },
  { kind: "closed" },
  { kind: "unread", message: "What.", hint: "Do.", place: { file: "f", line: 3, column: 1 } },
  noMatch(),
  { kind: "failed", message: "What.", hint: "Do." },
];

test("every state but an answer has a message of its own", () => {
  const messages = STATES.map(describe);
  assert.ok(messages.every((message) => message !== null && message.title !== "" && message.text !== ""));
  assert.equal(new Set(messages.map((message) => message?.title)).size, STATES.length);
  assert.equal(describe(ready()), null);
});

test("a failure's own words are shown, and each failure offers a way on", () => {
  for (const state of STATES) {
    if (!("hint" in state)) continue;
    const message = describe(state);
    assert.equal(message?.text, "What.");
    assert.equal(message?.hint, "Do.");
    assert.ok((message?.offers.length ?? 0) > 0, state.kind);
  }
});

test("no good match says among how many was searched", () => {
  const message = describe(noMatch());
  assert.match(message?.text ?? "", /among 253,663 premises/u);
});

test("from where there is no goal a button leads to the next sorry", () => {
  for (const state of [{ kind: "closed" }, { kind: "noGoal", reason: "noGoals" }] as const) {
    assert.deepEqual(describe(state)?.offers, [], "not counted");
    assert.deepEqual(describe({ ...state, sorries: { total: 1, at: 1, next: null } })?.offers, [], "no other");
    assert.deepEqual(describe({ ...state, sorries: SORRIES })?.offers, [{ label: "Next sorry (line 14)", does: SORRIES.next }]);
  }
});

test("where Lean cannot read the text, its words are shown, but no more than fit, and the way there", () => {
  const place = { file: "f", line: 9, column: 3 };
  const message = describe({ kind: "unread", message: "x".repeat(3000), hint: "", place });
  assert.equal(message?.text.length, 600);
  assert.deepEqual(message?.offers, [{ label: "Go to Line 9", does: place }]);
});

test("progress in words", () => {
  assert.equal(progressLine({ stage: "embedding", done: 1200, total: 8222 }), "Embedding: 1,200 of 8,222");
  assert.equal(progressLine({ stage: "", done: 0, total: 0 }), "Working");
});

test("the page allows its own script and style, and nothing else", () => {
  const html = pageHtml({ cspSource: "https://x.test", script: 'https://x.test/"v".js', style: "s.css", nonce: "abc" });
  assert.match(html, /default-src 'none'; style-src https:\/\/x\.test; script-src 'nonce-abc'"/u);
  assert.doesNotMatch(html, /unsafe/u);
  assert.match(html, /src="https:\/\/x\.test\/&quot;v&quot;\.js"/u);
});
