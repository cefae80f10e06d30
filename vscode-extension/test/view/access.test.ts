/** The page to a screen reader and to the eye, in each of VS Code's kinds of theme. */

import assert from "node:assert/strict";
import { describe } from "node:test";

import axe from "axe-core";

import type { PremiseItem } from "../../src/view/state";
import { checks, toList } from "./check";
import { A, ABC, B, FULL, MESSAGES, PARTS, premise, ready, TACTICS, TEN, unjudged } from "./samples";
import { THEMES } from "./themes";

const check = checks();

/** More tactics than are shown, one that cannot be judged, a premise that rests on sorry. */
const CROWDED = ready({ tactics: [...TEN.slice(0, 3), unjudged("rfl"), ...TEN.slice(7)], premises: [premise("open", { rests_on_sorry: true })] });

/** A goal with a part that is selected. */
const SELECTED = ready({ parts: PARTS, selected: "n + k" });

/** What a screen reader is given: goals and names are read as the text stands, the dots between as pauses. */
const TREE = `
- main:
  - heading "Premises" [level=1]
  - region "Goal":
    - button "Hypotheses"
    - text: ⊢ n + k ≤ m + k
  - group "Verified Tactics":
    - listbox "Verified Tactics":
      - option "omega closes the goal" [selected]
      - option "apply Nat.add_le_add 2 goals left, ⊢ n ≤ m, ⊢ k ≤ k"
  - group "Premises":
    - listbox "Premises":
      - 'option "a.first (n m : ℕ) : n + m = m + n in scope, theorem, Mathlib.Algebra.Group.Defs"'
      - 'option "b.second (n m : ℕ) : n + m = m + n needs import Far.Away, theorem"'
  - toolbar "Actions for omega":
    - button "Insert"
    - button "Copy Tactic"`.trimStart();

describe("to a screen reader", () => {
  check("the page is a goal, a listbox of groups, a toolbar and a foot", async (view) => {
    await view.show(ready({ premises: [A, B] as readonly PremiseItem[], tactics: TACTICS.slice(1, 3) }));
    const shown = await view.page.locator("main").ariaSnapshot();
    assert.equal(shown, TREE);
  });

  for (const theme of THEMES) {
    check(`axe finds nothing in ${theme.name}`, async (view) => {
      await view.page.clock.resume(); // axe waits on timers of its own
      await view.page.evaluate(axe.source);
      for (const state of [...MESSAGES, CROWDED, SELECTED, FULL]) {
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
