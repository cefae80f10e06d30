/** Where the goal comes from: the Lean 4 extension's client where it answers, else our server's own Lean. */
import assert from "node:assert/strict";

import { isLean, noneLeft, processesOf } from "../driver/processes.mjs";
import { scenario } from "../driver/scenario.mjs";
import { FIRST, SUGGEST, SWAPPED } from "./host.mjs";

/** Another goal than the file has at the place, so that it shows whose was used. */
const GOAL = "a b : ℕ\n⊢ a + b = b + a";

/** A server that has not started a Lean yet, with the stand-in as wanted; then the cursor moves, and the view asks. */
async function follow(host, mode) {
  Object.assign(host.standIn, { mode, goal: GOAL, asked: [] });
  const editor = await host.open(host.setup.example, FIRST);
  host.goBehind(editor, "end Unfinished");
  await host.command("premiseSuggest.premises.focus");
  await host.command("premise-suggest.restartServer");
  await host.running();
  await noneLeft(host.world, isLean);
  host.record.mark();
  await host.open(host.setup.example, FIRST);
  host.goBehind(editor, SWAPPED);
}

/** Our own Lean reads the goal. */
async function ownGoal(host, mode) {
  await follow(host, mode);
  const answer = await host.suggestion((one) => one.premises.length > 0);
  assert.match(answer.goal, /⊢ a \+ \(b \+ c\) = b \+ \(a \+ c\)$/);
  assert.equal(host.record.sent(SUGGEST).at(-1).params.goal ?? null, null);
  assert.ok(processesOf(host.world).some(isLean));
}

async function othersGoal(host) {
  const answer = await host.suggestion((one) => one.goal === GOAL);
  assert.equal(answer.premises[0].name, "Nat.add_comm");
  assert.deepEqual(processesOf(host.world).filter(isLean), []);
}

export const goals = [
  scenario("a Lean 4 extension of an older shape is done without", (host) => ownGoal(host, "older")),

  scenario("the goal is taken from the Lean 4 extension, and no second Lean is started for it", async (host) => {
    await host.withSetting("view.tactics", false, async () => {
      await follow(host, "works");
      await othersGoal(host);
      const asked = host.standIn.asked.find((one) => one.method === "$/lean/plainGoal");
      assert.match(asked.params.textDocument.uri, /FirstSteps\.lean$/);
    });
  }),

  scenario("while the Lean 4 extension's Lean still works on the file the view says so, and asks again", async (host) => {
    await host.withSetting("view.tactics", false, async () => {
      await follow(host, "working");
      await host.shows((state) => state.kind === "noGoal" && state.reason === "unsettled", "that Lean is waited for");
      host.standIn.mode = "works";
      await othersGoal(host);
    });
  }),

  scenario("a Lean 4 extension that is silent over a file it is done with is done without", (host) => ownGoal(host, "silent")),
  scenario("a Lean 4 extension whose server is stopped is done without", (host) => ownGoal(host, "stopped")),
  scenario("a Lean 4 extension whose client fails is done without", (host) => ownGoal(host, "failing")),

  scenario("where the setting says so the Lean 4 extension is not asked", async (host) => {
    await host.withSetting("goal.fromLean4Extension", false, async () => {
      await ownGoal(host, "works");
      assert.deepEqual(host.standIn.asked, []);
    });
  }),
];
