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
    await (await view.part("b + c")).click();
    const selected = await view.until((state) => state.selected.includes("b + c") && !state.busy && !state.running && state.tactics.length > 0, "rewrites of b + c");
    assert.ok(selected.tactics.includes("rw [Nat.add_comm b c]"), selected.tactics.join("; "));
    assert.ok(selected.tactics.every((tactic) => tactic.startsWith("rw [")));
    assert.ok(selected.premises.includes("Nat.add_comm"));
    await window.press("Escape");
    const again = await view.until((state) => state.selected.length === 0 && !state.busy && !state.running, "the whole answer");
    assert.deepEqual(again.premises, whole.premises);
    await window.focusEditor();
  }),

  scenario("a premise shows its statement, and opened its module and its doc string", async ({ window, view }) => {
    await window.goBehind(FIRST, "sorry", 0);
    await view.answer("k ∣ n.factorial");
    const row = await view.row("premise", "Nat.dvd_factorial");
    assert.match(await row.innerText(), /\(h : m ≤ n\) : m ∣ n\.factorial/);
    await view.pressOn("premise", "Nat.dvd_factorial", " ");
    await row.locator(".module", { hasText: "Example.Nat.Prime" }).waitFor();
    await view.pressOn("premise", "Nat.dvd_factorial", "Escape");
    await window.focusEditor();
  }),

  scenario("the foot tells what was searched and how fresh it is", async ({ view }) => {
    const state = await view.until((shown) => shown.foot !== "", "a foot");
    assert.match(state.foot, /this project · Lean 4\.\d+\.\d+ · packaged mini core · up to date/);
  }),

  scenario("outside of proofs the view says so, and leads to the next sorry", async ({ window, view }) => {
    await window.goTo(1, 1);
    const state = await view.notice("Not in a proof");
    assert.deepEqual(state.rows, []);
    const frame = await view.frame();
    await frame.getByRole("button", { name: /^Next sorry \(line \d+\)$/ }).click();
    const first = await view.answer("k ∣ n.factorial");
    assert.match(first.sorries, /^sorry 1 of \d+$/);
  }),

  scenario("the commands for the next and the previous sorry go round the file", async ({ window, view }) => {
    await window.focusEditor();
    await window.goBehind(FIRST, "sorry", 0);
    await view.answer("k ∣ n.factorial");
    await window.press("Control+Alt+.");
    assert.match((await view.answer("a + (b + c) = b + (a + c)")).sorries, /^sorry 2 of/);
    await window.command("Premise Suggest: Go to Previous Sorry");
    await view.answer("k ∣ n.factorial");
  }),

  scenario("a pinned goal stays while the cursor moves, and is let go", async ({ window, view }) => {
    await window.goBehind(FIRST, "sorry", 0);
    const pinned = await view.answer("k ∣ n.factorial");
    const frame = await view.frame();
    const pin = frame.getByRole("button", { name: "Pin This Goal" });
    await pin.click();
    await view.until((state) => /^Pinned goal, line \d+$/.test(state.heading ?? ""), "a pinned goal");
    await window.focusEditor();
    await window.goBehind(FIRST, "sorry", 1);
    const still = await view.answer("k ∣ n.factorial");
    assert.deepEqual(still.premises, pinned.premises);
    await pin.click();
    await view.answer("a + (b + c) = b + (a + c)");
    await window.focusEditor();
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

  scenario("the menu of a row copies it", async ({ window, view }) => {
    await window.goBehind(FIRST, "sorry", 0);
    await view.answer("k ∣ n.factorial");
    await (await view.row("premise", "Nat.dvd_factorial")).click({ button: "right" });
    await window.page.locator(".monaco-menu .action-label", { hasText: /^Copy$/ }).hover();
    await window.press("Enter"); // a click as soon as the menu is there is not taken
    await window.untilClipboard("Nat.dvd_factorial");
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
