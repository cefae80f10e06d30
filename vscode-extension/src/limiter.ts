/** At most two requests at a time; what matters least, then what is oldest, gives way. Pure. */

/** How much a request matters: what VS Code asks unasked gives way to what a person waits for. */
export const Weight = { unasked: 0, hover: 1, follow: 2, asked: 3 } as const;
export type Weight = (typeof Weight)[keyof typeof Weight];

interface Running {
  readonly weight: Weight;
  readonly abort: AbortController;
}

interface Waiting {
  readonly weight: Weight;
  readonly start: () => void;
  readonly drop: () => void;
}

export class Limiter {
  private readonly running: Running[] = [];
  private waiting: Waiting[] = [];
  private most = 0;

  constructor(private readonly limit = 2) {}

  /** How many requests run now, and how many have run at once at most. */
  get counts(): { readonly running: number; readonly waiting: number; readonly most: number } {
    return { running: this.running.length, waiting: this.waiting.length, most: this.most };
  }

  /**
   * Run `work` as soon as there is room; undefined where it had to give way, or `outer` was aborted, before it began.
   * `work` learns through its signal when to stop; its place is free when it has settled.
   */
  run<T>(weight: Weight, work: (signal: AbortSignal) => Promise<T>, outer?: AbortSignal): Promise<T | undefined> {
    if (outer?.aborted) return Promise.resolve(undefined);
    if (this.running.length < this.limit) return this.begin(weight, work, outer);
    this.makeRoom(weight);
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.waiting = this.waiting.filter((one) => one !== entry);
        resolve(undefined);
      };
      const entry: Waiting = {
        weight,
        start: () => {
          outer?.removeEventListener("abort", leave);
          this.begin(weight, work, outer).then(resolve, reject);
        },
        drop: () => {
          outer?.removeEventListener("abort", leave);
          resolve(undefined);
        },
      };
      outer?.addEventListener("abort", leave, { once: true });
      this.enqueue(entry);
    });
  }

  private async begin<T>(
    weight: Weight,
    work: (signal: AbortSignal) => Promise<T>,
    outer: AbortSignal | undefined,
  ): Promise<T> {
    const entry: Running = { weight, abort: new AbortController() };
    const stop = () => entry.abort.abort();
    outer?.addEventListener("abort", stop, { once: true });
    this.running.push(entry);
    this.most = Math.max(this.most, this.running.length);
    try {
      return await work(entry.abort.signal);
    } finally {
      outer?.removeEventListener("abort", stop);
      this.running.splice(this.running.indexOf(entry), 1);
      this.next();
    }
  }

  /** Ask one running request that matters no more than the new one to stop, unless one is stopping already. */
  private makeRoom(weight: Weight): void {
    const stopping = this.running.filter((one) => one.abort.signal.aborted).length;
    if (stopping > this.waiting.length) return;
    const going = this.running.filter((one) => !one.abort.signal.aborted && one.weight <= weight);
    const least = Math.min(...going.map((one) => one.weight));
    going.find((one) => one.weight === least)?.abort.abort();
  }

  /** No more wait than may run; of those, what matters least, then what is oldest, is dropped. */
  private enqueue(entry: Waiting): void {
    this.waiting.push(entry);
    if (this.waiting.length <= this.limit) return;
    const least = Math.min(...this.waiting.map((one) => one.weight));
    const dropped = this.waiting.find((one) => one.weight === least);
    this.waiting = this.waiting.filter((one) => one !== dropped);
    dropped?.drop();
  }

  private next(): void {
    if (this.waiting.length === 0 || this.running.length >= this.limit) return;
    const best = Math.max(...this.waiting.map((one) => one.weight));
    const chosen = this.waiting.findLast((one) => one.weight === best);
    this.waiting = this.waiting.filter((one) => one !== chosen);
    chosen?.start();
  }
}
