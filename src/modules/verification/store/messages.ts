// Writes nothing. Reads: events, event_subjects, webhook_deliveries, emails, transactions, due_work.
import type { Tx } from "../../../platform/database.ts";
import { type Examined, type ExaminedRow, examined, FINDINGS } from "../../../platform/examined.ts";

/** Events count per subject without a gap, up to the last that was given out (interface 14.4); the oldest may be gone by retention. */
export async function examineEventSubjects(tx: Tx, after: string, limit: number): Promise<Examined> {
  const rows = await tx.sql<ExaminedRow>`
    with part as materialized (
      select subject as id, last_sequence from event_subjects
       where organisation_id = ${tx.organisation} and subject > ${after} order by subject limit ${limit}),
    kept as (
      select subject, min(sequence) as first, max(sequence) as last, count(*) as events, count(distinct sequence) as numbers from events
       where organisation_id = ${tx.organisation} and subject in (select id from part) group by subject),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p join kept k on k.subject = p.id cross join lateral (values
        ('last_sequence', k.last::text, p.last_sequence::text),
        ('sequence_without_gap', (k.last - k.first + 1)::text, k.numbers::text),
        ('sequence_once', k.numbers::text, k.events::text)
      ) r(rule, expected, found)
       where r.expected is distinct from r.found)
    ${FINDINGS}`;
  return examined("event_subjects", rows, limit);
}

/** Deliveries against their attempts, their due work and each other (interface 14.4, 6.6): one an event and endpoint. */
export async function examineDeliveries(tx: Tx, after: string, limit: number): Promise<Examined> {
  const rows = await tx.sql<ExaminedRow>`
    with part as materialized (
      select id, event_id, endpoint_id, status, attempts, next_attempt_at from webhook_deliveries
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    facts as (
      select p.id, p.status, p.next_attempt_at is not null as planned, jsonb_array_length(p.attempts) as made,
             jsonb_path_exists(p.attempts, '$[*] ? (@.statusCode >= 200 && @.statusCode < 300)') as arrived,
             exists (select from due_work w where w.organisation_id = ${tx.organisation} and w.kind = 'webhook.deliver'
                        and w.subject = p.id) as awaited,
             exists (select from webhook_deliveries d where d.organisation_id = ${tx.organisation} and d.event_id = p.event_id
                        and d.endpoint_id = p.endpoint_id and d.id < p.id) as again
        from part p),
    faults as (
      select f.id, r.rule, r.expected, r.found from facts f cross join lateral (values
        ('delivered_arrived', 'true', f.arrived::text, f.status = 'delivered'),
        ('parked_tried', 'true', (f.made > 0)::text, f.status = 'parked'),
        ('next_attempt', (f.status = 'pending')::text, f.planned::text, true),
        ('pending_awaited', 'true', f.awaited::text, f.status = 'pending'),
        ('delivery_once', 'false', f.again::text, true)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)
    ${FINDINGS}`;
  return examined("webhook_deliveries", rows, limit);
}

/** Mails: what waits is awaited by due work, what was sent says when, a receipt is of a payment. That each is recorded once is a constraint. */
export async function examineEmails(tx: Tx, after: string, limit: number): Promise<Examined> {
  const rows = await tx.sql<ExaminedRow>`
    with part as materialized (
      select id, status, sent_at, facts is not null as unwritten, case when kind = 'receipt' then substr(dedupe_key, length('receipt:') + 1) end as receipt_of
        from emails where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p cross join lateral (values
        ('sent_at', (p.status = 'sent')::text, (p.sent_at is not null)::text, true),
        ('mail_awaited', 'true', exists (select from due_work w where w.organisation_id = ${tx.organisation} and w.kind = case when p.unwritten then 'mail.compose' else 'mail.send' end
            and w.subject = p.id)::text, p.unwritten or p.status in ('queued', 'sending')),
        ('receipt_of_payment', 'true', exists (select from transactions t where t.organisation_id = ${tx.organisation}
            and t.reference = p.receipt_of and t.paid_at is not null)::text, p.receipt_of is not null)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)
    ${FINDINGS}`;
  return examined("emails", rows, limit);
}
