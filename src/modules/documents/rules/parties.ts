/** What an issued document named stays; what it lacked is filled in from what is known now. Null kept: it was not issued, all is as now. */
export function withKept<T extends object>(kept: T | null | undefined, now: T): T {
  const filled = Object.entries(kept ?? {}).filter(([, value]) => value !== null);
  return { ...now, ...Object.fromEntries(filled) };
}
