/** Scenarios: named, run one after the other, each reported. */

/** pytest finds the names in the text: keep them plain string literals on the line of `scenario(`. */
export function scenario(name, body) {
  return { name, body };
}

/** Run them; each one's outcome is told as it comes. `only` is a part of the names that are run. */
export async function runAll(scenarios, context, { only = "", report, onFailure }) {
  for (const { name, body } of scenarios.filter((one) => one.name.includes(only))) {
    const began = Date.now();
    try {
      await body(context);
      report({ name, ok: true, ms: Date.now() - began });
    } catch (error) {
      report({ name, ok: false, ms: Date.now() - began, error: error?.stack ?? String(error), seen: await onFailure?.(name) });
    }
  }
}
