/* How long the event loop of this thread is held at a time. */

const cpuMicroseconds = (): number => {
  const { user, system } = process.threadCpuUsage();
  return user + system;
};

/** The loop runs timers in each turn; this is what the shortest one may add. */
const TIMER_MS = 1;

/**
 * The longest turn of the event loop while `work` runs, in milliseconds of this thread's processor time: what other
 * processes and threads use does not count, so that a busy machine does not change it much.
 */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let [longest, before] = [0, cpuMicroseconds()];
  const timer = setInterval(() => {
    const now = cpuMicroseconds();
    longest = Math.max(longest, now - before);
    before = now;
  }, TIMER_MS);
  await work().finally(() => clearInterval(timer));
  return longest / 1000;
}
