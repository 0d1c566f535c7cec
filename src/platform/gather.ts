import { ApiError } from "../kernel/errors.ts";
import type { OrganisationId } from "../kernel/ids.ts";

interface Entry<Item, Answer> {
  readonly item: Item;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Gathers what many callers of one organisation want at once into one transaction: while `run` is under way for an organisation, what comes
 * waits and goes together next, in order. When a gathering fails, its halves are tried alone, and theirs, so that one bad row spoils no other.
 * `begin` chooses when the first of an organisation goes: by default after this turn of the event loop, so that what was leased together
 * goes together.
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
