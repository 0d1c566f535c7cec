import { endOfPrefix } from "../kernel/text.ts";
import { NOTHING, type Part, part } from "./database.ts";

/**
 * The number of newest records that a search reads one by one before it uses the indexes (decisions.md#search-by-beginnings). A frequent
 * text fills a page from these records; a rare text costs the indexes little.
 */
export const NEAREST = 5000;

/**
 * The ids of one page of a list's search `q`: `near` reads among the newest records, `all` by the indexes; both newest
 * first, at most `limit`.
 */
export async function pageOfFound<Id extends string>(
  limit: number,
  near: () => Promise<{ id: Id }[]>,
  all: () => Promise<{ id: Id }[]>,
): Promise<Id[]> {
  const found = await near();
  return (found.length >= limit ? found : await all()).map(({ id }) => id);
}

/** Condition: the column, whose collation is "C", begins with one of the texts. Place it in brackets: it is an `or`. */
export const begins = (column: Part, texts: readonly string[]): Part =>
  texts
    .map((text) => part`${column} >= ${text} and ${column} < ${endOfPrefix(text)}`)
    .reduce((all, one) => part`${all} or ${one}`);

/**
 * Condition: the records of one currency. For currencies other than the rand there is a partial index; the planner uses it only where the
 * statement excludes the rand.
 */
export const ofCurrency = (column: Part, currency: string | undefined): Part => {
  if (currency === undefined) return NOTHING;
  return part`and ${column} = ${currency} ${currency === "ZAR" ? NOTHING : part`and ${column} <> 'ZAR'`}`;
};
