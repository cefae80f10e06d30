/** Keeps the visible rows in place while rows arrive above them, and knows which have moved. */

/** How long a row that has moved takes no click: the person meant what was there before. */
export const SETTLING_MS = 300;

/** Run an update; then scroll so that the row under the mouse, or with the focus, or at the top, has not moved. */
export function holdingStill(scroller: HTMLElement, update: () => void): void {
  const anchor = anchorIn(scroller);
  const before = anchor?.getBoundingClientRect().top ?? 0;
  update();
  if (anchor === null || !anchor.isConnected) return;
  const shift = anchor.getBoundingClientRect().top - before;
  if (Math.abs(shift) >= 1) scroller.scrollTop += shift;
}

function anchorIn(scroller: HTMLElement): HTMLElement | null {
  const held = scroller.querySelector<HTMLElement>(".row:hover") ?? scroller.querySelector<HTMLElement>(".row:focus");
  if (held !== null) return held;
  if (scroller.scrollTop === 0) return null;
  const top = scroller.getBoundingClientRect().top;
  const rows = [...scroller.querySelectorAll<HTMLElement>(".row")];
  return rows.find((row) => row.getBoundingClientRect().bottom > top) ?? null;
}
