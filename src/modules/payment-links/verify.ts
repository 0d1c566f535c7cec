// Writes nothing. Reads: payment_links, transactions.
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";

/** Payment links against their payments (interface 2.3, 3.2 and 16.21). The links of an invoice are compared by the invoice. */
const paymentLinks = examination(
  "payment_links",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, paid_count, single_use, active, collects_balance, invoice_id, gateway_subscription_id from payment_links
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    payments as (
      select payment_link_id, count(*) as paid, count(*) filter (where overpaid_cents = amount_cents) as overpaid from transactions
       where organisation_id = ${tx.organisation} and payment_link_id in (select id from part) and paid_at is not null
       group by payment_link_id),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p left join payments t on t.payment_link_id = p.id
       cross join lateral (values
        ('paid_count', coalesce(t.paid, 0)::text, p.paid_count::text, true),
        ('used_up', 'false', p.active::text, p.single_use and p.paid_count > 0 and not p.collects_balance),
        ('overpaid_after_first', greatest(t.paid - 1, 0)::text, t.overpaid::text, p.single_use and t.paid > 0 and p.invoice_id is null
           and p.gateway_subscription_id is null)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** What `verify` recomputes. */
export const paymentLinkExaminations: readonly Examination[] = [paymentLinks];
