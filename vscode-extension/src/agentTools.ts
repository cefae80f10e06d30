/**
 * Offers the server's tools to the agents in VS Code (docs/mcp.md), where VS Code supports it: since 1.101,
 * which is newer than the oldest that the extension runs in. So its part of the API is described here.
 */

import type { Found } from "./server/find";
import { show } from "./server/versions";

/** The provider's id in package.json. */
const ID = "premiseSuggest.tools";
const LABEL = "Premise Suggest";

interface Disposable {
  dispose(): unknown;
}

/** A server as VS Code starts it. */
interface Definition {
  readonly label: string;
}

interface Provider {
  readonly onDidChangeMcpServerDefinitions: (listener: () => unknown) => Disposable;
  provideMcpServerDefinitions(): Promise<Definition[]>;
}

/** What of VS Code's API this needs. */
export interface NewerVscode {
  readonly lm?: { readonly registerMcpServerDefinitionProvider?: (id: string, provider: Provider) => Disposable };
  readonly McpStdioServerDefinition?: new (
    label: string,
    command: string,
    args: string[],
    env: Record<string, string>,
    version: string,
  ) => Definition;
}

export interface ToolsOptions {
  readonly locate: () => Promise<Found>;
  /** The folders that are open, if they are trusted. */
  readonly folders: () => readonly string[];
  /** Fires when another server, or another folder, may be there. */
  readonly onDidChange: (listener: () => unknown) => Disposable;
  readonly log: (line: string) => void;
}

/** Register the tools; undefined where VS Code is too old for that. Never throws: all else works without them. */
export function offerTools(vscode: NewerVscode, options: ToolsOptions): Disposable | undefined {
  const { lm, McpStdioServerDefinition: Stdio } = vscode;
  if (lm?.registerMcpServerDefinitionProvider === undefined || Stdio === undefined) return undefined;
  const provider: Provider = {
    onDidChangeMcpServerDefinitions: options.onDidChange,
    provideMcpServerDefinitions: async () => {
      const folders = options.folders();
      if (folders.length === 0) return [];
      const found = await options.locate();
      if ("problem" in found) return []; // the view says what is missing
      const { command, args } = found.program;
      const projects = folders.flatMap((folder) => ["--project", folder]);
      return [new Stdio(LABEL, command, [...args, "mcp", ...projects], {}, show(found.version))];
    },
  };
  try {
    return lm.registerMcpServerDefinitionProvider(ID, provider);
  } catch (error) {
    // VS Code 1.100 has the function, but wants it declared otherwise.
    options.log(`The tools are not offered to agents in this VS Code: ${String(error)}`);
    return undefined;
  }
}
