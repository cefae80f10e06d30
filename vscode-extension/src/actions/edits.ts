/** Where the cursor is after edits. Pure. */

import { shifted, type Change, type Spot } from "../places";
import type { WireEdit } from "../wire";

/** The end of what was inserted, in the text after all edits (which VS Code applies as one). */
export function cursorAfter(edits: readonly WireEdit[], inserted: string): Spot | null {
  const changes = edits.map(({ range, newText }): Change => ({ ...range, text: newText }));
  const holds = (fits: (text: string) => boolean) => changes.find((change) => fits(change.text));
  const main = holds((text) => text.endsWith(inserted)) ?? holds((text) => text.includes(inserted)) ?? changes[0];
  if (main === undefined) return null;
  const rest = changes.filter((change) => change !== main);
  const after = (spot: Spot) => rest.reduce<Spot | null>((now, change) => now && shifted(now, change), spot);
  const start = after(main.start);
  return start && shifted(start, { start, end: start, text: main.text });
}
