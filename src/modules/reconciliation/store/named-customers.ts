// Writes nothing. Reads: customer_words, transactions, reconciliation_allocations.
import type { CustomerId } from "../../../kernel/ids.ts";
import { type CalendarDay, calendarDay, type Instant } from "../../../kernel/time.ts";
import type { Tx } from "../../../platform/database.ts";
import type { PaymentFacts } from "../types.ts";
import { factsOf, type PaymentRow, type SoughtLine, shownSpan } from "./candidates.ts";

/** The most customers that are read for a line. */
const CUSTOMERS_MAX = 10;
/** A word that more customers have than this does not identify one of them by itself. */
const RARE_MAX = 50;
/** The most customers with a word whose other words are compared with the line. */
const LOOKED_AT = 1000;

/**
 * The customers that have some of these words, with those words. Customers with more words and with rarer words come
 * first, since a rare word identifies a customer best.
 */
export async function customersWithWords(
  tx: Tx,
  words: readonly string[],
): Promise<ReadonlyMap<CustomerId, readonly string[]>> {
  if (words.length === 0) return new Map();
  const rows = await tx.sql<{ customer_id: CustomerId; words: string[] }>`
    select customer_id, array_agg(word order by place) as words from (
      select w.customer_id, s.word, s.place, count(*) over (partition by s.place) as customers
        from unnest(${words}::text[]) with ordinality s(word, place) cross join lateral (
          select w.customer_id from customer_words w
           where w.organisation_id = ${tx.organisation} and w.word = search_folded(s.word) limit ${LOOKED_AT}) w) f
     group by customer_id having count(*) > 1 or min(customers) <= ${RARE_MAX}
     order by sum(1.0 / customers) desc, customer_id desc limit ${CUSTOMERS_MAX}`;
  return new Map(rows.map(({ customer_id, words: found }) => [customer_id, found]));
}

/** How many of a customer's newest payments are read, and how many are shown. */
const [PAYMENTS_SEEN, PAYMENTS_EACH] = [200, 5];

/** Completed payments of these customers around a day that no statement has shown, the newest of each customer. */
export async function paymentsOfCustomers(
  tx: Tx,
  customers: readonly string[],
  { date }: Pick<SoughtLine, "date">,
  currency: string,
): Promise<(PaymentFacts & { readonly paidOn: CalendarDay; readonly customerId: CustomerId })[]> {
  if (customers.length === 0) return [];
  const [since, until] = shownSpan(date);
  const rows = await tx.sql<PaymentRow & { readonly paid_at: Instant; readonly customer_id: CustomerId }>`
    select t.id, t.reference, t.amount_cents, t.amount_cents as open_cents, t.gateway_account_id, t.gateway_type, t.paid_at, t.customer_id
      from unnest(${customers}::text[]) with ordinality k(id, place)
     cross join lateral (
       select n.* from (select * from transactions
                         where organisation_id = ${tx.organisation} and customer_id = k.id order by id desc limit ${PAYMENTS_SEEN}) n
        where n.paid_at between ${since} and ${until} and n.currency = ${currency}
          and not exists (select from reconciliation_allocations a
                           where a.organisation_id = ${tx.organisation} and a.subject = n.id and a.undone_at is null)
        order by n.id desc limit ${PAYMENTS_EACH}) t
     order by k.place, t.id desc`;
  return rows.map((row) => ({ ...factsOf(row), paidOn: calendarDay(row.paid_at), customerId: row.customer_id }));
}
