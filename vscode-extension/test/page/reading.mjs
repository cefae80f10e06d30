/** What the view shows as the cursor moves. */
import assert from "node:assert/strict";

import { scenario } from "../driver/scenario.mjs";

export const FIRST = "Unfinished/FirstSteps.lean";

export const reading = [
  scenario("the view follows the cursor from goal to goal", async ({ window, view }) => {
    await window.openFile(FIRST);
    await window.goBehind(FIRST, "sorry", 0);
    const first = await view.answer("k ∣ n.factorial");
    assert.equal(first.premises[0], "Nat.dvd_factorial");
    await window.goBehind(FIRST, "sorry", 1);
    const second = await view.answer("a + (b + c) = b + (a + c)");
    assert.notDeepEqual(second.premises, first.premises);
  }),

  scenario("tactics that Lean accepted stand above the premises, what closes the goal first", async ({ window, view }) => {
    await window.goBehind(FIRST, "sorry", 0);
    const state = await view.tactics("k ∣ n.factorial");
    assert.equal(state.closing[0], "exact Nat.dvd_factorial hk hkn");
    assert.deepEqual(state.tactics.slice(0, state.closing.length), state.closing);
    assert.equal(state.rows.lastIndexOf("tactic"), state.tactics.length - 1);
    const row = await view.row("tactic", "apply Nat.dvd_factorial");
    const goals = await row.locator(".goal").allTextContents();
    assert.deepEqual(goals, ["⊢ 0 < k", "⊢ k ≤ n"]);
  }),

  scenario("beside many tactics three premises and both headings are in sight, and the other tactics are a key away", async ({ window, view }) => {
    await window.openFile(FIRST);
    await window.goBehind(FIRST, "a ∈ k ++ l := by\n  sorry");
    const folded = await view.tactics("a ∈ k ++ l");
    assert.equal(folded.tactics.length, 5);
    const premises = await view.inSight(".row.premise");
    assert.ok(premises.length >= 3, `in sight: ${premises}`);
    const more = await view.more();
    const hidden = Number(/^(\d+) more$/.exec(await more.innerText())[1]);
    await view.pressOn("tactic", folded.tactics[0], "Tab");
    await window.press("Enter");
    const all = await view.until((state) => state.tactics.length === 5 + hidden, "all tactics");
    assert.deepEqual(all.tactics.slice(0, 5), folded.tactics);
    assert.equal(await more.getAttribute("aria-expanded"), "true");
    for (const keys of ["End", "Home"]) {
      await view.pressOn("tactic", all.tactics[0], keys);
      assert.deepEqual(await view.inSight(".heading"), ["Verified Tactics", "Premises"], keys);
    }
    await more.click();
    await view.until((state) => state.tactics.length === 5, "the best five");
    await window.focusEditor();
  }),

  scenario("a part of the goal is clicked on, and what rewrites it is tried in Lean; Escape leads back", async ({ window, view }) => {
    await window.openFile(FIRST);
    await window.goBehind(FIRST, "sorry", 1);
    const whole = await view.tactics("a + (b + c) = b + (a + c)");
    await (await view.part("b")).click();
    await view.until((state) => state.selected.includes("b") && !state.busy, "b selected");
    await window.press("ArrowUp");
    await window.press("Enter");
    const selected = await view.until((state) => state.selected.includes("b + c") && !state.busy && !state.running && state.tactics.length > 0, "rewrites of b + c");
    assert.ok(selected.tactics.includes("rw [Nat.add_comm b c]"), selected.tactics.join("; "));
    assert.ok(selected.tactics.every((tactic) => tactic.startsWith("rw [")));
    assert.ok(selected.premises.includes("Nat.add_comm"));
    await window.press("Escape");
    const again = await view.until((state) => state.selected.length === 0 && !state.busy && !state.running, "the whole answer");
    assert.deepEqual(again.premises, whole.premises);
    await window.focusEditor();
  }),

  scenario("a premise shows its statement, its module and whether it is in scope", async ({ window, view }) => {
    await window.goBehind(FIRST, "sorry", 0);
    await view.answer("k ∣ n.factorial");
    const text = await (await view.row("premise", "Nat.dvd_factorial")).innerText();
    assert.match(text, /\(h : m ≤ n\) : m ∣ n\.factorial/);
    assert.match(text, /Example\.Nat\.Prime/);
    assert.match(text, /in scope/);
  }),

  scenario("the foot tells what was searched and how fresh it is", async ({ view }) => {
    const state = await view.until((shown) => shown.foot !== "", "a foot");
    assert.match(state.foot, /this project · Lean 4\.\d+\.\d+ · packaged mini core · up to date/);
  }),

  scenario("where there is no goal the view says so", async ({ window, view }) => {
    await window.goTo(1, 1);
    const state = await view.notice("No goal here");
    assert.deepEqual(state.rows, []);
  }),

  scenario("a pinned premise stays as the cursor moves on, and can be let go", async ({ window, view }) => {
    await window.goBehind(FIRST, "sorry", 0);
    await view.answer("k ∣ n.factorial");
    await view.pressOn("premise", "Nat.self_le_factorial", "p");
    await window.focusEditor();
    await window.goBehind(FIRST, "sorry", 3);
    const moved = await view.answer("(k ++ l).reverse");
    assert.equal(moved.premises[0], "Nat.self_le_factorial");
    await view.pressOn("premise", "Nat.self_le_factorial", "p");
    await view.until((state) => !state.premises.includes("Nat.self_le_factorial"), "no pinned premise");
    await window.focusEditor();
  }),

  scenario("C copies a premise's name", async ({ window, view }) => {
    await window.goBehind(FIRST, "sorry", 0);
    await view.answer("k ∣ n.factorial");
    await view.pressOn("premise", "Nat.factorial_pos", "c");
    await window.untilClipboard("Nat.factorial_pos");
    await window.focusEditor();
  }),

  scenario("O opens a premise's declaration", async ({ window, view }) => {
    await window.goBehind(FIRST, "sorry", 0);
    await view.answer("k ∣ n.factorial");
    await view.pressOn("premise", "Nat.dvd_factorial", "o");
    await window.activeTab("Prime.lean");
    const { line } = await window.cursor();
    const opened = window.onDisk("Example/Nat/Prime.lean").split("\n")[line - 1];
    assert.match(opened, /theorem (Nat\.)?dvd_factorial\b/);
    await window.openFile(FIRST);
  }),
];
