/**
 * A party as an issued document shows it: the values of the snapshot, and present values where the snapshot has none. Without a
 * snapshot all are present values.
 */
export function withSnapshot<T extends object>(snapshot: T | null | undefined, now: T): T {
  const filled = Object.entries(snapshot ?? {}).filter(([, value]) => value !== null);
  return { ...now, ...Object.fromEntries(filled) };
}
