/** Nothing of ours outlives VS Code. */
import { eventually } from "../driver/eventually.mjs";
import { isLean, isOurs, isServer, noneLeft, processesOf } from "../driver/processes.mjs";
import { scenario } from "../driver/scenario.mjs";
import { FIRST } from "./reading.mjs";

const isExtensionHost = (one) => one.command.includes("--type=extensionHost");

/** A window in which server and Lean run; their processes. */
async function atWork({ world, openWindow, example }) {
  const { window, view } = await openWindow(example);
  await window.openFile(FIRST);
  await window.goBehind(FIRST, "sorry", 0);
  await view.tactics("k ∣ n.factorial");
  const ours = processesOf(world.id).filter(isOurs);
  if (!ours.some(isServer) || !ours.some(isLean)) throw new Error(`server and Lean should run: ${JSON.stringify(ours)}`);
  return new Set(ours.map((one) => one.pid));
}

export const life = [
  scenario("closing the window leaves no process", async (context) => {
    await atWork(context);
    await context.closeWindow();
    await noneLeft(context.world.id, isOurs);
  }),

  scenario("an extension host that is killed leaves no process of ours", async (context) => {
    const { world } = context;
    const pids = await atWork(context);
    const host = processesOf(world.id).find(isExtensionHost);
    process.kill(host.pid, "SIGKILL");
    await noneLeft(world.id, (one) => pids.has(one.pid)); // VS Code may start another meanwhile
    await context.closeWindow();
    await noneLeft(world.id, isOurs);
  }),

  scenario("a server that is killed takes its Lean along, and another one answers", async (context) => {
    const { world } = context;
    const pids = await atWork(context);
    const server = processesOf(world.id).find((one) => isServer(one) && one.command.includes("python"));
    process.kill(server.pid, "SIGKILL");
    await noneLeft(world.id, (one) => one.pid === server.pid || (pids.has(one.pid) && isLean(one)));
    await eventually(() => processesOf(world.id).some((one) => isServer(one) && !pids.has(one.pid)), "another server was started");
    await context.window.goBehind(FIRST, "sorry", 1);
    await context.view.answer("a + (b + c)");
  }),

  scenario("VS Code's own server that is killed leaves no process of ours", async (context) => {
    const { world, server } = context;
    if (!processesOf(world.id).some(isServer)) await atWork(context);
    await server.kill();
    await noneLeft(world.id, isOurs);
  }),
];
