import { endOfPrefix } from "../kernel/text.ts";
import { NOTHING, type Part, part } from "./database.ts";

/**
 * So many of the newest records are looked at one by one before indexes are asked. What is common fills a page from them; what is rare costs
 * the indexes little.
 */
export const NEAREST = 5000;

/** The ids of a page of what a list's `q` finds: `near` reads among the newest records, `all` by the indexes; both newest first, at most `limit`. */
export async function pageOfFound<Id extends string>(
  limit: number,
  near: () => Promise<{ id: Id }[]>,
  all: () => Promise<{ id: Id }[]>,
): Promise<Id[]> {
  const found = await near();
  return (found.length >= limit ? found : await all()).map(({ id }) => id);
}

/** Condition: the column, whose collation is "C", begins with one of the texts. An `or` of them, to stand in brackets. */
export const begins = (column: Part, texts: readonly string[]): Part =>
  texts
    .map((text) => part`${column} >= ${text} and ${column} < ${endOfPrefix(text)}`)
    .reduce((all, one) => part`${all} or ${one}`);

/**
 * Condition: the records of a currency, of those whose other currencies than the rand have an index. The planner uses it only where the
 * statement says that the currency is another.
 */
export const ofCurrency = (column: Part, currency: string | undefined): Part => {
  if (currency === undefined) return NOTHING;
  return part`and ${column} = ${currency} ${currency === "ZAR" ? NOTHING : part`and ${column} <> 'ZAR'`}`;
};
