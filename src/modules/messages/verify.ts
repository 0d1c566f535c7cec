// Writes nothing. Reads: messages, due_work.
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";
import { MESSAGE_SEND } from "./declarations.ts";

/** Messages: one that waits has due work, a sent or delivered one has its time. */
const messages = examination(
  "messages",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, status, sent_at, delivered_at from messages
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p cross join lateral (values
        ('sent_at', 'true', (p.sent_at is not null)::text, p.status in ('sent', 'delivered')),
        ('delivered_at', (p.status = 'delivered')::text, (p.delivered_at is not null)::text, true),
        ('message_awaited', 'true', exists (select from due_work w where w.organisation_id = ${tx.organisation}
            and w.kind = ${MESSAGE_SEND.kind} and w.subject = p.id)::text, p.status in ('queued', 'sending'))
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** What `verify` recomputes. */
export const messageExaminations: readonly Examination[] = [messages];
