/** The shipped page in a real browser, driven as a person does: by keyboard and by mouse. */

import assert from "node:assert/strict";
import { describe } from "node:test";

import { checks, toList } from "./check";
import { A, ABC, B, premise, PREMISES, ready, tactic, TACTICS } from "./samples";

const check = checks();

describe("by keyboard", () => {
  check("the list is one tab stop, reached behind the goal, and its actions are the next", async (view) => {
    await view.show(ABC);
    await view.press("Tab");
    assert.equal(await view.focused(), "Hypotheses");
    await view.press("Tab");
    assert.equal(await view.focused(), "Search for a Proof");
    await view.press("Tab");
    assert.equal(await view.focused(), "Pin This Goal");
    await view.press("Tab");
    assert.match(await view.focused(), /^a\.first/u);
    await view.press("Tab");
    assert.equal(await view.focused(), "Insert");
    await view.press("Tab");
    assert.equal(await view.focused(), "Filter");
    await view.press("Tab");
    assert.equal(await view.focused(), "Keyboard Shortcuts");
    await view.press("Shift+Tab", "Shift+Tab", "Shift+Tab");
    assert.match(await view.focused(), /^a\.first/u);
  });

  check("arrows, Home and End move; the row with the focus is the selected one", async (view) => {
    await view.show(ready());
    await toList(view);
    const at = async (): Promise<string | undefined> => (await view.focused()).split("\n")[0];
    await view.press("ArrowDown");
    assert.equal(await at(), "omega");
    await view.press("End");
    assert.equal(await at(), PREMISES.at(-1)?.name);
    await view.press("ArrowUp");
    assert.equal(await at(), PREMISES.at(-2)?.name);
    assert.equal(await view.page.getByRole("option", { selected: true }).innerText(), await view.focused());
    await view.press("Home");
    assert.equal(await at(), TACTICS[0]?.tactic);
  });

  check("Enter inserts a tactic at the place it was found for", async (view) => {
    await view.show(ready({ positionId: "p7" }));
    await toList(view);
    await view.press("Enter");
    assert.deepEqual(await view.sent(), [{ type: "insertTactic", tactic: TACTICS[0], positionId: "p7" }]);
  });

  check("Enter inserts a premise, Shift+Enter with its import", async (view) => {
    await view.show(ABC);
    await toList(view);
    await view.press("ArrowDown", "Enter", "Shift+Enter");
    const inserted = { type: "insertPremise", premise: B, positionId: "1" };
    assert.deepEqual(await view.sent(), [{ ...inserted, addImport: false }, { ...inserted, addImport: true }]);
  });

  check("c copies, o opens; with a modifier they are the browser's", async (view) => {
    await view.show(ABC);
    await toList(view);
    await view.press("c", "o", "Control+c", "Alt+o");
    assert.deepEqual(await view.sent(), [{ type: "copyName", name: "a.first" }, { type: "openDeclaration", premise: A }]);
  });

  check("the actions of a row are a toolbar of its own, walked with arrows", async (view) => {
    await view.show(ABC);
    await toList(view);
    await view.press("ArrowDown", "Tab");
    const bar = view.page.getByRole("toolbar", { name: "Actions for b.second" });
    const labels = await bar.getByRole("button").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
    assert.deepEqual(labels, ["Insert", "Insert and Add the Import", "Show All of It", "Copy Name", "Open Declaration", "Pin"]);
    await view.press("ArrowRight", "Enter");
    assert.deepEqual(await view.sent(), [{ type: "insertPremise", premise: B, addImport: true, positionId: "1" }]);
    await view.press("ArrowLeft", "ArrowLeft");
    assert.equal(await view.focused(), "Pin");
    await view.press("Escape");
    assert.match(await view.focused(), /^b\.second/u);
  });

  check("the help opens with ?, lists the keys, and closes", async (view) => {
    await view.show(ABC);
    await toList(view);
    await view.press("?");
    assert.match(await view.page.locator("#help").innerText(), /Shift\+Enter\s+Insert and add the import/u);
    await view.press("?");
    assert.equal(await view.page.locator("#help").isVisible(), false);
    await view.press("?", "Escape");
    assert.equal(await view.page.locator("#help").isVisible(), false);
    assert.match(await view.focused(), /^a\.first/u);
  });

  check("when the view is given the focus, the list takes it", async (view) => {
    await view.show(ABC);
    await view.page.evaluate(() => window.dispatchEvent(new Event("focus")));
    await view.pass(100);
    assert.match(await view.focused(), /^a\.first/u);
  });

  check("a long statement is clamped, and Space shows all of it", async (view) => {
    await view.show(ready({ premises: [premise("long", { statement: "x ".repeat(600) })], tactics: [], tacticsState: "off" }));
    await toList(view);
    const height = async (): Promise<number> => (await view.row("long").boundingBox())?.height ?? 0;
    const clamped = await height();
    assert.ok(clamped < 130, `${clamped}`);
    await view.press(" ");
    assert.ok((await height()) > clamped * 3);
    await view.press(" ");
    assert.equal(await height(), clamped);
  });

  check("a tactic's goals are shown by their targets, and whole with Space", async (view) => {
    await view.show(ready({ tactics: [tactic("constructor", ["h : p\n⊢ a", "⊢ b", "⊢ c", "⊢ d"])] }));
    await toList(view);
    const goals = view.row("constructor").locator(".goal");
    assert.deepEqual(await goals.allInnerTexts(), ["⊢ a", "⊢ b", "⊢ c", "and 1 more goal"]);
    await view.press(" ");
    assert.deepEqual(await goals.allInnerTexts(), ["h : p\n⊢ a", "⊢ b", "⊢ c", "⊢ d"]);
  });
});

describe("by mouse", () => {
  check("a click inserts, Shift and click with the import", async (view) => {
    await view.show(ABC);
    await view.rest();
    await view.row("b.second").click();
    await view.row("b.second").click({ modifiers: ["Shift"] });
    const sent = await view.sent();
    assert.deepEqual(sent.map((message) => message.type === "insertPremise" && message.addImport), [false, true]);
  });

  check("the actions follow the mouse, and are for the row that is under it", async (view) => {
    await view.show(ABC);
    await view.rest();
    await view.row("a.first").focus();
    await view.row("c.third").hover();
    await view.page.getByRole("toolbar", { name: "Actions for c.third" }).getByRole("button", { name: "Copy Name" }).click();
    assert.deepEqual(await view.sent(), [{ type: "copyName", name: "c.third" }]);
    await view.page.mouse.move(1, 1);
    await view.row("a.first").focus();
    assert.equal(await view.page.getByRole("toolbar", { name: "Actions for a.first" }).isVisible(), true);
  });
});
