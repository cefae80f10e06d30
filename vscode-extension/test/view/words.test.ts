import assert from "node:assert/strict";
import test from "node:test";

import { describe, progressLine } from "../../src/view/describe";
import { age, counted, freshness, moduleLabel, originLabel, scopeLabel, targetLine, verdict, visible } from "../../src/view/format";
import { pageHtml } from "../../src/view/html";
import type { ViewState } from "../../src/view/state";
import { INDEX, needsImport, NOW, premise, ready, tactic, unjudged } from "./samples";

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
  assert.equal(verdict(tactic("skip", ["⊢ p"])), "1 goal left");
  assert.equal(verdict({ ...tactic("skip"), status: "progress" }), "leaves goals");
  assert.equal(verdict(unjudged("rfl")), "cannot be judged: line 3 has an error");
  assert.equal(verdict({ ...unjudged("rfl"), message: "" }), "cannot be judged");
});

test("the theorem that a tactic is taken from", () => {
  assert.equal(originLabel({ ...tactic("omega"), origin: "Nat.add_comm" }), "as in Nat.add_comm");
  assert.equal(originLabel(tactic("omega")), "");
});

test("the target of a goal is its last turnstile, on one line", () => {
  assert.equal(targetLine("h : a ⊢ b\n⊢ p ∧\n    q"), "⊢ p ∧ q");
  assert.equal(targetLine("no  turnstile\n here"), "no turnstile here");
});

test("the scope says what a person has to do, and the module is not said twice", () => {
  assert.equal(scopeLabel(premise("a")), "in scope");
  assert.equal(scopeLabel(needsImport("a", "A.B")), "needs import A.B");
  assert.equal(scopeLabel(premise("a", { in_scope: false })), "out of scope");
  assert.equal(scopeLabel(premise("a", { in_scope: null, import: "import A" })), "");
  assert.equal(moduleLabel(needsImport("a", "A.B")), "");
  assert.equal(moduleLabel(needsImport("a", "A.B", { import: "import A" })), "A.B");
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
  assert.equal(freshness(INDEX, NOW), `${INDEX.line} · indexed 3 hours ago`);
  assert.equal(freshness({ ...INDEX, built_at: null }, NOW), INDEX.line);
  assert.equal(freshness({ ...INDEX, line: "", built_at: null }, NOW), "");
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
  { kind: "noMatch", goal: "⊢ p", index: INDEX, warnings: [], notes: [] },
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
  const message = describe({ kind: "noMatch", goal: "⊢ p", index: INDEX, warnings: [], notes: [] });
  assert.match(message?.text ?? "", /among 253,663 premises/u);
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
