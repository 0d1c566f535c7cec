import { assert } from "../kernel/assert.ts";
import { ApiError } from "../kernel/errors.ts";
import type { OrganisationId } from "../kernel/ids.ts";

interface Entry<Item, Answer> {
  readonly item: Item;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

interface Group<Item, Answer> {
  waiting: Entry<Item, Answer>[];
  underWay: number;
}

/**
 * Collects the items of one key, such as an organisation, for one call of `run`, which answers them in their order: items that arrive while
 * `underWay` calls for the key are running wait and are passed together next, in order, at most `together` at once. When `run` fails,
 * each half is tried alone, down to single items, so that one bad item fails no other (decisions.md#failed-sets-are-halved); a 503 is not
 * retried. `begin` decides when items that need not wait are passed: by default after this turn of the event loop, so that items that
 * come in one turn share a call.
 */
export function gathered<Item, Answer, Key = OrganisationId>(
  run: (key: Key, items: readonly Item[]) => Promise<readonly Answer[]>,
  together: number,
  { underWay = 1, begin = setImmediate }: { underWay?: number; begin?: (first: () => void) => void } = {},
): (key: Key, item: Item) => Promise<Answer> {
  const groups = new Map<Key, Group<Item, Answer>>();

  async function settle(key: Key, entries: readonly Entry<Item, Answer>[]): Promise<void> {
    try {
      const answers = await run(
        key,
        entries.map(({ item }) => item),
      );
      assert(answers.length === entries.length, "each item is answered");
      for (const [index, { resolve }] of entries.entries()) resolve(answers[index] as Answer);
    } catch (error) {
      const half = entries.length >> 1;
      if (half === 0 || (error instanceof ApiError && error.status === 503))
        for (const { reject } of entries) reject(error);
      else {
        await settle(key, entries.slice(0, half));
        await settle(key, entries.slice(half));
      }
    }
  }

  function next(key: Key, group: Group<Item, Answer>): void {
    while (group.underWay < underWay && group.waiting.length > 0) {
      group.underWay++;
      void settle(key, group.waiting.splice(0, together)).then(() => {
        group.underWay--;
        next(key, group);
        if (group.underWay === 0 && groups.get(key) === group) groups.delete(key);
      });
    }
  }

  return (key, item) =>
    new Promise((resolve, reject) => {
      const group = groups.get(key) ?? { waiting: [], underWay: 0 };
      groups.set(key, group);
      group.waiting.push({ item, resolve, reject });
      if (group.waiting.length === 1 && group.underWay < underWay) begin(() => next(key, group));
    });
}
