/**
 * How long a person waits in VS Code, and how much memory the server takes: `node scripts/vscode_bench.mjs [--moves 500] [--json FILE]`.
 *
 * Times are taken in the browser: from the last key that moves the cursor to the frame in which the view shows the answer.
 * Needs `premise-suggest` on PATH, and a machine that is otherwise idle.
 */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";

import { isLean, isServer, processesOf, residentBytes } from "../vscode-extension/test/driver/processes.mjs";
import { withStage } from "../vscode-extension/test/driver/stage.mjs";

const PLACES = 51; // the first is where it begins
const FILE = "Unfinished/Bench.lean";
const { values: options } = parseArgs({ options: { moves: { type: "string", default: "500" }, json: { type: "string" } } });

const target = (nth) => `a + ${nth} + b = b + (a + ${nth})`;

/** A file with a goal of its own in every fourth line. */
function benchFile() {
  const theorems = Array.from({ length: PLACES }, (_, nth) => `theorem bench_${nth} (a b : ℕ) :\n    ${target(nth)} := by\n  sorry\n`);
  return `import Example.Nat.Prime\n\nnamespace Bench\n\n${theorems.join("\n")}\nend Bench\n`;
}

const lineOf = (nth) => 7 + 4 * nth;

/** When the view shows what is awaited, by the browser's clock; call it before the cursor moves. */
function shown(frame, goal, selector) {
  return frame.evaluate(
    ([text, row]) =>
      new Promise((resolve) => {
        const look = () => {
          const line = document.querySelector(".goal-line")?.textContent ?? "";
          if (line.includes(text) && document.querySelector(row)) resolve(Date.now());
          else requestAnimationFrame(look);
        };
        look();
      }),
    [goal, selector],
  );
}

/** From one place to the next with the arrow keys; milliseconds to the premises and to the first tactic. */
async function step(window, frame, nth, down, tactics) {
  const goal = target(nth);
  const waiting = [shown(frame, goal, ".row.premise"), ...(tactics ? [shown(frame, goal, ".row.tactic")] : [])];
  const key = down ? "ArrowDown" : "ArrowUp";
  for (let press = 0; press < 3; press++) await window.press(key);
  const rest = await window.page.evaluate(() => Date.now());
  await window.press(key);
  return (await Promise.all(waiting)).map((time) => time - rest);
}

function quantile(values, part) {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
}

function megabytes(world, matches) {
  return processesOf(world.id).filter(matches).reduce((sum, one) => sum + residentBytes(one.pid), 0) / 2 ** 20;
}

/** Times over the places, each visited for the first time. */
async function times(window, frame) {
  const premises = [];
  const tactics = [];
  for (let nth = 1; nth < PLACES; nth++) {
    const [first, second] = await step(window, frame, nth, true, true);
    premises.push(first);
    tactics.push(second);
  }
  return { premises, tactics };
}

/** Resident memory before, at intervals, and after the moves. */
async function memory(world, window, frame, moves) {
  const samples = [{ moves: 0, server: megabytes(world, isServer), lean: megabytes(world, isLean) }];
  let at = PLACES - 1;
  let down = false;
  for (let done = 1; done <= moves; done++) {
    if (at === PLACES - 1) down = false;
    if (at === 0) down = true;
    at += down ? 1 : -1;
    await step(window, frame, at, down, false);
    if (done % 100 === 0 || done === moves) samples.push({ moves: done, server: megabytes(world, isServer), lean: megabytes(world, isLean) });
  }
  return samples;
}

function table({ premises, tactics, samples }) {
  const row = (what, values) => `| ${what} | ${values.length} | ${quantile(values, 0.5)} | ${quantile(values, 0.95)} | ${Math.max(...values)} |`;
  const growth = (100 * (samples.at(-1).server / samples[0].server - 1)).toFixed(1);
  return [
    "| cursor at rest to | places | median ms | p95 ms | most ms |",
    "|---|---|---|---|---|",
    row("premises shown", premises),
    row("the first verified tactic shown", tactics),
    "",
    "| cursor moves | server, MB resident | its Lean, MB resident |",
    "|---|---|---|",
    ...samples.map((one) => `| ${one.moves} | ${one.server.toFixed(1)} | ${one.lean.toFixed(1)} |`),
    "",
    `server's growth over ${samples.at(-1).moves} moves: ${growth}%`,
    "",
  ].join("\n");
}

await withStage({}, async (stage) => {
  writeFileSync(path.join(stage.example, FILE), benchFile());
  await stage.world.cli("index", stage.example);
  // Not the recorder: what comes between must not be measured.
  await stage.withServer("bench", { settings: { "premiseSuggest.path": stage.world.program } }, async (session) => {
    const { window, view } = await session.openWindow(stage.example);
    await window.openFile(FILE);
    await window.goTo(lineOf(PLACES - 1), 3); // Lean has read the whole file once this is answered
    await view.tactics(target(PLACES - 1));
    await window.goTo(lineOf(0), 3);
    await view.tactics(target(0));
    const frame = await view.frame();
    const taken = await times(window, frame);
    const samples = await memory(stage.world, window, frame, Number(options.moves));
    process.stdout.write(table({ ...taken, samples }));
    if (options.json) writeFileSync(options.json, JSON.stringify({ ...taken, samples }));
  });
});
