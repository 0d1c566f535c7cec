/**
 * Runs functions with the same key one after the other, in the order of the calls; each gets the answer of the one
 * before (null for the first, or after an error).
 */
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
