/** Time limits for what may never answer. Pure but for the timer. */

/** What a promise gives, or undefined where it takes longer or fails. */
export async function within<T>(milliseconds: number, promise: PromiseLike<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } catch {
    return undefined; // What another extension throws is no more use than no answer.
  } finally {
    clearTimeout(timer);
  }
}

/** Wait; false where the signal was aborted before the time was over. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const stop = () => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve(true);
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
