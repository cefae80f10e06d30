import assert from "node:assert/strict";
import { test } from "node:test";

import { Limiter, Weight } from "../../src/limiter";

/** A request that runs until it is told to finish, or until its signal is aborted. */
class Request {
  started = false;
  aborted = false;
  finish: (value: string) => void = () => undefined;

  readonly work = (signal: AbortSignal): Promise<string> => {
    this.started = true;
    return new Promise((resolve, reject) => {
      this.finish = resolve;
      signal.addEventListener("abort", () => {
        this.aborted = true;
        reject(new Error("cancelled"));
      });
    });
  };
}

const settled = (promise: Promise<unknown>) =>
  promise.then(
    (value) => value,
    (error: Error) => error.message,
  );

test("two run at once and a third starts when one is done", async () => {
  const limiter = new Limiter(2);
  const [one, two, three] = [new Request(), new Request(), new Request()];
  const first = limiter.run(Weight.asked, one.work);
  void settled(limiter.run(Weight.asked, two.work));
  const third = limiter.run(Weight.hover, three.work);
  assert.deepEqual([one.started, two.started, three.started], [true, true, false]);
  assert.equal(one.aborted, false, "what matters more does not give way");
  one.finish("one");
  assert.equal(await first, "one");
  assert.equal(three.started, true);
  three.finish("three");
  assert.equal(await third, "three");
  assert.equal(limiter.counts.most, 2);
});

test("what VS Code asks unasked gives way to what the view asks", async () => {
  const limiter = new Limiter(2);
  const [view, lightbulb, completion] = [new Request(), new Request(), new Request()];
  void settled(limiter.run(Weight.follow, view.work));
  const unasked = settled(limiter.run(Weight.unasked, lightbulb.work));
  const newest = limiter.run(Weight.follow, completion.work);
  assert.equal(await unasked, "cancelled");
  assert.deepEqual([view.aborted, lightbulb.aborted], [false, true]);
  completion.finish("done");
  assert.equal(await newest, "done");
});

test("of equals the oldest gives way, and only one for one that waits", async () => {
  const limiter = new Limiter(2);
  const slow: Request[] = [];
  for (let index = 0; index < 2; index++) {
    const request = new Request();
    slow.push(request);
    void settled(limiter.run(Weight.follow, request.work));
  }
  void settled(limiter.run(Weight.follow, new Request().work));
  await Promise.resolve();
  assert.deepEqual(slow.map((one) => one.aborted), [true, false]);
});

test("a server that does not stop at once is not given a third request", async () => {
  const limiter = new Limiter(2);
  const finishes: (() => void)[] = [];
  const deaf = () => new Promise<void>((resolve) => finishes.push(resolve));
  for (let index = 0; index < 50; index++) void limiter.run(Weight.follow, deaf);
  assert.equal(limiter.counts.running, 2);
  assert.ok(limiter.counts.waiting <= 2, "what is long overtaken does not pile up");
  for (let index = 0; index < 4; index++) {
    for (const finish of finishes.splice(0)) finish();
    await new Promise(setImmediate);
  }
  assert.deepEqual({ ...limiter.counts }, { running: 0, waiting: 0, most: 2 });
});

test("the newest of those that wait goes first, and the overtaken ones get no answer", async () => {
  const limiter = new Limiter(1);
  const running = new Request();
  void settled(limiter.run(Weight.asked, running.work));
  const old = limiter.run(Weight.follow, new Request().work);
  const latest = new Request();
  const newest = limiter.run(Weight.follow, latest.work);
  assert.equal(await old, undefined);
  running.finish("done");
  await new Promise(setImmediate);
  assert.equal(latest.started, true);
  latest.finish("newest");
  assert.equal(await newest, "newest");
});

test("what is cancelled from outside ends, running or waiting", async () => {
  const limiter = new Limiter(1);
  const outer = new AbortController();
  const running = new Request();
  const waiting = new Request();
  const first = settled(limiter.run(Weight.asked, running.work, outer.signal));
  const second = limiter.run(Weight.follow, waiting.work, outer.signal);
  outer.abort();
  assert.equal(await first, "cancelled");
  assert.equal(await second, undefined);
  assert.equal(waiting.started, false);
  assert.equal(await limiter.run(Weight.asked, waiting.work, outer.signal), undefined);
  assert.deepEqual({ ...limiter.counts }, { running: 0, waiting: 0, most: 1 });
});
