/** Which settings are the server's. Pure. */

/** The settings under `premiseSuggest` that are the extension's own; the server would complain of them. */
const OWN = new Set(["path", "install", "view", "goal", "trace"]);

/** Whether a value is an object with settings in it. */
function isSection(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * What the server is sent of everything under `premiseSuggest`: what the user has set, so that the settings files
 * `premise-suggest.toml` count for the rest. `isSet`: whether a setting is, by its name (`tactics.count`).
 */
export function serverSettings(values: unknown, isSet: (name: string) => boolean): Record<string, unknown> {
  return isSection(values) ? chosen(values, "", isSet) : {};
}

function chosen(values: object, prefix: string, isSet: (name: string) => boolean): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    if (prefix === "" && OWN.has(name)) continue;
    if (isSection(value)) {
      const inner = chosen(value, `${prefix}${name}.`, isSet);
      if (Object.keys(inner).length > 0) found[name] = inner;
    } else if (isSet(prefix + name)) found[name] = value;
  }
  return found;
}
