// Writes nothing. Reads: webhook_deliveries, due_work.
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";
import { WEBHOOK_DELIVER } from "./declarations.ts";

/** Deliveries against their attempts and their due work; there is one for an event and endpoint (interface 6.6 and 14.4). */
const deliveries = examination(
  "webhook_deliveries",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, event_id, endpoint_id, status, attempts, next_attempt_at from webhook_deliveries
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    facts as (
      select p.id, p.status, p.next_attempt_at is not null as planned, jsonb_array_length(p.attempts) as made,
             jsonb_path_exists(p.attempts, '$[*] ? (@.statusCode >= 200 && @.statusCode < 300)') as arrived,
             exists (select from due_work w where w.organisation_id = ${tx.organisation} and w.kind = ${WEBHOOK_DELIVER.kind}
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
       where r.applies and r.expected is distinct from r.found)`,
);

/** What `verify` recomputes. */
export const webhookExaminations: readonly Examination[] = [deliveries];
