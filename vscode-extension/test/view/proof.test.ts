/** The search for a proof in the shipped page: how far it is, the proof, and what a person does with it. */

import assert from "node:assert/strict";
import { describe } from "node:test";

import { checks, toList } from "./check";
import type { View } from "./harness";
import { ABC, many, NO_PROOF, PARTLY_PROVED, PROGRESS, PROVED, ready, SEARCHING } from "./samples";

const check = checks();

async function panel(view: View): Promise<string> {
  const text = await view.page.getByRole("region", { name: "Search for a proof" }).innerText();
  return text.replace(/\n+/gu, "\n");
}

describe("the search for a proof", () => {
  check("is begun by a button at the goal, and shown below the list, where it moves no row", async (view) => {
    await view.show(ready({ positionId: "p7", premises: many(60) }));
    await view.page.getByRole("button", { name: "Search for a Proof" }).click();
    assert.deepEqual(await view.sent(), [{ type: "prove", positionId: "p7" }]);
    const tops = () => view.page.locator(".row").evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().top));
    const before = await tops();
    await view.showProof({ kind: "running", line: 9, progress: null });
    assert.match(await panel(view), /^Searching for a proof, line 9\nWaiting for Lean\nStop$/u);
    await view.showProof(SEARCHING);
    assert.match(await panel(view), /12 s of 30 s · 41 states · 2 of 3 goals proved/u);
    const bar = view.page.getByRole("progressbar", { name: "Time" });
    assert.deepEqual([await bar.getAttribute("value"), await bar.getAttribute("max")], ["12.2", "30"]);
    await view.showProof({ kind: "running", line: 9, progress: { ...PROGRESS, imports: true } });
    assert.match(await panel(view), /12 s of 30 s · trying lemmas that need an import/u);
    await view.showProof(PROVED);
    assert.deepEqual(await tops(), before);
    await view.pass(1000);
    assert.deepEqual(await view.said(), ["60 premises, 3 tactics", "Proof found, line 9"]);
  });

  check("shows the script with its imports, which Insert inserts", async (view) => {
    await view.show(ABC);
    await view.showProof(PROVED);
    assert.equal(await panel(view), "Proof found, line 9\nimport Far.Away\nconstructor\n· exact h\n· rfl\nInsert\nDiscard");
    await view.rest();
    await view.page.getByRole("button", { name: "Insert", exact: true }).last().click();
    await view.page.getByRole("button", { name: "Discard" }).click();
    assert.deepEqual(await view.sent(), [{ type: "atProof", action: "insert" }, { type: "atProof", action: "discard" }]);
    await view.showProof(PARTLY_PROVED);
    assert.match(await panel(view), /^Proved 2 of 3 goals, line 9\n/u);
    await view.showProof(NO_PROOF);
    assert.equal(await panel(view), "No proof found, line 9\nTime ran out (30 s).\nDiscard");
    await view.showProof({ kind: "failed", line: 9, message: "The text has changed. `rfl`" });
    assert.equal(await panel(view), "The search failed, line 9\nThe text has changed. rfl\nDiscard");
  });

  check("is stopped by its button and by Escape, and a button that has just come is not pressed by mistake", async (view) => {
    await view.show(ABC);
    await view.showProof(SEARCHING);
    await toList(view);
    await view.press("Escape");
    await view.rest();
    await view.page.getByRole("button", { name: "Stop" }).focus();
    await view.press("Enter");
    const stop = { type: "atProof", action: "stop" };
    assert.deepEqual(await view.sent(), [stop, stop]);
    await view.showProof(PROVED);
    assert.equal(await view.focused(), "Insert");
    await view.press("Enter");
    assert.deepEqual(await view.sent(), []);
    await view.rest();
    await view.press("Enter", "Escape");
    assert.deepEqual(await view.sent(), [{ type: "atProof", action: "insert" }, { type: "atProof", action: "discard" }]);
    await view.showProof({ kind: "none" });
    assert.equal(await view.page.getByRole("region", { name: "Search for a proof" }).count(), 0);
  });
});
