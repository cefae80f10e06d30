/** The search command, and what the status bar tells. */
import assert from "node:assert/strict";

import { eventually } from "../driver/eventually.mjs";
import { scenario } from "../driver/scenario.mjs";
import { FIRST } from "./reading.mjs";

export const SEARCH = "Premise Suggest: Search by Goal or Text…";

export const searching = [
  scenario("search finds a premise by words, and Enter inserts its name", async ({ window }) => {
    await window.openFile(FIRST);
    await window.goBehind(FIRST, "sorry", 0);
    await window.replaceWord("exact ");
    await window.search(SEARCH, "dvd_factorial", "Nat.dvd_factorial");
    await window.press("Enter");
    await window.untilText("exact Nat.dvd_factorial");
    await window.revert();
  }),

  scenario("search takes a goal", async ({ window }) => {
    const rows = await window.search(SEARCH, "a b : ℕ ⊢ a + b = b + a", "Nat.add_comm");
    assert.ok((await rows.count()) > 0);
    await window.press("Escape");
  }),

  scenario("what is like a premise is searched for from the view's menu, and from a result", async ({ window, view }) => {
    await window.openFile(FIRST);
    await window.goBehind(FIRST, "sorry", 0);
    await view.answer("k ∣ n.factorial");
    await (await view.row("premise", "Nat.dvd_factorial")).click({ button: "right" });
    await window.page.locator(".monaco-menu .action-label", { hasText: /^More Like This$/ }).hover();
    await window.press("Enter"); // a click as soon as the menu is there is not taken
    const input = window.page.locator(".quick-input-widget .quick-input-box input");
    await eventually(async () => (await input.inputValue()) === "like:Nat.dvd_factorial", "a search for what is like it");
    const row = window.page.locator(".quick-input-list .monaco-list-row").first();
    const name = await row.locator(".label-name").first().innerText();
    await row.hover();
    await row.locator("[aria-label='More Like This']").click();
    await eventually(async () => (await input.inputValue()) === `like:${name}`, `a search for what is like ${name}`);
    await window.press("Escape");
  }),

  scenario("who uses a premise is listed from the view's menu", async ({ window, view }) => {
    await window.openFile(FIRST);
    await window.goBehind(FIRST, "sorry", 0);
    await view.answer("k ∣ n.factorial");
    await (await view.row("premise", "Nat.dvd_factorial")).click({ button: "right" });
    await window.page.locator(".monaco-menu .action-label", { hasText: /^Who Uses This$/ }).hover();
    await window.press("Enter"); // a click as soon as the menu is there is not taken
    const list = window.page.locator(".quick-input-list");
    await eventually(async () => /Its proof (uses|names)/.test(await list.innerText()), "the uses of Nat.dvd_factorial");
    const title = await window.page.locator(".quick-input-title").innerText();
    assert.equal(title, "Premise Suggest: Uses of Nat.dvd_factorial");
    await window.press("Escape");
  }),

  scenario("the status bar tells the index's age", async ({ window, view }) => {
    await window.openFile(FIRST);
    await window.goBehind(FIRST, "sorry", 0);
    await view.answer("k ∣ n.factorial");
    await window.statusBar(/Premises:\sindex\s(just\snow|\d+\smin\sold)/);
  }),
];
