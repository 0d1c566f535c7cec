import { ApiError } from "../kernel/errors.ts";
import type { OrganisationId } from "../kernel/ids.ts";

interface Entry<Item, Answer> {
  readonly item: Item;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Collects the items of one organisation for one call of `run`: items that arrive while `run` is running wait and are passed together next,
 * in order, at most `itemsMax` at once. When `run` fails, each half is tried alone, down to single items, so that one bad item fails no
 * other; a 503 is not tried again. `begin` decides when the first call starts: by default after this turn of the event loop, so that items
 * that come in one turn share a call.
 */
export function gathered<Item, Answer>(
  run: (organisation: OrganisationId, items: readonly Item[]) => Promise<readonly Answer[]>,
  itemsMax: number,
  begin: (first: () => void) => void = setImmediate,
): (organisation: OrganisationId, item: Item) => Promise<Answer> {
  const waiting = new Map<OrganisationId, Entry<Item, Answer>[]>();

  async function settle(organisation: OrganisationId, entries: readonly Entry<Item, Answer>[]): Promise<void> {
    try {
      const answers = await run(
        organisation,
        entries.map(({ item }) => item),
      );
      for (const [index, { resolve }] of entries.entries()) resolve(answers[index] as Answer);
    } catch (error) {
      const half = entries.length >> 1;
      if (half === 0 || (error instanceof ApiError && error.status === 503))
        for (const { reject } of entries) reject(error);
      else {
        await settle(organisation, entries.slice(0, half));
        await settle(organisation, entries.slice(half));
      }
    }
  }

  async function drain(organisation: OrganisationId, entries: Entry<Item, Answer>[]): Promise<void> {
    while (entries.length > 0) await settle(organisation, entries.splice(0, itemsMax));
    waiting.delete(organisation);
  }

  return (organisation, item) =>
    new Promise((resolve, reject) => {
      const entry = { item, resolve, reject };
      const others = waiting.get(organisation);
      if (others) others.push(entry);
      else {
        const entries = [entry];
        waiting.set(organisation, entries);
        begin(() => void drain(organisation, entries));
      }
    });
}
