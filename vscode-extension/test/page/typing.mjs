/** Typing never waits for us, and is never left alone. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";

import { scenario } from "../driver/scenario.mjs";
import { heights, inserted, pointAtPremise, proofIn, PROOFS, slips, watchFirstPremise, watchPoint, words } from "./proofs.mjs";
import { FIRST } from "./reading.mjs";
import { unfinished } from "./writing.mjs";

const KEYSTROKES = 200;
/** How long a person rests after a word, in milliseconds. */
const REST_MS = 400;
const IN_EVERY_RUN = 2;

export const typing = [
  scenario("200 keystrokes at 20 a second: none is lost, and at most 2 requests run at once", async ({ window, view, record }) => {
    await window.openFile(FIRST);
    await window.goBehind(FIRST, "sorry", 1);
    await view.answer("a + (b + c)");
    record.mark();
    const text = " -- " + "the quick brown fox jumps over a lazy dog ".repeat(5).slice(0, KEYSTROKES - 4);
    await window.type(text, 50);
    const saved = await window.saved(FIRST);
    assert.ok(saved.includes(`sorry${text}`.trimEnd()), saved);
    const most = record.mostAtOnce("premiseSuggest/suggest");
    assert.ok(most <= 2, `${most} requests ran at once`);
    await view.answer("a + (b + c)");
  }),

  scenario("while tactics are tried the first premise stays where it is", async ({ window, view }) => {
    await window.openFile(FIRST);
    await window.goTo(1, 1);
    await view.notice("Not in a proof");
    await watchFirstPremise(view);
    for (const [nth, goal] of [[2, "∃ p, N ≤ p"], [4, "a ∣ b → b ∣ c"], [6, "m ≤ n → ¬n < m"]]) {
      await window.goBehind(FIRST, "sorry", nth);
      await view.tactics(goal);
    }
    const seen = await heights(view);
    assert.equal(Object.keys(seen).length, 3, JSON.stringify(seen));
    for (const [goal, tops] of Object.entries(seen)) assert.equal(tops.length, 1, `${goal}: ${tops}`);
  }),

  scenario("proofs typed character by character have a goal and premises at every pause, and what is inserted is what was said", async (context) => {
    const proofs = context.stage.options.all ? PROOFS : PROOFS.slice(0, IN_EVERY_RUN);
    for (const [file, theorem] of proofs) await typeProof(context, file, theorem);
  }),
];

/** Type a proof of the library again, word by word, in the place of what stands there. */
async function typeProof(context, file, theorem) {
  const { example, window, view } = context;
  const original = window.onDisk(file);
  const { first, lines } = proofIn(original, theorem);
  try {
    await window.openFile(file);
    await clear(context, first, lines);
    await view.until((state) => state.goal !== null && state.premises.length > 0 && !state.busy && !state.running, `a goal for ${theorem}`);
    await insertAndTakeBack(context, file, theorem, "tactic");
    await insertAndTakeBack(context, file, theorem, "premise");
    const { x, y } = await pointAtPremise(context);
    await watchPoint(view, x, y);
    for (const [at, line] of lines.entries()) {
      if (at > 0) await newLine(window, indentOf(lines[at - 1]), indentOf(line));
      for (const word of words(line.trimStart())) {
        await window.type(word, 20);
        await window.press("Escape"); // what VS Code completes is not what is typed here
        await window.page.waitForTimeout(REST_MS);
        helps(await view.state(), `${theorem}, after ${JSON.stringify(line.slice(0, line.indexOf(word) + word.length))}`);
      }
    }
    assert.deepEqual(await slips(view), [], theorem);
    assert.equal(await window.saved(file), original);
  } finally {
    await window.calm();
    writeFileSync(path.join(example, file), original);
  }
}

/** Take a proof away; the cursor is where its first line began. */
async function clear({ window }, first, lines) {
  await window.goTo(first + lines.length - 1, lines.at(-1).length + 1);
  for (let line = 1; line < lines.length; line++) await window.press("Shift+ArrowUp");
  await window.press("Shift+Home");
  await window.press("Shift+Home"); // the first press stops before the indentation
  await window.press("Delete");
  await window.type("  ");
}

/** Go on in the next line, which VS Code indents like the one before. */
async function newLine(window, before, wanted) {
  await window.press("Enter");
  await window.type(" ".repeat(Math.max(0, wanted - before)));
  for (let indent = before; indent > wanted; indent -= 2) await window.press("Backspace"); // takes two spaces at a time
}

const indentOf = (line) => line.length - line.trimStart().length;

/** The view has a goal and premises, or says that the proof is complete; nothing else is said in a proof. */
function helps({ goal, notice, premises }, where) {
  if (notice === "The goal is closed") return;
  assert.equal(notice, null, where);
  assert.ok(goal && premises.length > 0, `${where}: the goal is ${goal}, with ${premises.length} premises`);
}

/** Insert the first row of a kind; Lean finds in the file what the view and the server said. Then it is taken back. */
async function insertAndTakeBack(context, file, theorem, kind) {
  const { example, record, view, window, world } = context;
  const state = await view.state();
  const name = (kind === "tactic" ? state.tactics : state.premises)[0];
  if (name === undefined) return; // Lean has accepted no tactic at this goal
  record.mark();
  await view.pressOn(kind, name, "Enter");
  const { result, error } = await inserted(context);
  assert.ok(result, `${theorem}, ${name}: ${JSON.stringify(error)}`);
  await window.focusEditor();
  await window.saved(file);
  const messages = await world.leanMessages(example, file);
  const errors = messages.filter((one) => one.severity === "error");
  const said = `${theorem}, ${result.tactic} (${result.status}): ${JSON.stringify(errors)}`;
  if (result.status === "closes" || result.status === "progress") assert.deepEqual(errors, [], said);
  else assert.ok(["fails", "untried"].includes(result.status), said);
  if (result.status === "fails") await window.notification("inserted as a draft").waitFor();
  if (result.status === "closes") assert.equal(await unfinished(world, example, file), 0, said);
  await window.press("Control+z");
  await window.saved(file);
  await view.until((now) => now.goal === state.goal && now.premises.length > 0 && !now.busy && !now.running, `the goal of ${theorem} again`);
}
