// Writes: transactions. Reads: gateway_statement_lines.
import type { GatewayAccountId } from "../../../kernel/ids.ts";
import type { Instant } from "../../../kernel/time.ts";
import type { Tx } from "../../../platform/database.ts";
import { locking } from "../../../platform/locks.ts";
import type { TransactionsRow } from "../../../platform/rows.ts";

/** The payments that were paid since `from`, before `until`. */
export interface PaidSpan {
  readonly from: Instant;
  readonly until: Instant;
}

/**
 * Flags the payments on the account's pages that were paid in the span and that no line of a statement names. Answers the references of those that
 * were not flagged before, oldest first.
 */
export async function flagNotOnStatement(
  tx: Tx,
  account: GatewayAccountId,
  { from, until }: PaidSpan,
): Promise<string[]> {
  const rows = await locking(tx, "transaction").sql<Pick<TransactionsRow, "id" | "reference">>`
    update transactions t set flags = t.flags || 'not_on_statement'::text
     where t.organisation_id = ${tx.organisation} and t.gateway_account_id = ${account} and t.type not in ('debit_order', 'card_debit')
       and t.paid_at >= ${from} and t.paid_at < ${until}
       and not 'not_on_statement' = any (t.flags)
       and not exists (select from gateway_statement_lines l
                        where l.organisation_id = ${tx.organisation} and l.gateway_account_id = ${account} and l.reference = t.reference)
    returning t.id, t.reference`;
  return rows.toSorted((one, other) => (one.id < other.id ? -1 : 1)).map(({ reference }) => reference);
}

/** Takes the flag from payments that a line names after all. */
export function unflagOnStatement(tx: Tx, references: readonly string[]): void {
  if (references.length === 0) return;
  locking(tx, "transaction").queue`
    update transactions set flags = array_remove(flags, 'not_on_statement')
     where organisation_id = ${tx.organisation} and reference = any (${references}::text[]) and 'not_on_statement' = any (flags)`;
}
