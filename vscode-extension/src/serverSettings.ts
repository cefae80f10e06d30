/** Which settings are the server's. Pure. */

/** The settings under `premiseSuggest` that are the extension's own; the server would complain of them. */
const OWN = new Set(["path", "install", "view", "goal", "trace"]);

/** What the server is sent of everything under `premiseSuggest`. */
export function serverSettings(values: unknown): Record<string, unknown> {
  if (typeof values !== "object" || values === null) return {};
  return Object.fromEntries(Object.entries(values).filter(([name]) => !OWN.has(name)));
}
