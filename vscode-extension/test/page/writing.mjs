/** What the view, the quick fixes and completion write into the file; Lean judges the outcome. */
import assert from "node:assert/strict";

import { scenario } from "../driver/scenario.mjs";

/** A file of its own: what is saved here is met by no other scenario. */
export const WRITING = "Unfinished/Writing.lean";

const FAR = "Unfinished/FarAway.lean";

/** Lean finds nothing wrong with the file; how many of its proofs are unfinished. */
export async function unfinished(world, folder, name) {
  const messages = await world.leanMessages(folder, name);
  assert.deepEqual(messages.filter((one) => one.severity === "error"), []);
  return messages.filter((one) => /sorry/.test(one.data)).length;
}

export const writing = [
  scenario("Enter on a verified tactic replaces the sorry, and Lean accepts the file", async (context) => {
    const { world, window, view, example } = context;
    await window.openFile(WRITING);
    await window.goBehind(WRITING, "k ∣ n.factorial := by\n  sorry");
    const before = await unfinished(world, example, WRITING);
    await view.tactics("k ∣ n.factorial");
    await view.pressOn("tactic", "exact Nat.dvd_factorial hk hkn", "Enter");
    await window.untilText("exact Nat.dvd_factorial hk hkn");
    const text = await window.saved(WRITING);
    assert.ok(text.includes("k ∣ n.factorial := by\n  exact Nat.dvd_factorial hk hkn\n"), text);
    assert.equal(await unfinished(world, example, WRITING), before - 1);
  }),

  scenario("Shift+Enter inserts a premise and adds its import, and Lean accepts the file", async (context) => {
    const { world, window, view, example } = context;
    await window.openFile(FAR);
    await window.goBehind(FAR, "n ≤ m := by\n  sorry");
    await view.answer("m ≤ n ∨ n ≤ m");
    const row = await view.row("premise", "Nat.le_total");
    assert.match(await row.innerText(), /needs import Example\.Nat\.Order/);
    await view.pressOn("premise", "Nat.le_total", "Shift+Enter");
    await window.untilText("import Example.Nat.Order");
    const text = await window.saved(FAR);
    assert.match(text, /^import Example\.Nat\.Basic\nimport Example\.Nat\.Order\n/);
    assert.match(text, /\n {2}exact Nat\.le_total .*\n/);
    assert.equal(await unfinished(world, example, FAR), 1);
  }),

  scenario("Enter on a premise inserts the tactic that Lean accepted with it, as its row says", async (context) => {
    const { world, window, view, example } = context;
    await window.openFile(WRITING);
    await window.goBehind(WRITING, "∃ p, N ≤ p ∧ p.Prime := by\n  sorry");
    const before = await unfinished(world, example, WRITING);
    await view.tactics("∃ p, N ≤ p");
    const row = await view.row("premise", "Nat.exists_infinite_primes");
    assert.equal(await row.locator(".use").getAttribute("data-status"), "closes");
    const tactic = await row.locator(".use-text").textContent();
    await view.pressOn("premise", "Nat.exists_infinite_primes", "Enter");
    await window.untilText(tactic);
    await window.saved(WRITING);
    assert.equal(await unfinished(world, example, WRITING), before - 1);
  }),

  scenario("a quick fix writes the tactic that Lean accepted", async ({ world, window, example }) => {
    await window.openFile(WRITING);
    await window.goBehind(WRITING, "l.reverse ++ k.reverse := by\n  sorry");
    const before = await unfinished(world, example, WRITING);
    const menu = await window.quickFixes("Try this:");
    assert.match(await menu.first().innerText(), /^Try this: .*reverse_append/);
    await window.press("Enter");
    await window.untilText("reverse_append");
    await window.saved(WRITING);
    assert.equal(await unfinished(world, example, WRITING), before - 1);
  }),

  scenario("completion offers the goal's premises behind exact", async ({ window }) => {
    await window.openFile(WRITING);
    await window.goBehind(WRITING, "b + (a + c) := by\n  sorry");
    await window.replaceWord("exact ");
    // Terms with the name inside come before it where Lean has accepted them by then
    const list = await window.complete(/^\s*Nat\.add_left_comm/);
    await list.first().click();
    await window.untilText("exact Nat.add_left_comm");
    await window.revert();
  }),

  scenario("hovering a sorry shows what closes the goal, with a link that inserts it", async (context) => {
    const { world, window, view, example } = context;
    await window.openFile(WRITING);
    await window.goBehind(WRITING, "b + (a + c) := by\n  sor");
    const before = await unfinished(world, example, WRITING);
    await view.tactics("b + (a + c)");
    const text = await window.hover("Closes the goal");
    assert.match(text, /Nat\.add_left_comm[^]*Premises that fit this goal[^]*Nat\.add_left_comm/);
    assert.doesNotMatch(text, /near in meaning/);
    await window.page.locator(".monaco-hover:not(.hidden) a", { hasText: "Insert" }).first().click();
    await window.untilText("Nat.add_left_comm");
    await window.saved(WRITING);
    assert.equal(await unfinished(world, example, WRITING), before - 1);
  }),
];
