/** The goal's parts, selected by mouse and by keyboard; and how they are found in its text. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { splitGoal, type Piece } from "../../src/view/parts";
import { checks } from "./check";
import type { View } from "./harness";
import { GOAL, PARTS, partsOf, ready } from "./samples";

const check = checks();
const SHOWN = ready({ positionId: "p3", parts: PARTS });

/** The pieces as text, with a pair of brackets around each part. */
function written(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (typeof piece === "string" ? piece : `[${written(piece.pieces)}]`)).join("");
}

function selections(view: View): Promise<string[]> {
  return view.page.locator('.part[aria-selected="true"]').allInnerTexts();
}

describe("the target", () => {
  test("has no single names and numbers as parts: there is nothing in them to rewrite", () => {
    const goal = "⊢ Nat.succ x₁ = h' 0 + «odd name»";
    const parts = partsOf(goal, goal.slice(2), "Nat.succ x₁", "Nat.succ", "x₁", "h' 0", "h'", "0", "«odd name»");
    assert.equal(written(splitGoal(goal, parts).target), "⊢ [[Nat.succ x₁] = [h' 0] + «odd name»]");
  });

  test("is split at its parts", () => {
    const { above, target } = splitGoal(GOAL, PARTS);
    assert.equal(above, "n m k : ℕ\nh : n ≤ m");
    assert.equal(written(target), "⊢ [[n + k] ≤ [m + k]]");
  });

  test("is split in characters, of which some are two units of UTF-16", () => {
    const goal = "𝔸 : Type\n⊢ 𝔸 = f 𝔸";
    assert.equal(written(splitGoal(goal, partsOf(goal, "𝔸 = f 𝔸", "𝔸", "f 𝔸")).target), "⊢ [𝔸 = [f 𝔸]]");
  });

  test("is whole without parts, and with parts that do not nest or are outside", () => {
    assert.equal(written(splitGoal(GOAL, []).target), "⊢ n + k ≤ m + k");
    const odd = [{ start: 0, end: 3 }, { start: 22, end: 27 }, { start: 24, end: 30 }, { start: 900, end: 901 }, { start: 27, end: 27 }];
    assert.equal(written(splitGoal(GOAL, odd).target).replace(/[[\]]/gu, ""), "⊢ n + k ≤ m + k");
    assert.equal(written(splitGoal("no target", []).target), "no target");
  });
});

describe("a part", () => {
  check("is selected by a click on the innermost, and let go by another", async (view) => {
    await view.show(SHOWN);
    const sum = view.page.getByRole("treeitem", { name: "m + k", exact: true });
    const box = await sum.boundingBox();
    assert.ok(box !== null);
    await view.page.mouse.click(box.x + box.width / 2, box.y + box.height / 2); // on the plus
    assert.deepEqual(await view.sent(), [{ type: "selectPart", part: "m + k", positionId: "p3" }]);
    await view.show(ready({ positionId: "p4", parts: PARTS, selected: "m + k" }));
    assert.deepEqual(await selections(view), ["m + k"]);
    await view.page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    assert.deepEqual(await view.sent(), [{ type: "selectPart", part: "", positionId: "p4" }]);
  });

  check("is reached by arrows and selected by Enter; Escape and a button lead back", async (view) => {
    await view.show(SHOWN);
    await view.press("Tab", "Tab", "Tab", "Tab");
    assert.equal(await view.focused(), "n + k ≤ m + k");
    const walked: string[] = [];
    for (const key of ["ArrowDown", "ArrowRight", "ArrowRight", "ArrowUp", "ArrowLeft", "End", "ArrowLeft", "Home"]) {
      await view.press(key);
      walked.push(await view.focused());
    }
    assert.deepEqual(walked, ["n + k", "m + k", "m + k", "n + k ≤ m + k", "n + k ≤ m + k", "m + k", "n + k", "n + k ≤ m + k"]);
    await view.press("ArrowDown", "Enter", "Escape");
    assert.deepEqual(await view.sent(), [{ type: "selectPart", part: "n + k", positionId: "p3" }]); // none is to be let go
    await view.show({ ...SHOWN, selected: "n + k" });
    assert.equal(await view.focused(), "n + k");
    await view.press("Escape");
    await view.page.getByRole("button", { name: "Show All" }).click();
    const gone = { type: "selectPart", part: "", positionId: "p3" };
    assert.deepEqual(await view.sent(), [gone, gone]);
    await view.show(SHOWN);
    assert.deepEqual(await selections(view), []);
    assert.equal(await view.focused(), "n + k");
  });

  check("that is marked to be copied is not selected", async (view) => {
    await view.show(SHOWN);
    const part = view.page.getByRole("treeitem", { name: "m + k", exact: true });
    await part.hover();
    await view.page.mouse.down();
    await part.evaluate((marked) => document.getSelection()?.selectAllChildren(marked));
    await view.page.mouse.up();
    assert.deepEqual(await view.sent(), []);
    await part.click(); // takes the mark away
    assert.equal((await view.sent()).length, 1);
  });
});

describe("the hypotheses", () => {
  check("stand above the target when opened, and stay so", async (view) => {
    await view.show(SHOWN);
    const shown = (): Promise<string> => view.page.locator(".goal-text").innerText();
    assert.equal(await shown(), "⊢ n + k ≤ m + k");
    await view.page.getByRole("button", { name: "Hypotheses" }).click();
    assert.equal(await shown(), `${GOAL.slice(0, GOAL.indexOf("⊢"))}⊢ n + k ≤ m + k`);
    await view.reload();
    await view.show(SHOWN);
    assert.equal(await view.page.getByRole("button", { name: "Hypotheses" }).getAttribute("aria-expanded"), "true");
    await view.show(ready({ goal: "⊢ p" }));
    assert.equal(await view.page.getByRole("button", { name: "Hypotheses" }).isVisible(), false);
  });
});
