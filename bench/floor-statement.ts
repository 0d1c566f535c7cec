import pg from "pg";
import { newId } from "../src/platform/new-id.ts";
import { sqlStatementLines } from "./fill-transfers.ts";

/*
 * The floor of an import: for the lines of another statement of the same transfers, the rows that the service writes,
 * found and written by a few statements over all lines at once, in one transaction over one connection. The lines, with
 * their references, are prepared in a temporary table before.
 */

const statements = (organisation: string, id: string): readonly string[] => [
  "begin",
  `insert into reconciliation_runs (organisation_id, id, source, account, status, currency, period_start, period_end, item_count, matched_count, unmatched_count,
     not_received_count, matched_cents, unmatched_cents, started_at)
   select '${organisation}', 'rcn_${id}', 'csv_upload', 'Floor', 'running', 'ZAR', min(date), max(date), 0, 0, 0, 0, 0, 0, now() from floor_lines`,
  // First the matches by reference, then those by amount, days and customer name.
  `create temporary table floor_matches on commit drop as
   select l.place, t.id, t.reference from floor_lines l
     join transactions t on t.organisation_id = '${organisation}' and t.reference = l.reference and t.paid_at is not null and t.currency = 'ZAR' and t.amount_cents = l.amount_cents
    where not exists (select from reconciliation_allocations a where a.organisation_id = '${organisation}' and a.subject = t.id and a.undone_at is null)`,
  "analyze floor_matches",
  `insert into floor_matches
   select place, min(id), min(reference) from (
     select l.place, t.id, t.reference, count(*) over (partition by t.id) as lines from floor_lines l
       join transactions t on t.organisation_id = '${organisation}' and t.amount_cents = l.amount_cents and t.paid_at between l.date - interval '5 days' and l.date + interval '6 days'
       join customers c on c.organisation_id = '${organisation}' and c.id = t.customer_id and strpos(l.description, upper(c.last_name)) > 0
      where l.reference is null and l.amount_cents > 0
        and not exists (select from floor_matches m where m.id = t.id)
        and not exists (select from reconciliation_allocations a where a.organisation_id = '${organisation}' and a.subject = t.id and a.undone_at is null)) f
    where lines = 1 group by place having count(*) = 1`,
  "analyze floor_matches",
  `insert into reconciliation_items (organisation_id, id, run_id, place, date, description, amount_cents, status, line_key, occurrence, transaction_reference, match_id, reason, matched_at)
   select '${organisation}', 'rci_${id}' || lpad(l.place::text, 8, '0'), 'rcn_${id}', l.place, l.date, l.description, l.amount_cents,
          case when m.id is null then 'unmatched' else 'matched' end, substr(sha256(('Floor' || l.date || l.description || l.amount_cents)::bytea), 1, 16), 1, m.reference,
          case when m.id is not null then 'rcm_${id}' || lpad(l.place::text, 8, '0') end, case when m.id is not null then 'reference' end, case when m.id is not null then now() end
     from floor_lines l left join floor_matches m on m.place = l.place`,
  `insert into reconciliation_allocations (organisation_id, match_id, place, item_id, kind, subject, amount_cents, posted, recorded)
   select '${organisation}', 'rcm_${id}' || lpad(l.place::text, 8, '0'), 0, 'rci_${id}' || lpad(l.place::text, 8, '0'), 'payment', m.id, l.amount_cents, true, false
     from floor_matches m join floor_lines l on l.place = m.place`,
  `insert into journal_entries (organisation_id, id, kind, subject, occurred_at, description)
   select '${organisation}', 'jrn_${id}' || lpad(l.place::text, 8, '0'), 'bank_match', 'rcm_${id}' || lpad(l.place::text, 8, '0') || ':0', now(), 'Bank statement: ' || l.description
     from floor_matches m join floor_lines l on l.place = m.place`,
  `insert into journal_lines (organisation_id, entry_id, line, account, amount_cents, currency, occurred_at)
   select '${organisation}', 'jrn_${id}' || lpad(l.place::text, 8, '0'), s.line, s.account, s.sign * l.amount_cents, 'ZAR', now()
     from floor_matches m join floor_lines l on l.place = m.place cross join (values (1, 'bank_reconciled', 1), (2, 'bank', -1)) s(line, account, sign)`,
  `insert into reconciliation_items (organisation_id, id, run_id, place, date, description, amount_cents, reference, status, transaction_reference)
   select '${organisation}', 'rci_${id}' || lpad(place::text, 8, '0'), 'rcn_${id}', place, paid_at::date, 'Payment ' || reference, amount_cents, reference, 'not_received', reference from (
     select t.*, (select count(*) from floor_lines) + row_number() over (order by t.paid_at) as place from transactions t
      where t.organisation_id = '${organisation}' and t.type = 'eft' and t.paid_at is not null and t.currency = 'ZAR'
        and t.paid_at >= (select min(date) from floor_lines) and t.paid_at < (select max(date) + 1 from floor_lines)
        and not exists (select from reconciliation_allocations a where a.organisation_id = '${organisation}' and a.subject = t.id and a.undone_at is null)) n`,
  `update reconciliation_runs r set status = 'completed', finished_at = now(), item_count = i.items, matched_count = i.matched, unmatched_count = i.unmatched,
     not_received_count = i.items - i.matched - i.unmatched, matched_cents = i.cents
     from (select count(*) as items, count(*) filter (where status = 'matched') as matched, count(*) filter (where status = 'unmatched') as unmatched,
             coalesce(sum(amount_cents) filter (where status = 'matched'), 0) as cents
             from reconciliation_items where organisation_id = '${organisation}' and run_id = 'rcn_${id}') i
    where r.organisation_id = '${organisation}' and r.id = 'rcn_${id}'`,
  "commit",
];

/** Seconds that it takes to import the statement of the transfers from `from` on, and how many of its lines were matched. */
export async function statementFloor(
  url: string,
  organisation: string,
  { from, count }: { readonly from: number; readonly count: number },
): Promise<{ readonly seconds: number; readonly matched: number }> {
  const client = new pg.Client({ connectionString: url, application_name: "tefo bench floor" });
  await client.connect();
  try {
    await client.query(
      `create temporary table floor_lines as
       select row_number() over () - 1 as place, date, description, amount_cents, substring(description from 'EFT-[0-9A-Z]{8}') as reference
         from (${sqlStatementLines(organisation, from, count)}) s`,
    );
    await client.query("analyze floor_lines");
    await client.query("checkpoint");
    const id = newId("rcn").slice(4, 22);
    const began = performance.now();
    for (const statement of statements(organisation, id)) await client.query(statement);
    const seconds = (performance.now() - began) / 1000;
    const { rows } = await client.query<{ matched: number }>(
      "select matched_count as matched from reconciliation_runs where organisation_id = $1 and id = $2",
      [organisation, `rcn_${id}`],
    );
    return { seconds, matched: rows[0]?.matched ?? 0 };
  } finally {
    await client.end();
  }
}
