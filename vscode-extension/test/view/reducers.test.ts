import assert from "node:assert/strict";
import test from "node:test";

import { NOTHING_SAVED, readPageMessage, readSaved, readStateMessage } from "../../src/view/messages";
import { announcement, premiseKey, sections, SHOWN, togglePin, type Section } from "../../src/view/sections";
import { moved, survivor } from "../../src/view/selection";
import type { Pin, TacticItem, ViewState } from "../../src/view/state";
import { needsImport, premise, ready, tactic, unjudged } from "./samples";

const KEYS = ["a", "b", "c", "d"];

test("keys move the active row and stop at the ends", () => {
  assert.equal(moved(KEYS, "a", "ArrowDown"), "b");
  assert.equal(moved(KEYS, "d", "ArrowDown"), "d");
  assert.equal(moved(KEYS, "a", "ArrowUp"), "a");
  assert.equal(moved(KEYS, "c", "Home"), "a");
  assert.equal(moved(KEYS, "b", "End"), "d");
  assert.equal(moved(KEYS, "b", "PageDown"), "d");
  assert.equal(moved(KEYS, "d", "PageUp"), "a");
  assert.equal(moved(KEYS, null, "ArrowDown"), "a");
  assert.equal(moved(KEYS, "gone", "End"), "d");
  assert.equal(moved([], "a", "End"), null);
});

test("a held row survives; if it goes, the next one that stays is active, else the one before", () => {
  assert.equal(survivor(KEYS, "b", ["x", "b"], true), "b");
  assert.equal(survivor(KEYS, "b", ["x", "a", "d"], true), "d");
  assert.equal(survivor(KEYS, "d", ["x", "a", "b"], true), "b");
  assert.equal(survivor(KEYS, "b", ["x", "y"], true), "x");
  assert.equal(survivor(KEYS, "b", [], true), null);
});

test("a row that nobody holds gives way to the first of a new answer", () => {
  assert.equal(survivor(KEYS, "b", ["x", "b"], false), "x");
});

const names = (section: Section | undefined): string[] =>
  (section?.rows ?? []).map((row) => (row.kind === "tactic" ? row.tactic.tactic : row.premise.name));

test("tactics stand above what is pinned, and that above the rest", () => {
  const pins = togglePin([], premise("b"), "file:///project/Example.lean");
  const state = ready({ premises: [premise("a"), premise("b")], tactics: [tactic("omega")] });
  const shown = sections(state, pins);
  assert.deepEqual(shown.map((section) => section.id), ["tactics", "pinned", "premises"]);
  assert.deepEqual(shown.map(names), [["omega"], ["b"], ["a"]]);
});

test("only what Lean accepted is listed, and each thing once", () => {
  const failing: TacticItem = { ...tactic("ring"), status: "fails", message: "no" };
  const twice = ready({ tactics: [failing, tactic("omega"), tactic("omega")], premises: [premise("a"), premise("a")] });
  assert.deepEqual(sections(twice, []).map(names), [["omega"], ["a"]]);
});

test("what closes the goal stands first, then steps, then what cannot be judged, each in the server's order", () => {
  const tactics = [unjudged("a"), tactic("b", ["⊢ p"]), tactic("c"), unjudged("d"), tactic("e", ["⊢ q"]), tactic("f")];
  const [shown] = sections(ready({ tactics }), [], { ...SHOWN, unfolded: ["tactics"] });
  assert.deepEqual(names(shown), ["c", "f", "b", "e", "a", "d"]);
  assert.equal(shown?.title, "Tactics", "an unjudged tactic does not stand under 'Verified'");
  assert.equal(sections(ready(), [])[0]?.title, "Verified Tactics");
});

test("beside many tactics the best five are shown, and the one that a person is at", () => {
  const ten = ready({ tactics: Array.from({ length: 10 }, (_, at) => tactic(`t${at}`)) });
  const shown = (unfolded: boolean, held: string | null): Section | undefined => sections(ten, [], { ...SHOWN, unfolded: unfolded ? ["tactics"] : [], held })[0];
  const best = ["t0", "t1", "t2", "t3", "t4"];
  assert.deepEqual(names(shown(false, null)), best);
  assert.deepEqual(names(shown(false, "tactic t7")), [...best, "t7"]);
  assert.deepEqual(names(shown(false, "tactic t0")), best);
  assert.equal(names(shown(true, null)).length, 10);
  assert.deepEqual([shown(false, null)?.count, shown(false, null)?.unfolded, shown(true, null)?.unfolded], [10, false, true]);
  const five = sections(ready({ tactics: ten.tactics.slice(0, 5) }), [])[0];
  assert.deepEqual([names(five), five?.unfolded], [best, null]);
  assert.equal(announcement(ten, ""), "6 premises, 10 tactics");
});

