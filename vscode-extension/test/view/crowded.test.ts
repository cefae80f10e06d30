/** Many tactics beside many premises, in the room that a side bar has in a window of 1280 by 800. */

import assert from "node:assert/strict";
import { describe } from "node:test";

import type { ViewState } from "../../src/view/state";
import { checks, order, toList } from "./check";
import type { View } from "./harness";
import { many, premise, PREMISES, ready, tactic, TACTICS, TEN, unjudged } from "./samples";

const check = checks();
const SIDE_BAR = { width: 300, height: 713 };
const LONG = Array.from({ length: 32 }, (_, at) => ({ ...PREMISES[at % PREMISES.length], name: `Long.lemma_${at}_` }) as (typeof PREMISES)[number]);
const CROWDED = ready({ tactics: TEN, premises: LONG });

/** The texts of what can be seen whole: between the headings above and below, and inside the window. */
function seen(view: View, selector: string): Promise<string[]> {
  return view.page.locator(selector).evaluateAll((all) =>
    all
      .filter((node) => {
        const box = node.getBoundingClientRect();
        const at = (y: number): boolean => node.contains(document.elementFromPoint(box.left + box.width / 2, y));
        return at(box.top + 2) && at(box.bottom - 2);
      })
      .map((node) => node.querySelector(".name, .title")?.textContent ?? ""));
}

function scrollTo(view: View, part: number): Promise<void> {
  return view.page.locator(".scroller").evaluate((node, share) => {
    node.scrollTop = share * node.scrollHeight;
  }, part);
}

const more = (view: View) => view.page.locator(".more:not([hidden])");

describe("ten tactics and 32 premises", () => {
  check("five tactics stand above at least three premises", async (view) => {
    await view.show(CROWDED);
    assert.equal((await seen(view, ".row.tactic")).length, 5);
    const premises = await seen(view, ".row.premise");
    assert.ok(premises.length >= 3, `${premises}`);
  }, SIDE_BAR);

  check("both headings are in view wherever it is scrolled to, folded or not", async (view) => {
    await view.show(CROWDED);
    for (const unfolded of [false, true]) {
      if (unfolded) await more(view).click();
      for (const part of [0, 0.2, 0.5, 1]) {
        await scrollTo(view, part);
        assert.deepEqual(await seen(view, ".heading"), ["Verified Tactics", "Premises"], `${unfolded} ${part}`);
      }
    }
  }, SIDE_BAR);

  check("with pins there are three headings, and all are in view", async (view) => {
    await view.show(CROWDED);
    await view.row("Long.lemma_3_").focus();
    await view.press("p");
    for (const part of [0, 0.5, 1]) {
      await scrollTo(view, part);
      assert.deepEqual(await seen(view, ".heading"), ["Verified Tactics", "Pinned", "Premises"], `${part}`);
    }
  }, SIDE_BAR);

  check("a row that the keyboard comes to is not behind a heading", async (view) => {
    await view.show(CROWDED);
    await toList(view);
    for (const key of ["End", "PageUp", "PageUp", "PageUp", "Home", "PageDown"]) {
      await view.press(key);
      const name = (await view.focused()).split("\n")[0] ?? "";
      assert.ok((await seen(view, ".row")).includes(name), `${key}: ${name}`);
    }
  }, SIDE_BAR);

  check("a click on a heading brings its section up", async (view) => {
    await view.show(CROWDED);
    await view.page.locator(".heading", { hasText: "Premises" }).click();
    assert.ok((await seen(view, ".row.premise")).includes("Long.lemma_0_"));
    assert.deepEqual(await seen(view, ".row.tactic"), []);
  }, SIDE_BAR);
});

