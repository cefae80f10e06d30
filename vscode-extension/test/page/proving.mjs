/** The search for a whole proof, by the view's button and by the palette. */
import assert from "node:assert/strict";

import { eventually } from "../driver/eventually.mjs";
import { scenario } from "../driver/scenario.mjs";
import { unfinished } from "./writing.mjs";

export const PROVING = "Unfinished/Proving.lean";

/** A theorem that takes two steps, and one that no search proves. */
export const PROVED_IN_STEPS = `import Example.Nat.Basic

theorem steps (f : Nat → Nat) (h : ∀ n, f (n + 1) = f n) (n : Nat) : f n = f 0 := by
  sorry

theorem hard (n : Nat) : ∃ m, n < m ∧ ∀ k, 1 < k → k < m → m % k ≠ 0 := by
  sorry
`;

const STEPS = "f n = f 0 := by\n  sorry";

export const proving = [
  scenario("the view's button searches for a proof, Insert writes it, and Lean accepts the file", async (context) => {
    const { world, window, view, example } = context;
    await window.openFile(PROVING);
    await window.goBehind(PROVING, STEPS);
    await view.answer("f n = f 0");
    const frame = await view.frame();
    const panel = frame.getByRole("region", { name: "Search for a proof" });
    await frame.getByRole("button", { name: "Search for a Proof" }).click();
    await panel.getByText(/ s of 10 s · \d+ states?/u).waitFor();
    await panel.getByText("Proof found, line 4").waitFor();
    const [first] = (await panel.locator(".proof-script").textContent()).split("\n");
    await panel.getByRole("button", { name: "Insert" }).focus();
    await eventually(async () => {
      await window.press("Enter"); // a button that has just appeared takes no press
      return panel.waitFor({ state: "hidden", timeout: 2000 }).then(() => true, () => false);
    }, "the proof is inserted");
    await window.untilText(first);
    await window.saved(PROVING);
    assert.equal(await unfinished(world, example, PROVING), 1);
  }),

  scenario("the palette searches for a proof, and Escape in the view stops it", async ({ window, view }) => {
    await window.openFile(PROVING);
    await window.goBehind(PROVING, "m % k ≠ 0 := by\n  sorry");
    await view.answer("∃ m, n < m");
    await window.command("Premise Suggest: Search for a Proof");
    const panel = (await view.frame()).getByRole("region", { name: "Search for a proof" });
    await panel.getByText(/\d+ states?/u).waitFor();
    await view.hasFocus();
    await window.press("Escape");
    await panel.getByText("The search was stopped").waitFor();
    await window.press("Escape");
    await panel.waitFor({ state: "hidden" });
  }),
];
