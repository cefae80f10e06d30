/** Rows that do not move: what stays in its place while Lean tries tactics, and while a person is in the list. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { nextRound, type Round } from "../../src/view/rounds";
import type { Ready, TacticItem } from "../../src/view/state";
import { checks, order } from "./check";
import type { View } from "./harness";
import { many, ready, tactic, TEN, unjudged } from "./samples";

const check = checks();
const SIDE_BAR = { width: 300, height: 713 };

const STEPS = TEN.slice(1, 8);
const CLOSES = tactic("exact Nat.add_le_add_right h k");
const PREMISES = many(20);

function running(tactics: readonly TacticItem[], more: Partial<Ready> = {}): Ready {
  return ready({ premises: PREMISES, tactics, tacticsState: "running", ...more });
}

function done(tactics: readonly TacticItem[], more: Partial<Ready> = {}): Ready {
  return ready({ premises: PREMISES, tactics, ...more });
}

/** A round as the server tells of it: each answer sorted anew, with what closes the goal on top. */
const ROUND: readonly Ready[] = [
  running([]),
  running(STEPS.slice(2, 3)),
  running(STEPS.slice(1, 4)),
  running([CLOSES, ...STEPS.slice(1, 4)]),
  running([CLOSES, tactic("omega"), ...STEPS]),
  done([CLOSES, tactic("omega"), ...STEPS]),
];

async function top(view: View, row: string): Promise<number> {
  return view.row(row).evaluate((node) => node.getBoundingClientRect().top);
}

/** Where each row is, by its first line. */
async function places(view: View): Promise<ReadonlyMap<string, number>> {
  const rows = await view.page.locator(".row").evaluateAll((all) =>
    all.map((row) => [row.querySelector(".name")?.textContent ?? "", row.getBoundingClientRect().top] as const));
  return new Map(rows);
}

/** Those of the rows that were there before that are elsewhere now. */
async function moved(view: View, before: ReadonlyMap<string, number>): Promise<string[]> {
  const now = await places(view);
  return [...before].filter(([name, at]) => Math.abs((now.get(name) ?? Number.NaN) - at) >= 1 || !now.has(name)).map(([name]) => name);
}

describe("while tactics are tried", () => {
  check("no row moves, and the first premise stays where it is", async (view) => {
    await view.show(ROUND[0] as Ready);
    const first = await top(view, "Many.lemma_0 (");
    for (const state of ROUND.slice(1, -1)) {
      const before = await places(view);
      await view.show(state);
      assert.deepEqual(await moved(view, before), []);
      assert.equal(await top(view, "Many.lemma_0 ("), first);
    }
    assert.equal((await order(view))[0], CLOSES.tactic, "its place was kept free");
  }, SIDE_BAR);

  check("in a low window fewer places are kept, and premises are in sight", async (view) => {
    await view.show(ROUND[0] as Ready);
    const first = await top(view, "Many.lemma_0 (");
    assert.ok(first < 300, `${first}`);
    for (const state of ROUND.slice(1, -1)) await view.show(state);
    assert.equal(await top(view, "Many.lemma_0 ("), first);
    assert.equal(await view.page.locator(".row.tactic").count(), 3);
  }, { width: 300, height: 330 });

  check("when the round is over and nobody is in the list, it is put in order", async (view) => {
    for (const state of ROUND) await view.show(state);
    assert.deepEqual((await order(view)).slice(0, 5), [CLOSES.tactic, "omega", ...STEPS.slice(0, 3).map((one) => one.tactic)]);
  }, SIDE_BAR);

  check("the reason why none can be judged takes the place kept free", async (view) => {
    await view.show(running([]));
    const first = await top(view, "Many.lemma_0 (");
    await view.show(running([unjudged("rfl")]));
    assert.equal(await view.page.locator(".note:visible").innerText(), "Cannot be judged: line 3 has an error.");
    assert.equal(await top(view, "Many.lemma_0 ("), first);
  }, SIDE_BAR);

  check("a premise whose tactic Lean accepts says so in its place", async (view) => {
    await view.show(running([]));
    const before = await places(view);
    const use = view.row("Many.lemma_3 (").locator(".use");
    assert.equal(await use.innerText(), "exact Many.lemma_3 _\nnot tried yet");
    await view.show(running([{ ...CLOSES, uses: ["Many.lemma_3"] }]));
    assert.deepEqual(await moved(view, before), []);
    assert.match(await use.innerText(), /^exact Nat\.add_le_add_right h k/u);
    assert.equal(await use.getAttribute("data-status"), "closes");
    assert.equal(await use.locator(".icon-check").count(), 1);
  }, SIDE_BAR);
});