test("empty sections say why", () => {
  const notes = (state: ViewState): (string | undefined)[] => sections(state, []).map((section) => section.note);
  assert.deepEqual(notes(ready({ tactics: [], tacticsState: "running" })), ["Trying tactics in Lean…", ""]);
  assert.deepEqual(notes(ready({ tactics: [], tacticsState: "done" })), ["Lean accepted none of those tried.", ""]);
  assert.deepEqual(notes(ready({ tactics: [], tacticsState: "failed", premises: [] })), ["Tactics could not be tried.", "No good match."]);
  assert.deepEqual(notes(ready({ tactics: [], tacticsState: "off" })), [""]);
  assert.deepEqual(sections({ kind: "starting" }, []), []);
});

test("a pin keeps its scope in its own file, and admits elsewhere that it does not know", () => {
  const pinned = needsImport("p", "M");
  const pins: Pin[] = [{ premise: pinned, file: "file:///a.lean" }];
  const scope = (state: ViewState): boolean | null | undefined => {
    const row = sections(state, pins).find((section) => section.id === "pinned")?.rows[0];
    return row?.kind === "premise" ? row.premise.in_scope : undefined;
  };
  assert.equal(scope(ready({ file: "file:///a.lean" })), false);
  assert.equal(scope(ready({ file: "file:///b.lean" })), null);
  assert.equal(scope({ kind: "noGoal", reason: "noGoals" }), null);
  assert.equal(scope(ready({ file: "file:///b.lean", premises: [{ ...pinned, in_scope: true }] })), true);
});

test("pinning twice lets go; premises of one name in two modules are two", () => {
  const once = togglePin([], premise("a"), "f");
  assert.deepEqual(togglePin(once, premise("a"), "g"), []);
  assert.equal(togglePin(once, premise("a", { module: "Other" }), "f").length, 2);
  assert.notEqual(premiseKey(premise("a")), premiseKey(premise("a", { module: "Other" })));
});

test("what is said aloud: nothing while more may come, then the counts", () => {
  assert.equal(announcement(ready({ tacticsState: "running" }), ""), "");
  assert.equal(announcement(ready({ busy: true }), ""), "");
  assert.equal(announcement(ready(), ""), "6 premises, 3 tactics");
  assert.equal(announcement(ready({ premises: [premise("a")], tactics: [], tacticsState: "off" }), ""), "1 premise");
  assert.equal(announcement(ready({ premises: [], tactics: [] }), ""), "no good match, 0 tactics");
  assert.equal(announcement({ kind: "starting" }, "Starting"), "Starting");
});

test("messages from the page are taken as they are meant", () => {
  const item = premise("a");
  const message = { type: "insertPremise", premise: item, addImport: true, positionId: "7" };
  assert.deepEqual(readPageMessage(message), message);
  assert.deepEqual(readPageMessage({ type: "insertTactic", tactic: tactic("omega") }), { type: "insertTactic", tactic: tactic("omega"), positionId: null });
  const whole: unknown[] = [
    { type: "run", command: "restart" }, { type: "chooseGoal", number: 2, positionId: "7" }, { type: "pinGoal", pinned: true },
    { type: "goTo", place: { file: "file:///a.lean", line: 3, column: 1 } }, { type: "details", premise: item },
  ];
  for (const one of whole) assert.deepEqual(readPageMessage(one), one);
});

test("anything else is no message", () => {
  const wrong: unknown[] = [
    null, 1, "loaded", [], {}, { type: "eval" }, { type: "run", command: "rm" }, { type: "copyName", name: 1 },
    { type: "insertPremise" }, { type: "insertPremise", premise: { name: "", module: "M" } },
    { type: "insertTactic", tactic: { tactic: 3, status: "closes" } }, { type: "insertTactic", tactic: { tactic: "rfl", status: "sure" } },
    { type: "openDeclaration", premise: { name: "a" } }, { type: "chooseGoal", number: 0, positionId: "7" }, { type: "chooseGoal", number: 2 },
    { type: "goTo", place: { file: "f", line: 1.5, column: 1 } }, { type: "details", premise: 1 },
  ];
  for (const value of wrong) assert.equal(readPageMessage(value), null, JSON.stringify(value));
});

test("a state is taken by its kind, and nothing else is", () => {
  const message = { type: "state", state: ready() };
  assert.equal(readStateMessage(message), message);
  for (const value of [null, "state", { type: "state" }, { type: "state", state: { kind: "toString" } }, { state: ready() }]) {
    assert.equal(readStateMessage(value), null);
  }
});

test("what the page kept is read back, and what is broken of it is left out", () => {
  const pinned = premise("a", { rests_on_sorry: true, deprecated: true, replaced_by: "b" });
  const saved = { pins: [{ premise: pinned, file: "f" }], active: "k", goalOpen: true, unfolded: { goal: "⊢ p", sections: ["tactics"] } };
  assert.deepEqual(readSaved(JSON.parse(JSON.stringify(saved))), saved);
  assert.deepEqual(readSaved({ ...saved, pins: [null, { premise: {} }, ...saved.pins], active: 3, unfolded: 1 }), { ...saved, active: null, unfolded: null });
  for (const value of [undefined, null, "x", [], { pins: 1 }]) assert.deepEqual(readSaved(value), NOTHING_SAVED);
});
