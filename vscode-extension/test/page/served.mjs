/** A model at a server that the user runs, as docs/models.md sets it up. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import path from "node:path";

import { scenario } from "../driver/scenario.mjs";
import { unfinished } from "./writing.mjs";

const FILE = "Unfinished/Served.lean";
const GOAL = "∃ m, m * m + m = 1806";
const THEOREM = `import Example.Nat.Basic

theorem asked_of_the_model : ${GOAL} := by
  sorry
`;
const WRONG = "exact ⟨7, rfl⟩";
const RIGHT = "exact ⟨42, rfl⟩";

/** A server in the shape of Ollama's, whose model writes two tactics; `asked` holds the prompts. */
async function modelServer() {
  const asked = [];
  const server = createServer(async (request, response) => {
    if (request.method === "GET") return response.end(JSON.stringify({ object: "list", data: [{ id: "scripted", object: "model" }] }));
    asked.push(JSON.parse(await text(request)).messages.map((one) => one.content).join("\n"));
    response.setHeader("Content-Type", "text/event-stream");
    for (const content of ["```lean\n", `${WRONG}\n`, `${RIGHT}\n`, "```"])
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
    return response.end("data: [DONE]\n\n");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { server, asked, generator: `http://127.0.0.1:${server.address().port}/v1#scripted` };
}

export const served = [
  scenario("a model that the settings name is asked, and what Lean accepts of it is shown and inserted", async (session) => {
    const { world, openWindow, server, settings } = session;
    const folder = world.copyExample("served");
    writeFileSync(path.join(folder, FILE), THEOREM);
    const model = await modelServer();
    try {
      server.setSettings({ ...settings, "premiseSuggest.tactics.generator": model.generator });
      const { window, view } = await openWindow(folder);
      await window.openFile(FILE);
      await window.goBehind(FILE, `${GOAL} := by\n  sorry`);
      const shown = await view.until((state) => state.closing.includes(RIGHT), "the model's tactic", 120);
      assert.ok(!shown.tactics.includes(WRONG), "what Lean refuses is not shown");
      assert.ok(model.asked.some((prompt) => prompt.includes(GOAL)), "the model was given the goal");
      await view.pressOn("tactic", RIGHT, "Enter");
      await window.untilText(RIGHT);
      await window.saved(FILE);
      assert.equal(await unfinished(world, folder, FILE), 0);
    } finally {
      server.setSettings(settings);
      model.server.closeAllConnections();
      model.server.close();
    }
  }),
];