describe("with the mouse in the list", () => {
  check("no row moves during the round or at its end, and warnings wait; when it leaves, the list is put in order", async (view) => {
    await view.show(ROUND[0] as Ready);
    await view.row("Many.lemma_1 (").hover();
    const before = await places(view);
    for (const state of ROUND.slice(1)) {
      await view.show(state);
      assert.deepEqual(await moved(view, before), []);
    }
    await view.show(done((ROUND.at(-1) as Ready).tactics, { warnings: ["Two tactics took too long."] }));
    assert.deepEqual(await moved(view, before), []);
    await view.page.mouse.move(5, 5);
    await view.pass(50);
    assert.equal((await order(view))[1], "omega");
    assert.equal(await view.page.locator(".remark").innerText(), "Two tactics took too long.");
  }, SIDE_BAR);

  check("premises that a newer answer for the goal does not have stay until it leaves", async (view) => {
    await view.show(done([CLOSES]));
    await view.row("Many.lemma_2 (").hover();
    const before = await places(view);
    await view.show(done([CLOSES], { positionId: "2", premises: [...PREMISES.slice(2, 19)].reverse() }));
    assert.deepEqual(await moved(view, before), []);
    await view.page.mouse.move(5, 5);
    await view.pass(50);
    assert.equal((await order(view))[1], "Many.lemma_18");
  }, SIDE_BAR);

  check("the row under it is the same one while another round runs for the goal", async (view) => {
    await view.show(done([CLOSES, ...STEPS.slice(0, 3)]));
    await view.row(CLOSES.tactic).hover();
    const before = await places(view);
    const again = [running([]), running(STEPS.slice(1, 2)), running([tactic("omega"), CLOSES]), done([tactic("omega"), CLOSES, ...STEPS])];
    for (const state of again) {
      await view.show({ ...state, positionId: "2" });
      assert.deepEqual(await moved(view, before), []);
    }
  }, SIDE_BAR);
});

describe("another round for the same goal", () => {
  check("keeps the last verified list, dimmed, until it is over", async (view) => {
    await view.show(done([CLOSES, ...STEPS.slice(0, 2)]));
    const before = await places(view);
    await view.show({ ...done([CLOSES, ...STEPS.slice(0, 2)]), stale: true });
    await view.show(running([], { positionId: "2" }));
    assert.deepEqual(await moved(view, before), []);
    assert.equal(await view.page.locator(".row.earlier").count(), 3);
    await view.show(running([CLOSES], { positionId: "2" }));
    assert.deepEqual(await moved(view, before), []);
    assert.equal(await view.page.locator(".row.earlier").count(), 2);
    await view.show(done([CLOSES], { positionId: "2" }));
    assert.deepEqual((await order(view)).slice(0, 2), [CLOSES.tactic, "Many.lemma_0"]);
  }, SIDE_BAR);

  check("is none for another goal: its list begins anew", async (view) => {
    await view.show(done([CLOSES]));
    await view.show(running([], { goal: "⊢ q", positionId: "2" }));
    assert.equal(await view.page.locator(".row.tactic").count(), 0);
  });
});

describe("a click", () => {
  check("on a row that has just come does nothing, the next one inserts", async (view) => {
    await view.show(running([]));
    await view.rest();
    await view.show(running([CLOSES]));
    await view.pass(200);
    await view.row(CLOSES.tactic).click();
    assert.deepEqual(await view.sent(), []);
    await view.row(CLOSES.tactic).click();
    assert.deepEqual((await view.sent()).map((message) => message.type), ["insertTactic"]);
  }, SIDE_BAR);

  check("on a row that has just moved does nothing; 300 ms later it inserts", async (view) => {
    await view.show(done([CLOSES]));
    await view.rest();
    await view.show(done([CLOSES, ...STEPS]));
    await view.row("Many.lemma_0 (").click();
    assert.deepEqual(await view.sent(), []);
    await view.rest();
    await view.row("Many.lemma_1 (").click();
    assert.deepEqual((await view.sent()).map((message) => message.type), ["insertPremise"]);
  }, SIDE_BAR);

  check("on a row that has stayed inserts at once, whatever comes around it", async (view) => {
    await view.show(running([]));
    await view.rest();
    for (const state of ROUND.slice(1, 4)) await view.show(state);
    await view.row("Many.lemma_0 (").click();
    assert.deepEqual((await view.sent()).map((message) => message.type), ["insertPremise"]);
  }, SIDE_BAR);

  check("of Enter is not taken by a row to which an update has just moved the focus", async (view) => {
    await view.show(done([], { tacticsState: "off", premises: PREMISES.slice(0, 3) }));
    await view.row("Many.lemma_1 (").focus();
    await view.show(done([], { tacticsState: "off", premises: [PREMISES[0], PREMISES[2]] as Ready["premises"] }));
    await view.press("Enter");
    assert.deepEqual(await view.sent(), []);
    await view.rest();
    await view.press("Enter");
    assert.equal((await view.sent()).length, 1);
  });
});

test("a round's places are kept while it runs or a person is in the list, and let go after that", () => {
  const at = { held: false, capacity: 5, shown: 4 };
  const first = nextRound(null, running([]), at) as Round;
  assert.deepEqual([first.hold, first.slots], ["slots", 5]);
  assert.equal(nextRound(first, running(STEPS), at), first);
  assert.equal(nextRound(first, done(STEPS), { ...at, held: true }), first);
  const over = nextRound(first, done(STEPS), at) as Round;
  assert.equal(over.hold, "free");
  const again = nextRound(over, running([]), at) as Round;
  assert.deepEqual([again.hold, again.slots], ["frozen", 4]);
  assert.equal(nextRound(again, running([], { goalNumber: 2 }), at)?.hold, "slots");
  assert.equal(nextRound(again, { kind: "closed" }, at), null);
});