describe("the rest of the tactics", () => {
  check("is a tab stop behind the list, opened and closed by keyboard, and tells whether it is open", async (view) => {
    await view.show(CROWDED);
    await toList(view);
    await view.press("Tab");
    assert.equal(await view.focused(), "5 more tactics");
    assert.equal(await more(view).getAttribute("aria-expanded"), "false");
    await view.press("Enter");
    assert.equal(await view.page.locator(".row.tactic").count(), 10);
    assert.equal(await view.focused(), "Show fewer tactics");
    assert.equal(await more(view).getAttribute("aria-expanded"), "true");
    await view.press(" ");
    assert.equal(await view.page.locator(".row.tactic").count(), 5);
    assert.equal(await view.focused(), "5 more tactics");
    assert.deepEqual(await view.sent(), [], "nothing was inserted");
  }, SIDE_BAR);

  check("up and down on its button lead to the rows around it", async (view) => {
    await view.show(CROWDED);
    await more(view).focus();
    await view.press("ArrowDown");
    assert.match(await view.focused(), /^Long\.lemma_0_\n/u);
    await more(view).focus();
    await view.press("ArrowUp");
    assert.match(await view.focused(), /^apply Nat\.lemma_4 /u);
  }, SIDE_BAR);

  check("stays open for its goal, while answers come in and when the view is shown again, and for no other", async (view) => {
    await view.show(CROWDED);
    await more(view).click();
    const shown = async (state: ViewState): Promise<number> => {
      await view.show(state);
      return view.page.locator(".row.tactic").count();
    };
    assert.equal(await shown({ ...CROWDED, tacticsState: "running", tactics: TEN.slice(0, 7) }), 10, "the last verified list stays");
    assert.equal(await shown(CROWDED), 10);
    await view.reload();
    assert.equal(await shown(CROWDED), 10);
    assert.equal(await shown({ ...CROWDED, goal: "⊢ another" }), 5);
  }, SIDE_BAR);

  check("is not offered where there are five", async (view) => {
    await view.show(ready({ tactics: TEN.slice(0, 5) }));
    assert.equal(await more(view).isVisible(), false);
    await view.show({ ...ready(), tactics: [], tacticsState: "off" });
    assert.equal(await more(view).count(), 0);
  });

  check("a row that has the focus, or the mouse on it, is not folded away by better ones", async (view) => {
    await view.show(ready({ tactics: TEN.slice(5), premises: many(3) }));
    await view.row("Nat.lemma_9").focus();
    await view.show(CROWDED);
    assert.match(await view.focused(), /^apply Nat\.lemma_9 /u);
    assert.equal(await more(view).count(), 0, "the list does not grow under a person's hand");
    await view.page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await view.pass(50);
    assert.equal(await more(view).innerText(), "5 more");
    await view.show(ready({ tactics: TEN.slice(5), premises: many(3) }));
    await view.row("Nat.lemma_8").hover();
    await view.show(CROWDED);
    assert.ok((await order(view)).includes("apply Nat.lemma_8 (by assumption)"));
  });
});

describe("marks", () => {
  check("tactics that cannot be judged stand last, with the reason once above the list", async (view) => {
    await view.show(ready({ tactics: [unjudged("rfl"), unjudged("simp"), ...TACTICS] }));
    assert.deepEqual((await order(view)).slice(0, 5), [...TACTICS.map((one) => one.tactic), "rfl", "simp"]);
    assert.equal(await view.page.locator(".note:visible").first().innerText(), "Cannot be judged: line 3 has an error.");
    assert.match(await view.page.getByRole("group").first().getAttribute("aria-label") ?? "", /^Tactics: Cannot be judged: line 3/u);
    const row = view.row("rfl");
    assert.equal(await row.innerText(), "rfl\nnot judged");
    assert.equal(await row.locator(".icon-check").count(), 0);
  });

  check("a tactic that rests on sorry closes the goal in amber, and says so", async (view) => {
    const resting = { ...tactic("exact wrong"), rests_on_sorry: true, unfinished: ["wrong"] };
    await view.show(ready({ tactics: [tactic("omega"), resting] }));
    assert.deepEqual((await order(view)).slice(0, 2), ["omega", "exact wrong"]);
    const colour = (row: string) => view.row(row).locator(".said").evaluate((said) => getComputedStyle(said).color);
    assert.equal(await view.row("exact wrong").locator(".said").innerText(), "closes the goal, rests on sorry (wrong)");
    assert.notEqual(await colour("exact wrong"), await colour("omega"));
  });

  check("a premise with an error says so", async (view) => {
    await view.show(ready({ premises: [premise("broken", { has_error: true, rests_on_sorry: true })] }));
    assert.equal(await view.row("broken").locator(".sorry").innerText(), "has an error");
  });

  check("a premise that rests on sorry says so, by eye, by mouse and aloud", async (view) => {
    await view.show(ready({ premises: [premise("open", { rests_on_sorry: true }), premise("closed")] }));
    const mark = view.row("open").locator(".sorry");
    assert.equal(await mark.innerText(), "rests on sorry");
    assert.match((await mark.getAttribute("title")) ?? "", /sorry/u);
    assert.match(await view.row("open").ariaSnapshot(), /not tried yet rests on sorry"/u);
    assert.equal(await view.row("closed").locator(".sorry").innerText(), "");
  });

  check("a deprecated premise says so, and what to use, by eye and aloud", async (view) => {
    await view.show(ready({ premises: [premise("old", { deprecated: true, replaced_by: "new" }), premise("other")] }));
    assert.equal(await view.row("old").locator(".deprecated").innerText(), "deprecated: use new");
    assert.match(await view.row("old").ariaSnapshot(), /not tried yet deprecated: use new"/u);
    assert.equal(await view.row("other").locator(".deprecated").innerText(), "");
  });
});
