// Writes: transactions. Reads nothing else.

import { isOnStatement } from "../../../domain/joins.ts";
import { locking } from "../../../domain/locks.ts";
import type { TransactionsRow } from "../../../domain/rows.ts";
import type { GatewayAccountId, InvoiceId, PaymentLinkId, TransactionId } from "../../../kernel/ids.ts";
import type { Instant } from "../../../kernel/time.ts";
import { part, type Tx } from "../../../platform/database.ts";

/** The payments that were paid, or reported as paid, since `from`, before `until`. */
export interface PaidSpan {
  readonly from: Instant;
  readonly until: Instant;
}

/**
 * Flags the payments on the account's pages that were paid in the span, or wait for their line since then, and that no line of a statement
 * names (decisions.md#pay-now-without-a-statement-line). Answers the references of those that were not flagged before, oldest first.
 */
export async function flagNotOnStatement(
  tx: Tx,
  account: GatewayAccountId,
  { from, until }: PaidSpan,
): Promise<string[]> {
  const rows = await locking(tx, "transaction").sql<Pick<TransactionsRow, "id" | "reference">>`
    update transactions t set flags = t.flags || 'not_on_statement'::text
     where t.organisation_id = ${tx.organisation} and t.gateway_account_id = ${account} and t.type not in ('debit_order', 'card_debit')
       and ((t.paid_at >= ${from} and t.paid_at < ${until})
         or (t.paid_at is null and t.status <> 'failed' and t.reported_at is not null and t.reported_at >= ${from}
             and t.reported_at < ${until}))
       and not 'not_on_statement' = any (t.flags)
       and not ${isOnStatement(tx, account, part`t.reference`)}
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

/** Stores that payments were reported as paid, and wait for their line. */
export function markReported(tx: Tx, ids: readonly TransactionId[], at: Instant): void {
  if (ids.length === 0) return;
  locking(tx, "transaction").queue`
    update transactions set reported_at = ${at}
     where organisation_id = ${tx.organisation} and id = any (${ids}::text[]) and reported_at is null and paid_at is null`;
}

/** Those of these links and invoices with a payment that waits for its line: another one would pay twice. */
export async function beingConfirmed(
  tx: Tx,
  { links, invoices }: { readonly links: readonly PaymentLinkId[]; readonly invoices: readonly InvoiceId[] },
): Promise<ReadonlySet<PaymentLinkId | InvoiceId>> {
  const rows = await tx.sql<Pick<TransactionsRow, "payment_link_id" | "invoice_id">>`
    select payment_link_id, invoice_id from transactions
     where organisation_id = ${tx.organisation} and reported_at is not null and paid_at is null and status = 'pending'
       and not 'not_on_statement' = any (flags) and (payment_link_id = any (${links}::text[]) or invoice_id = any (${invoices}::text[]))`;
  return new Set(rows.flatMap((row) => [row.payment_link_id ?? [], row.invoice_id ?? []].flat()));
}
