// Writes nothing. Reads: emails, due_work, transactions.
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";
import { MAIL_COMPOSE, MAIL_SEND } from "./declarations.ts";

/** Mails: one that waits has due work, a sent one has its time, a receipt has its payment. A constraint keeps each mail unique. */
const emails = examination(
  "emails",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, status, sent_at, facts is not null as unwritten,
             case when kind = 'receipt' then substr(dedupe_key, length('receipt:') + 1) end as receipt_of
        from emails where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p cross join lateral (values
        ('sent_at', (p.status = 'sent')::text, (p.sent_at is not null)::text, true),
        ('mail_awaited', 'true', exists (select from due_work w where w.organisation_id = ${tx.organisation}
            and w.kind = case when p.unwritten then ${MAIL_COMPOSE.kind} else ${MAIL_SEND.kind} end
            and w.subject = p.id)::text, p.unwritten or p.status in ('queued', 'sending')),
        ('receipt_of_payment', 'true', exists (select from transactions t where t.organisation_id = ${tx.organisation}
            and t.reference = p.receipt_of and t.paid_at is not null)::text, p.receipt_of is not null)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** What `verify` recomputes. */
export const emailExaminations: readonly Examination[] = [emails];
