// Writes nothing. Reads: customer_subscriptions, cards.

import type { CalendarDay } from "../../../kernel/time.ts";
import { type Part, part, type Tx } from "../../../platform/database.ts";

/** `nextBillingOn` in SQL, of the subscription `s`. */
export const NEXT_BILLING = part`
  case when s.collection_method <> 'external' and ((s.state ->> 'cancelAtPeriodEnd')::boolean
         or (s.state ->> 'cyclesBilled')::integer - (s.state ->> 'cyclesBefore')::integer
              >= (coalesce(nullif(s.state -> 'pendingChange', 'null'), s.state -> 'terms') -> 'price' ->> 'cycles')::integer) then null
       when s.status = 'scheduled' then (s.state ->> 'startsOn')::date + (s.state ->> 'trialDays')::integer
       else s.next_due end`;

/** The active cards `k` on which the subscription `s` can be charged (`cardsToCharge` of the cards' rules). */
const itsCards = (tx: Tx): Part => part`
  from cards k where k.organisation_id = ${tx.organisation} and k.customer_id = s.customer_id and k.status = 'active'
   and (k.id = s.card_id or k.is_default)`;
/** The first day on which the card `k` is no longer valid; null when its expiry is not known. */
const CARD_ENDS = part`(make_date(k.expiry_year, k.expiry_month, 1) + interval '1 month')::date`;

/**
 * Condition on the subscription `s`: it is charged by card, and its cards, of which one expires within 30 days, end before its next bill.
 * Begins with the customers of such cards, who are few.
 */
export const cardEndsFirst = (tx: Tx): Part => part`(
  s.customer_id = any (array(select e.customer_id from cards e where e.organisation_id = ${tx.organisation}
    and e.told_expiring_at is not null and e.status = 'active'))
  and s.collection_method = 'gateway' and s.status in ('trialing', 'active')
  and exists (select 1 ${itsCards(tx)} and k.told_expiring_at is not null and ${CARD_ENDS} <= ${NEXT_BILLING})
  and not exists (select 1 ${itsCards(tx)} and (k.expiry_year is null or ${CARD_ENDS} > ${NEXT_BILLING})))`;

/** How many subscriptions have cards that end before their next bill, and the last valid day of the first such card; null for none. */
export async function expiringCards(tx: Tx): Promise<{ count: number; since: CalendarDay } | null> {
  const [row] = await tx.sql<{ count: number; since: CalendarDay | null }>`
    select count(*)::integer as count,
           min((select min(${CARD_ENDS}) - 1 ${itsCards(tx)} and k.told_expiring_at is not null)) as since
      from customer_subscriptions s where s.organisation_id = ${tx.organisation} and ${cardEndsFirst(tx)}`;
  return row?.since ? { count: row.count, since: row.since } : null;
}
