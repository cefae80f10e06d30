/** Which row is the active one: as keys are pressed, and as rows come and go. Pure. */

export const MOVES = ["ArrowDown", "ArrowUp", "Home", "End", "PageDown", "PageUp"] as const;
export type Move = (typeof MOVES)[number];

const PAGE = 8;

export function isMove(key: string): key is Move {
  return (MOVES as readonly string[]).includes(key);
}

/** The row that a key leads to; the list does not wrap around, as VS Code's own lists do not. */
export function moved(keys: readonly string[], active: string | null, move: Move): string | null {
  const last = keys.length - 1;
  if (last < 0) return null;
  const at = active === null ? -1 : keys.indexOf(active);
  if (at < 0) return keys[move === "End" ? last : 0] ?? null;
  const target = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last, PageDown: at + PAGE, PageUp: at - PAGE }[move];
  return keys[Math.max(0, Math.min(target, last))] ?? null;
}

/**
 * The active row after an update: the same one if it is still there, else its nearest neighbour that is.
 *
 * @param held whether the person is at the list; where not, an answer begins at its first row.
 */
export function survivor(
  before: readonly string[],
  active: string | null,
  after: readonly string[],
  held: boolean,
): string | null {
  const first = after[0] ?? null;
  if (active === null || !held) return first;
  if (after.includes(active)) return active;
  const at = before.indexOf(active);
  const kept = new Set(after);
  const below = before.slice(at + 1).find((key) => kept.has(key));
  const above = before.slice(0, Math.max(at, 0)).reverse().find((key) => kept.has(key));
  return below ?? above ?? first;
}
