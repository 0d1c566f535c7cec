/** Collects calls while `underWay` batches are running, and passes up to `size` of them to `run` together, which answers in their order. */
export function batched<Item, Answer>(
  run: (items: Item[]) => Promise<Answer[]>,
  limits: { readonly size: number; readonly underWay: number },
): (item: Item) => Promise<Answer> {
  interface Waiting {
    readonly item: Item;
    resolve(answer: Answer): void;
    reject(error: unknown): void;
  }
  let waiting: Waiting[] = [];
  let underWay = 0;
  const next = async (): Promise<void> => {
    if (underWay >= limits.underWay || waiting.length === 0) return;
    const batch = waiting.slice(0, limits.size);
    waiting = waiting.slice(limits.size);
    underWay++;
    try {
      const answers = await run(batch.map(({ item }) => item));
      batch.forEach(({ resolve, reject }, index) => {
        if (index in answers) resolve(answers[index] as Answer);
        else reject(new Error("a batch answers each of its items"));
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      underWay--;
      void next();
    }
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // After this turn of the event loop, so that requests that arrived together share a batch.
      if (waiting.length === 1) setImmediate(next);
    });
}
