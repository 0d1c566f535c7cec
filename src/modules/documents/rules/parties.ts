/** What an issued document named stays; what it lacked is filled in from what is known now. Null snapshot: it was not issued, all is as now. */
export function withSnapshot<T extends object>(snapshot: T | null | undefined, now: T): T {
  const filled = Object.entries(snapshot ?? {}).filter(([, value]) => value !== null);
  return { ...now, ...Object.fromEntries(filled) };
}
