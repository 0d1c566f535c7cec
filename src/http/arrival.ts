/** How quickly a body must arrive. */
const TICK_MS = 2_000;
/** The time in which the body need not have begun: a telephone may be looking for its network. */
const GRACE_TICKS = 5;
/** 16 kB a second: less than any mobile network that loads a page. */
const BYTES_PER_TICK = 32_000;

/**
 * Awaits `reading` while the body that it reads keeps arriving; `received` returns the number of bytes so far. Throws
 * `tooSlow()` when fewer than 16 kB a second have come after the first ten seconds, so that a client which sends a body
 * byte by byte does not occupy a place that others wait for.
 */
export async function whileArriving<T>(reading: Promise<T>, received: () => number, tooSlow: () => Error): Promise<T> {
  const start = received();
  let ticks = 0;
  let timer: NodeJS.Timeout | undefined;
  const slow = new Promise<never>((_resolve, reject) => {
    timer = setInterval(() => {
      ticks++;
      if (ticks >= GRACE_TICKS && received() - start < ticks * BYTES_PER_TICK) reject(tooSlow());
    }, TICK_MS);
  });
  try {
    return await Promise.race([reading, slow]);
  } finally {
    clearInterval(timer);
    // The reading of a refused body ends with its connection, and nobody waits for it.
    reading.catch(() => {});
  }
}
