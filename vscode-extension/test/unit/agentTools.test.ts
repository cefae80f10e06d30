import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { offerTools, type NewerVscode, type ToolsOptions } from "../../src/agentTools";
import { pythonMissing } from "../../src/server/problems";
import type { Found } from "../../src/server/find";

const FOUND: Found = { program: { source: "path", command: "/bin/premise-suggest", args: ["-P"] }, version: [0, 1, 0] };

/** A VS Code of 1.101, as its types describe it, that keeps what is registered. */
function newer() {
  const registered: { id: string; provider: { provideMcpServerDefinitions(): Promise<unknown[]> } }[] = [];
  const api: NewerVscode = {
    lm: {
      registerMcpServerDefinitionProvider: (id, provider) => {
        registered.push({ id, provider });
        return { dispose: () => registered.pop() };
      },
    },
    McpStdioServerDefinition: class {
      constructor(readonly label: string, readonly command: string, readonly args: string[], readonly env: object, readonly version: string) {}
    },
  };
  return { api, registered };
}

function options(more: Partial<ToolsOptions> = {}): ToolsOptions {
  const nothing = () => ({ dispose: () => undefined });
  return { locate: async () => FOUND, folders: () => ["/projects/a b", "/projects/c"], onDidChange: nothing, log: () => undefined, ...more };
}

test("the server that was found is offered for the folders that are open", async () => {
  const { api, registered } = newer();
  const offered = offerTools(api, options());
  const [{ id, provider }] = registered as [(typeof registered)[number]];
  const contributes = JSON.parse(readFileSync("package.json", "utf8")).contributes.mcpServerDefinitionProviders;
  assert.deepEqual(contributes.map((one: { id: string }) => one.id), [id]);
  const args = ["-P", "mcp", "--project", "/projects/a b", "--project", "/projects/c"];
  const server = { label: "Premise Suggest", command: "/bin/premise-suggest", args, env: {}, version: "0.1.0" };
  assert.deepEqual((await provider.provideMcpServerDefinitions()).map((one) => ({ ...(one as object) })), [server]);
  offered?.dispose();
  assert.deepEqual(registered, []);
});

test("without a server, or a folder, there are no tools", async () => {
  for (const more of [{ folders: () => [] }, { locate: async () => ({ problem: pythonMissing(), python: undefined }) }]) {
    const { api, registered } = newer();
    offerTools(api, options(more));
    assert.deepEqual(await registered[0]?.provider.provideMcpServerDefinitions(), []);
  }
});

test("an older VS Code is told nothing", () => {
  for (const old of [{}, { lm: {} }, { ...newer().api, McpStdioServerDefinition: undefined as never }]) {
    assert.equal(offerTools(old, options()), undefined);
  }
});

test("a VS Code that refuses the registration is logged, and all else goes on", () => {
  const lines: string[] = [];
  const refuse = () => {
    throw new Error("must be declared otherwise");
  };
  const api = { ...newer().api, lm: { registerMcpServerDefinitionProvider: refuse } };
  assert.equal(offerTools(api, options({ log: (line) => lines.push(line) })), undefined);
  assert.match(lines.join(), /must be declared otherwise/u);
});
