// Writes nothing. Reads: event_resumptions, event_subjects, events.
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";

/**
 * Events are numbered per subject without a gap, but for numbers that a rewind of the clock has taken back, up to the last number that the
 * subject has used (interface 14.4). The oldest may have been deleted.
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
    taken_back as (
      select k.subject, sum(r.sequence - r.after_sequence - 1) as numbers from kept k
        join event_resumptions r on r.organisation_id = ${tx.organisation} and r.subject = k.subject and r.after_sequence >= k.first
        join events e on e.organisation_id = ${tx.organisation} and e.subject = r.subject and e.sequence = r.sequence
       group by k.subject),
    faults as (
      select p.id, r.rule, r.expected, r.found
        from part p join kept k on k.subject = p.id left join taken_back t on t.subject = p.id cross join lateral (values
        ('last_sequence', k.last::text, p.last_sequence::text),
        ('sequence_without_gap', (k.last - k.first + 1 - coalesce(t.numbers, 0))::text, k.numbers::text),
        ('sequence_once', k.numbers::text, k.events::text)
      ) r(rule, expected, found)
       where r.expected is distinct from r.found)`,
);

/** What `verify` recomputes. */
export const eventExaminations: readonly Examination[] = [eventSubjects];
