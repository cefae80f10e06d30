/** How often a server that ends by itself is started again. Pure. */

export class Restarts {
  private used = 0;

  constructor(readonly most = 3) {}

  /** Whether one more restart is allowed, which is then used up. */
  take(): boolean {
    if (this.used >= this.most) return false;
    this.used += 1;
    return true;
  }

  /** How many restarts were taken. */
  get count(): number {
    return this.used;
  }

  /** How long to wait before the restart that was taken last, in milliseconds. */
  get delay(): number {
    return 250 * 2 ** Math.max(0, this.used - 1);
  }

  /** The user requested a start: the count begins again. */
  reset(): void {
    this.used = 0;
  }
}
