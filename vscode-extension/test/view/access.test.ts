/** The page to a screen reader and to the eye, in each of VS Code's kinds of theme. */

import assert from "node:assert/strict";
import { describe } from "node:test";

import axe from "axe-core";

import type { PremiseItem, TacticItem } from "../../src/view/state";
import { checks, toList } from "./check";
import { A, ABC, B, FULL, MESSAGES, PARTS, premise, PROVED, ready, SEARCHING, SORRIES, TACTICS, TEN, unjudged } from "./samples";
import { THEMES } from "./themes";

const check = checks();

/** More tactics than are shown, one that cannot be judged, a premise that rests on sorry. */
const CROWDED = ready({ tactics: [...TEN.slice(0, 3), unjudged("rfl"), ...TEN.slice(7)], premises: [premise("open", { rests_on_sorry: true })] });

/** A goal with a part that is selected. */
const SELECTED = ready({ parts: PARTS, selected: "n + k" });

/** The second of three goals, before a tactic that fails. */
const SECOND = ready({ goalNumber: 2, goalCount: 3, replaces: { line: 9, column: 3, end_line: 9, end_column: 8 }, sorries: SORRIES });

/** What was verified before the text changed; Lean cannot read what it is now. */
const STALE = ready({ stale: true, trouble: { message: "Line 9: unexpected token", place: { file: "f", line: 9, column: 1 } } });

/** What a screen reader is given: goals and names are read as the text stands, the dots between as pauses. */
const TREE = `
- main:
  - heading "Premises" [level=1]
  - region "Goal":
    - button "Hypotheses"
    - button "Search for a Proof"
    - button "Pin This Goal"
    - text: ⊢ n + k ≤ m + k
  - group "Verified Tactics":
    - listbox "Verified Tactics":
      - option "omega closes the goal" [selected]
      - option "apply Nat.add_le_add 2 goals left, ⊢ n ≤ m, ⊢ k ≤ k"
  - group "Premises":
    - listbox "Premises":
      - 'option "a.first (n m : ℕ) : n + m = m + n exact a.first _ not tried yet"'
      - 'option "b.second (n m : ℕ) : n + m = m + n omega closes the goal needs import Far.Away"'
  - toolbar "Actions for omega":
    - button "Insert"
    - button "Copy Tactic"`.trimStart();

/** The same for the second of three goals, before a tactic that fails, in a file with more sorrys. */
const SECOND_TREE = `
- region "Goal":
  - button "Hypotheses"
  - text: Goal 2 of 3 before line 9 · the tactic there is replaced sorry 2 of 5
  - button "Previous Goal"
  - button "Next Goal"
  - button "Search for a Proof"
  - button "Pin This Goal" [pressed]
  - text: ⊢ n + k ≤ m + k`.trimStart();

describe("to a screen reader", () => {
  check("the page is a goal, a listbox of groups, a toolbar and a foot", async (view) => {
    const [omega, apply] = TACTICS.slice(1) as [TacticItem, TacticItem];
    await view.show(ready({ premises: [A, B] as readonly PremiseItem[], tactics: [{ ...omega, uses: [B.name] }, apply] }));
    const shown = await view.page.locator("main").ariaSnapshot();
    assert.equal(shown, TREE);
  });

  check("the goal says which it is, and how the others are reached", async (view) => {
    await view.show({ ...SECOND, pinned: false });
    await view.show({ ...SECOND, pinned: true, goalCount: 3 });
    const shown = await view.page.getByRole("region", { name: "Goal" }).ariaSnapshot();
    assert.equal(shown, SECOND_TREE.replace("Goal 2 of 3", "Pinned goal 2 of 3"));
  });

  check("a list from before the text changed says that it is not up to date", async (view) => {
    await view.show(STALE);
    assert.equal(await view.page.locator(".list").getAttribute("aria-busy"), "true");
    await view.show(ready());
    assert.equal(await view.page.locator(".list").getAttribute("aria-busy"), null);
  });

  for (const theme of THEMES) {
    check(`axe finds nothing in ${theme.name}`, async (view) => {
      await view.page.clock.resume(); // axe waits on timers of its own
      await view.page.evaluate(axe.source);
      for (const state of [...MESSAGES, CROWDED, SELECTED, SECOND, STALE, FULL]) {
        await view.show(state);
        if (state === FULL) {
          await toList(view);
          await view.press("ArrowDown", "?");
        }
        const found = await view.page.evaluate(async () => {
          const run = (window as unknown as { axe: typeof axe }).axe.run;
          const { violations } = await run(document);
          return violations.map((one) => `${one.id}: ${one.nodes.map((node) => `${node.html} ${node.failureSummary}`).join(" | ")}`);
        });
        assert.deepEqual(found, [], state.kind);
        await view.showProof(state === STALE ? SEARCHING : state === SECOND ? PROVED : { kind: "none" });
      }
    }, { theme: theme.name });
  }
});

describe("to the eye", () => {
  check("nothing moves where motion is to be reduced", async (view) => {
    await view.show(FULL);
    const moving = await view.page.evaluate(() =>
      document.getAnimations().filter((one) => one.effect?.getComputedTiming().iterations === Infinity).length);
    assert.equal(moving, 0);
  }, { reducedMotion: true });

  check("in high contrast the actions and the focused row have borders of the theme's", async (view) => {
    await view.show(ABC);
    await toList(view);
    const style = await view.page.evaluate(() => {
      const bar = getComputedStyle(document.querySelector(".toolbar") as Element);
      const row = getComputedStyle(document.activeElement as Element);
      return [bar.borderTopColor, row.outlineColor, row.outlineStyle];
    });
    assert.deepEqual(style, ["rgb(111, 195, 223)", "rgb(243, 133, 24)", "solid"]);
  }, { theme: "high-contrast" });
});
