/** Waiting for what no event tells: looked at again every 20 ms, with an error that says what was awaited. */
import { setTimeout as pause } from "node:timers/promises";

export async function eventually(holds, what, seconds = 60) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const value = await holds();
    if (value) return value;
    if (Date.now() > end) throw new Error(`after ${seconds} s still not: ${typeof what === "function" ? what() : what}`);
    await pause(20);
  }
}
