/**
 * Where a handler keeps, for each subject, the `sequence` of the last event that it has worked on. `Tx` is what your
 * functions get to write with, so that their effect and the new sequence are committed together, or neither is.
 */
export interface EventStore<Tx = void> {
  /**
   * Calls `work` with the stored sequence of the subject, 0 at first, and stores what it answers. While it works nobody
   * else works on the subject, in whatever process: a row that is locked, for example. What `work` throws is thrown, and
   * nothing is stored.
   */
  transact(subject: string, work: (sequence: number, tx: Tx) => Promise<number>): Promise<void>;
}

/** A store in memory, for one process, which forgets everything when it ends: for tests, and to begin with. */
export function memoryStore(): EventStore & { clear(): void } {
  const sequences = new Map<string, number>();
  const last = new Map<string, Promise<unknown>>();
  return {
    async transact(subject, work) {
      const turn = (last.get(subject) ?? Promise.resolve()).then(async () => {
        sequences.set(subject, await work(sequences.get(subject) ?? 0));
      });
      const settled = turn.catch(() => {});
      last.set(subject, settled);
      await turn.finally(() => {
        if (last.get(subject) === settled) last.delete(subject);
      });
    },
    clear: () => sequences.clear(),
  };
}
