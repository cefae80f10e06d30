import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { Debounce, waitAfter } from "../../src/debounce";
import { Restarts } from "../../src/server/restarts";
import { pause, within } from "../../src/timing";

test("while typing all of the wait has to pass, after a pause a quarter of it", () => {
  assert.equal(waitAfter(50, 120), 120);
  assert.equal(waitAfter(10_000, 120), 30);
  assert.equal(waitAfter(Number.POSITIVE_INFINITY, 0), 0);
});

test("200 keystrokes at 20 a second ask once they are over, and once when they begin", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    let now = 0;
    let asked = 0;
    const debounce = new Debounce(() => now);
    const tick = (milliseconds: number) => {
      now += milliseconds;
      mock.timers.tick(milliseconds);
    };
    for (let key = 0; key < 200; key++) {
      debounce.moved(120, () => asked++);
      tick(50);
    }
    assert.equal(asked, 1);
    tick(120);
    assert.equal(asked, 2);
    debounce.moved(120, () => asked++);
    debounce.cancel();
    tick(1000);
    assert.equal(asked, 2);
  } finally {
    mock.timers.reset();
  }
});

test("three restarts, each after a longer wait, then none until a person asks", () => {
  const restarts = new Restarts(3);
  const delays: number[] = [];
  while (restarts.take()) delays.push(restarts.delay);
  assert.deepEqual(delays, [250, 500, 1000]);
  assert.deepEqual([restarts.take(), restarts.count], [false, 3]);
  restarts.reset();
  assert.equal(restarts.take(), true);
});

test("what never answers is not waited for", async () => {
  assert.equal(await within(1, new Promise(() => undefined)), undefined);
  assert.equal(await within(60_000, Promise.resolve(7)), 7);
  assert.equal(await within(60_000, Promise.reject(new Error("broken"))), undefined);
});

test("a pause ends early when it is not wanted any more", async () => {
  const abort = new AbortController();
  const waited = pause(60_000, abort.signal);
  abort.abort();
  assert.equal(await waited, false);
  assert.equal(await pause(60_000, abort.signal), false);
  assert.equal(await pause(1), true);
});
