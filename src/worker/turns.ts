/** Lets those with the same key go one after the other, in the order of asking, each told what the one before answered (null for the first). */
export function createTurns<Answer>(): (
  key: string,
  go: (before: Answer | null) => Promise<Answer>,
) => Promise<Answer> {
  const last = new Map<string, Promise<Answer | null>>();
  return (key, go) => {
    const before = last.get(key) ?? Promise.resolve(null);
    const turn = before.then(go);
    const settled = turn.catch(() => null);
    last.set(key, settled);
    void settled.then(() => {
      if (last.get(key) === settled) last.delete(key);
    });
    return turn;
  };
}
