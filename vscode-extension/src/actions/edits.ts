/** Where the cursor is after edits. Pure. */

import { shifted, type Change, type TextPosition } from "../positions";
import type { WireEdit } from "../wire";

/** The end of what was inserted, in the text after all edits (which VS Code applies as one). */
export function cursorAfter(edits: readonly WireEdit[], inserted: string): TextPosition | null {
  const changes = edits.map(({ range, newText }): Change => ({ ...range, text: newText }));
  const holds = (fits: (text: string) => boolean) => changes.find((change) => fits(change.text));
  const main = holds((text) => text.endsWith(inserted)) ?? holds((text) => text.includes(inserted)) ?? changes[0];
  if (main === undefined) return null;
  const rest = changes.filter((change) => change !== main);
  const after = (position: TextPosition) =>
    rest.reduce<TextPosition | null>((now, change) => now && shifted(now, change), position);
  const start = after(main.start);
  return start && shifted(start, { start, end: start, text: main.text });
}
