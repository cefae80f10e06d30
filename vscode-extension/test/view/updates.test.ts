/** What stays where it is while answers come in and the cursor moves on. */

import assert from "node:assert/strict";
import { describe } from "node:test";

import { checks, order } from "./check";
import { A, ABC, B, C, many, premise, ready, TACTICS } from "./samples";

const check = checks();

describe("while answers stream in", () => {
  check("the row with the focus keeps it, is the same node, and does not move on the screen", async (view) => {
    const premises = many(40);
    await view.show(ready({ premises, tactics: [], tacticsState: "running" }));
    await view.row("Many.lemma_20").focus();
    const row = await view.row("Many.lemma_20").elementHandle();
    const top = (await row?.boundingBox())?.y;
    for (const count of [1, 2, 3]) {
      await view.show(ready({ premises, tactics: TACTICS.slice(0, count), tacticsState: count < 3 ? "running" : "done" }));
      assert.equal(await row?.evaluate((node) => node === document.activeElement), true);
      const moved = Math.abs(((await row?.boundingBox())?.y ?? 0) - (top ?? 0));
      assert.ok(moved < 1, `moved by ${moved}`);
    }
    await view.press("ArrowDown");
    assert.match(await view.focused(), /^Many\.lemma_21\n/u);
  });

  check("an update moves no focus at all while the order changes around it", async (view) => {
    await view.show(ABC);
    await view.row("b.second").focus();
    await view.page.evaluate(() => {
      window.said = [];
      document.addEventListener("focusin", (event) => window.said.push((event.target as Element).className));
    });
    await view.show({ ...ABC, premises: [C, premise("new"), B, A] });
    await view.show({ ...ABC, premises: [B, C] });
    assert.match(await view.focused(), /^b\.second/u);
    assert.deepEqual(await view.said(), []);
    assert.deepEqual(await order(view), ["b.second", "c.third"]);
  });

  check("when the focused row goes, its neighbour takes the focus", async (view) => {
    await view.show(ABC);
    await view.row("b.second").focus();
    await view.show({ ...ABC, premises: [A, C] });
    assert.match(await view.focused(), /^c\.third/u);
  });

  check("a focus inside the actions is kept", async (view) => {
    await view.show(ABC);
    await view.row("b.second").focus();
    await view.press("Tab", "ArrowRight");
    await view.show({ ...ABC, tactics: TACTICS, tacticsState: "done" });
    assert.equal(await view.focused(), "Insert and Add the Import");
    assert.equal(await view.page.getByRole("toolbar").getAttribute("aria-label"), "Actions for b.second");
  });

  check("the counts are said once, when it is over", async (view) => {
    for (const count of [0, 1, 2]) {
      await view.show(ready({ tactics: TACTICS.slice(0, count), tacticsState: "running" }));
      await view.pass(2000);
    }
    assert.deepEqual(await view.said(), []);
    await view.show(ready());
    await view.pass(2000);
    await view.show(ready({ positionId: "2" }));
    await view.pass(2000);
    assert.deepEqual(await view.said(), ["6 premises, 3 tactics"]);
  });

  check("cursor moves in quick succession are not said, only where it comes to rest", async (view) => {
    for (const count of [1, 2, 3]) {
      await view.show({ ...ABC, premises: [A, B, C].slice(0, count) });
      await view.pass(100);
    }
    await view.pass(2000);
    assert.deepEqual(await view.said(), ["3 premises"]);
  });

  check("with the focus elsewhere, a new answer begins at its first row", async (view) => {
    await view.show(ABC);
    await view.row("c.third").focus();
    await view.page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await view.show({ ...ABC, positionId: "2", premises: [B, C] });
    assert.equal(await view.page.locator(".row[tabindex='0']").count(), 1);
    assert.match(await view.page.locator(".row[tabindex='0']").innerText(), /^b\.second/u);
  });
});

describe("pins", () => {
  check("a pinned premise keeps the focus, stays on top over moves and reloads, and can be let go", async (view) => {
    await view.show(ABC);
    await view.row("c.third").focus();
    await view.press("p");
    assert.match(await view.focused(), /^c\.third/u);
    assert.deepEqual(await order(view), ["c.third", "a.first", "b.second"]);
    await view.show({ ...ABC, positionId: "2", premises: [B] });
    assert.deepEqual(await order(view), ["c.third", "b.second"]);
    await view.reload();
    await view.show({ kind: "noGoal", reason: "noGoals" });
    assert.deepEqual(await order(view), ["c.third"]);
    await view.row("c.third").focus();
    await view.press("Enter", "p");
    const sent = await view.sent();
    assert.deepEqual(sent, [{ type: "insertPremise", premise: { ...C, in_scope: null, form: "" }, addImport: false, positionId: null }]);
    assert.equal(await view.page.getByRole("listbox").isVisible(), false);
  });

  check("the row that was active before the view was hidden is active again", async (view) => {
    await view.show(ABC);
    await view.row("b.second").focus();
    await view.reload();
    await view.show(ABC);
    assert.match(await view.page.locator(".row[tabindex='0']").innerText(), /^b\.second/u);
  });
});
