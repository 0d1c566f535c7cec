// Writes: gateway_statements, gateway_statement_lines. Reads: transactions (which lines are about payments of the account).

import type { GatewayStatementLinesRow, GatewayStatementsRow } from "../../domain/rows.ts";
import type { GatewayAccountId } from "../../kernel/ids.ts";
import type { CalendarDay, Instant } from "../../kernel/time.ts";
import type { Tx } from "../../platform/database.ts";
import type { AwaitedStatement, StatementPlan, StoredLine } from "./types.ts";

/** Whether a payment was started through the account since a time. */
export async function hasPaymentsSince(tx: Tx, account: GatewayAccountId, since: Instant): Promise<boolean> {
  const rows = await tx.sql`
    select id from transactions where organisation_id = ${tx.organisation} and gateway_account_id = ${account}
        and created_at >= ${since} limit 1`;
  return rows.length > 0;
}

/** The days of a plan whose statements were not read since its `since`, oldest first. */
export async function awaitedStatements(
  tx: Tx,
  account: GatewayAccountId,
  { from, to, since }: StatementPlan,
): Promise<AwaitedStatement[]> {
  return tx.sql<Pick<GatewayStatementsRow, "day" | "ticket">>`
    select d.day::date as day, s.ticket from generate_series(${from}::date::timestamp, ${to}::date::timestamp, interval '1 day') as d(day)
      left join gateway_statements s on s.organisation_id = ${tx.organisation} and s.gateway_account_id = ${account} and s.day = d.day::date
     where s.read_at is null or s.read_at < ${since}
     order by d.day`;
}

/** Stores the ticket that the gateway answered while it prepares a statement. */
export function keepTicket(tx: Tx, account: GatewayAccountId, { day, ticket }: AwaitedStatement): void {
  tx.queue`
    insert into gateway_statements (organisation_id, gateway_account_id, day, ticket)
    values (${tx.organisation}, ${account}, ${day}, ${ticket})
    on conflict (organisation_id, gateway_account_id, day) do update set ticket = excluded.ticket`;
}

/** Records that a day's statement was read, and inserts those of its lines that are new and about payments of the account. */
export function insertStatement(
  tx: Tx,
  account: GatewayAccountId,
  { day, now }: { readonly day: CalendarDay; readonly now: Instant },
  lines: readonly StoredLine<object>[],
): void {
  tx.queue`
    insert into gateway_statements (organisation_id, gateway_account_id, day, read_at)
    values (${tx.organisation}, ${account}, ${day}, ${now})
    on conflict (organisation_id, gateway_account_id, day) do update set ticket = null, read_at = excluded.read_at`;
  if (lines.length === 0) return;
  const of = (field: keyof StoredLine<object>) => lines.map((one) => one[field]);
  tx.queue`
    insert into gateway_statement_lines (organisation_id, gateway_account_id, line, reference, fact, counts_from, status, read_at)
    select ${tx.organisation}, ${account}, l.line, l.reference, l.fact, l.counts_from, 'waiting', ${now}
      from unnest(${of("line")}::text[], ${of("reference")}::text[], ${lines.map(({ fact }) => JSON.stringify(fact))}::jsonb[],
        ${of("countsFrom")}::date[]) as l(line, reference, fact, counts_from)
      join transactions t on t.organisation_id = ${tx.organisation} and t.reference = l.reference and t.gateway_account_id = ${account}
     order by l.line
    on conflict (organisation_id, gateway_account_id, line) do nothing`;
}

/** A line that waits, and whether another line returns the money that it reports as collected. */
export type WaitingLine = Pick<GatewayStatementLinesRow, "line" | "reference" | "fact"> & {
  readonly taken_back: boolean;
};

/** Lines that wait and count on a day, after a line, at most `limit`. Lines that return money are not themselves marked as returned. */
export const waitingLines = (
  tx: Tx,
  account: GatewayAccountId,
  today: CalendarDay,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<WaitingLine[]> =>
  tx.sql<WaitingLine>`
    select l.line, l.reference, l.fact, l.fact ->> 'kind' = 'paid' and exists (
             select from gateway_statement_lines r where r.organisation_id = ${tx.organisation} and r.gateway_account_id = ${account}
                and r.reference = l.reference and r.fact ->> 'kind' = 'declined') as taken_back
      from gateway_statement_lines l
     where l.organisation_id = ${tx.organisation} and l.gateway_account_id = ${account} and l.status = 'waiting'
       and (l.counts_from is null or l.counts_from <= ${today}) and l.line > ${after}
     order by l.line limit ${limit}`;

/** Stores the outcome of lines, in one statement. */
export function endLines(
  tx: Tx,
  account: GatewayAccountId,
  lines: readonly string[],
  status: "applied" | "taken_back",
): void {
  if (lines.length === 0) return;
  tx.queue`
    update gateway_statement_lines set status = ${status}
     where organisation_id = ${tx.organisation} and gateway_account_id = ${account} and line = any (${lines}::text[])`;
}
