// Writes nothing. Reads: sandbox_debit_batches, sandbox_payments, sandbox_subscriptions, due_work.
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";
import { SANDBOX_DEBIT, SANDBOX_RENEW, SANDBOX_SETTLE } from "./declarations.ts";

/** Batches against their lines, and the work that settles them. */
const batches = examination(
  "sandbox_debit_batches",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, status, lines, reported from sandbox_debit_batches
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    held as (
      select p.id, count(d.id) as lines, coalesce(max(d.batch_line), 0) as last,
             count(*) filter (where d.status = 'pending' and d.settles_at is not null and d.batch_line <= p.reported
               and not exists (select from due_work w where w.organisation_id = ${tx.organisation}
                 and w.kind = ${SANDBOX_SETTLE.kind} and w.subject = d.id)) as waiting
        from part p left join sandbox_payments d on d.organisation_id = ${tx.organisation} and d.batch_id = p.id
       group by p.id, p.reported),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p join held h on h.id = p.id
       cross join lateral (values
        ('sandbox_batch_lines', concat_ws(' ', h.lines, h.last), concat_ws(' ', p.lines, p.lines), true),
        ('sandbox_batch_reported', '0', h.waiting::text, true),
        ('sandbox_batch_settlement_awaited', 'true', exists (select from due_work w where w.organisation_id = ${tx.organisation}
           and w.kind = ${SANDBOX_DEBIT.kind} and w.subject = p.id)::text, p.status = 'submitted' and p.reported < p.lines)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** Charges that are not settled, against the work that settles them. */
const charges = examination(
  "sandbox_payments",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, kind, status, settles_at from sandbox_payments
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    faults as (
      select p.id, 'sandbox_charge_settlement_awaited' as rule, 'true' as expected, 'false' as found from part p
       where p.kind = 'charge' and p.status = 'pending' and p.settles_at is not null and not exists (
         select from due_work w where w.organisation_id = ${tx.organisation} and w.kind = ${SANDBOX_SETTLE.kind} and w.subject = p.id))`,
);

/** Subscriptions that run, against the work that collects them. */
const subscriptions = examination(
  "sandbox_subscriptions",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, status from sandbox_subscriptions
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    faults as (
      select p.id, 'sandbox_renewal_awaited' as rule, 'true' as expected, 'false' as found from part p
       where p.status in ('active', 'past_due') and not exists (
         select from due_work w where w.organisation_id = ${tx.organisation} and w.kind = ${SANDBOX_RENEW.kind} and w.subject = p.id))`,
);

/** What `verify` recomputes of the gateway's side: the due work of records that are not final. */
export const sandboxExaminations: readonly Examination[] = [batches, charges, subscriptions];
