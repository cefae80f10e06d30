/** Waiting until the cursor rests. Pure but for the timer. */

/** A move that comes after this long a pause is taken for a jump, not for typing. */
const PAUSE_MS = 500;
/** What part of the wait a jump has to rest. */
const JUMP = 0.25;

/** How long to wait after a move: all of `wait` while moves follow each other, less after a pause. */
export function waitAfter(sinceLastMove: number, wait: number): number {
  return sinceLastMove >= PAUSE_MS ? Math.round(wait * JUMP) : wait;
}

/** Calls back once, when nothing has moved for a while. */
export class Debounce {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private last = Number.NEGATIVE_INFINITY;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Something moved: call `then` when the wait is over, unless something moves before. */
  moved(wait: number, then: () => void): void {
    const now = this.now();
    const delay = waitAfter(now - this.last, wait);
    this.last = now;
    this.cancel();
    this.timer = setTimeout(() => {
      this.timer = undefined;
      then();
    }, delay);
  }

  cancel(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
