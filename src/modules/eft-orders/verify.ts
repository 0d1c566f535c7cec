// Writes nothing. Reads: eft_orders, transactions, due_work.
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";
import { EFT_EXPIRE } from "./declarations.ts";

/** Bank transfers against their payments (interface 3.10). One that has expired or waits for staff can still be paid. */
const eftOrders = examination(
  "eft_orders",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, reference, status, amount_cents, currency from eft_orders
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p
        left join transactions t on t.organisation_id = ${tx.organisation} and t.reference = p.reference and t.eft_order_id = p.id
       cross join lateral (values
        ('transfer_payment', p.amount_cents || ' ' || p.currency, t.amount_cents || ' ' || t.currency, true),
        ('transfer_paid', (t.paid_at is not null)::text, (p.status = 'paid')::text, t.id is not null),
        ('transfer_payment_status', case p.status when 'cancelled' then 'cancelled' else 'pending' end, t.status,
           t.paid_at is null and t.id is not null),
        ('transfer_expiry_awaited', 'true', exists (select from due_work w where w.organisation_id = ${tx.organisation}
           and w.kind = ${EFT_EXPIRE.kind} and w.subject = p.id)::text, p.status in ('awaiting_payment', 'rejected'))
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** What `verify` recomputes. */
export const eftOrderExaminations: readonly Examination[] = [eftOrders];
