import type { List } from "../../typescript/src/index.ts";

/** Where reading goes on: the newest record that is certainly known, and what came after it. */
export interface Place {
  /** Null: before the first record. */
  readonly anchor: string | null;
  readonly known: readonly { readonly id: string; readonly at: number }[];
}

/**
 * A record is created when its transaction begins and seen when it ends, so one may appear below others that are known.
 * So long what is newest is read again.
 */
const OVERLAP_MS = 60_000;

type Read = (query: { limit: number; endingBefore?: string }) => List<{ readonly id: string }>;

/** The place after all that there is now. */
export async function placeNow(read: Read): Promise<Place> {
  const [newest] = (await read({ limit: 1 })).data;
  return { anchor: newest?.id ?? null, known: [] };
}

/** The records since a place, oldest first, and the next place. */
export async function readSince<Item extends { readonly id: string }>(
  read: (query: { limit: number; endingBefore?: string }) => List<Item>,
  place: Place,
  now: number = Date.now(),
): Promise<{ found: Item[]; next: Place }> {
  const found: Item[] = [];
  if (place.anchor === null) for await (const item of read({ limit: 100 })) found.unshift(item);
  else {
    const pages = read({ limit: 100, endingBefore: place.anchor }).pages();
    for await (const { data } of pages) found.push(...data.toReversed());
  }
  const known = new Set(place.known.map(({ id }) => id));
  const fresh = found.filter(({ id }) => !known.has(id));
  const all = [...place.known, ...fresh.map(({ id }) => ({ id, at: now }))];
  const settled = all.findLastIndex(({ at }) => at <= now - OVERLAP_MS);
  return {
    found: fresh,
    next: { anchor: all[settled]?.id ?? place.anchor, known: all.slice(settled + 1) },
  };
}
