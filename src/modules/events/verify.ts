// Writes nothing. Reads: event_subjects, events.
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";

/**
 * Events are numbered per subject without a gap, up to the last number that the subject has used (interface 14.4). The oldest may have been
 * deleted.
 */
const eventSubjects = examination(
  "event_subjects",
  (tx, { after, limit }) => part`
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
       where r.expected is distinct from r.found)`,
);

/** What `verify` recomputes. */
export const eventExaminations: readonly Examination[] = [eventSubjects];
