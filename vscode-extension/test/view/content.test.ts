/** What the page shows: every state, and data that tries to break it. */

import assert from "node:assert/strict";
import { describe } from "node:test";

import type { ViewState } from "../../src/view/state";
import { checks, order, toList } from "./check";
import { ABC, HOSTILE, many, MESSAGES, premise, ready } from "./samples";

const check = checks();

describe("states", () => {
  check("buttons ask for what they say", async (view) => {
    await view.show(MESSAGES[1] as ViewState);
    await view.page.getByRole("button", { name: "Install Premise Suggest" }).click();
    await view.page.getByRole("button", { name: "Open Settings" }).press("Enter");
    assert.deepEqual(await view.sent(), [{ type: "run", command: "install" }, { type: "run", command: "settings" }]);
  });

  check("the bar of an index run has its value, and the update leaves a focused button alone", async (view) => {
    await view.show(MESSAGES.find((one) => one.kind === "indexing") as ViewState);
    const bar = view.page.getByRole("progressbar", { name: "Indexing" });
    assert.equal(await bar.evaluate((node: HTMLProgressElement) => node.position.toFixed(3)), (3100 / 8222).toFixed(3));
    const failed: ViewState = { kind: "failed", message: "One.", hint: "Two." };
    await view.show(failed);
    await view.page.getByRole("button", { name: "Try Again" }).focus();
    await view.show({ ...failed, message: "Another." });
    assert.equal(await view.page.evaluate(() => document.activeElement?.textContent), "Try Again");
  });

  check("the foot tells the index's age, and tells it anew as time passes", async (view) => {
    await view.show(ABC);
    assert.match(await view.page.locator(".foot").innerText(), /up to date · indexed 3 hours ago/u);
    await view.pass(3_600_000);
    assert.match(await view.page.locator(".foot").innerText(), /indexed 4 hours ago/u);
  });

  check("each message is said", async (view) => {
    for (const state of MESSAGES) {
      await view.show(state);
      await view.pass(1000);
    }
    const titles = await view.said();
    assert.equal(titles.length, MESSAGES.length);
    assert.equal(titles.at(-2), "No good match");
  });
});

describe("why a premise is listed", () => {
  check("is said of an expanded row alone, with its module, and of none that the server says nothing of", async (view) => {
    const why = "near in meaning (+1.2), fits the goal's shape (+0.4)";
    await view.show(ready({ premises: [premise("A.first", { why }), premise("B.second")] }));
    const lines = view.page.locator(".why");
    assert.equal(await lines.first().isVisible(), false);
    await toList(view);
    await view.press("End", "ArrowUp", " ");
    assert.equal(await lines.first().innerText(), `Why here: ${why}`);
    await view.press("ArrowDown", " ");
    assert.equal(await lines.nth(1).innerText(), "");
    assert.match(await view.row("B.second").innerText(), /In Mathlib\.Algebra\.Group\.Defs/u);
  });
});

describe("data cannot break the page", () => {
  check("markup in names and statements is text", async (view) => {
    await view.show(ready({ premises: HOSTILE, warnings: ["<b>w</b> & `x`"], goal: "h : <img src=x>\n⊢ <script>1</script>" }));
    assert.equal(await view.page.evaluate(() => window.broken), undefined);
    assert.equal(await view.page.locator("img, b, u, i, body script:not([src])").count(), 0);
    assert.equal(await view.page.locator(".statement").first().textContent(), HOSTILE[0]?.statement);
    assert.equal(await view.page.locator(".remark").first().textContent(), "<b>w</b> & x");
  });

  check("nothing runs past the edge, and no row lies over another", async (view) => {
    await view.show(ready({ premises: HOSTILE, goal: `⊢ ${"long".repeat(500)}` }));
    const spill = await view.page.evaluate(() => {
      const wide = [...document.querySelectorAll("body *")].filter((node) => node.getBoundingClientRect().right > innerWidth + 1);
      const tops = [...document.querySelectorAll(".row")].map((row) => row.getBoundingClientRect());
      return { wide: wide.map((node) => node.className), over: tops.some((box, at) => at > 0 && box.top < (tops[at - 1]?.bottom ?? 0) - 1) };
    });
    assert.deepEqual(spill, { wide: [], over: false });
  }, { width: 220 });

  check("a text that turns the direction of writing says so", async (view) => {
    await view.show(ready({ premises: HOSTILE }));
    assert.match(await view.row("שלום").innerText(), /‹U\+202E›1 = 0/u);
  });

  check("200 premises: the best hundred, and all of them at a key", async (view) => {
    await view.show(ready({ premises: many(200), tactics: [] }));
    assert.equal(await view.page.getByRole("option").count(), 100);
    assert.equal(await view.page.locator(".more:not([hidden])").innerText(), "100 more");
    await view.page.getByRole("button", { name: "100 more premises" }).press("Enter");
    assert.equal(await view.page.getByRole("option").count(), 200);
    await toList(view);
    await view.press("End");
    assert.match(await view.focused(), /^Many\.lemma_199\n/u);
    assert.equal(await view.row("Many.lemma_199").isVisible(), true);
  });

  check("messages that are no states are ignored", async (view) => {
    await view.show(ABC);
    await view.page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          for (const odd of [null, "x", {}, { type: "state" }, { type: "state", state: { kind: "else" } }]) window.postMessage(odd, "*");
          window.addEventListener("message", (event) => event.data === "last" && resolve());
          window.postMessage("last", "*");
        }),
    );
    assert.deepEqual(await order(view), ["a.first", "b.second", "c.third"]);
  });
});
