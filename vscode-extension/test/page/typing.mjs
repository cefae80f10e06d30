/** Typing never waits for us. */
import assert from "node:assert/strict";

import { scenario } from "../driver/scenario.mjs";
import { FIRST } from "./reading.mjs";

const KEYSTROKES = 200;

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
];
