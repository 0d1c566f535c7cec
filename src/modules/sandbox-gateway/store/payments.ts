// Writes: sandbox_payments, sandbox_refunds. Reads nothing else.

import { locking } from "../../../domain/locks.ts";
import type { SandboxPaymentsRow, SandboxRefundsRow } from "../../../domain/rows.ts";
import { type Cents, cents } from "../../../kernel/money.ts";
import type { CalendarDay } from "../../../kernel/time.ts";
import { part, type Tx } from "../../../platform/database.ts";
import type { SandboxDebitBatch, SandboxPaymentRecord, SandboxRefundRecord } from "../types.ts";

type PaymentRow = Pick<
  SandboxPaymentsRow,
  | "id"
  | "account_id"
  | "kind"
  | "checkout_id"
  | "reference"
  | "amount_cents"
  | "currency"
  | "status"
  | "fee_cents"
  | "details"
  | "settles_at"
  | "created_at"
  | "decided_at"
>;

type RefundRow = Pick<SandboxRefundsRow, "id" | "payment_id" | "refund_id" | "amount_cents" | "reason" | "created_at">;

const paymentFromRow = (row: PaymentRow): SandboxPaymentRecord => ({
  id: row.id,
  accountId: row.account_id,
  kind: row.kind,
  checkoutId: row.checkout_id,
  reference: row.reference,
  amount: row.amount_cents,
  currency: row.currency,
  status: row.status,
  fee: row.fee_cents,
  details: row.details as object,
  settlesAt: row.settles_at,
  createdAt: row.created_at,
  decidedAt: row.decided_at,
});

const refundFromRow = (row: RefundRow): SandboxRefundRecord => ({
  id: row.id,
  paymentId: row.payment_id,
  refundId: row.refund_id,
  amount: row.amount_cents,
  reason: row.reason,
  createdAt: row.created_at,
});

/** Inserts a payment. False when there is one: the account has a checkout, or a charge or debit, with this reference. */
export async function insertSandboxPayment(tx: Tx, p: SandboxPaymentRecord): Promise<boolean> {
  const rows = await tx.sql`
    insert into sandbox_payments (organisation_id, id, account_id, kind, checkout_id, reference, amount_cents, currency, status, fee_cents,
      details, settles_at, created_at, decided_at)
    values (${tx.organisation}, ${p.id}, ${p.accountId}, ${p.kind}, ${p.checkoutId}, ${p.reference}, ${p.amount},
            ${p.currency}, ${p.status}, ${p.fee}, ${JSON.stringify(p.details)}, ${p.settlesAt}, ${p.createdAt}, ${p.decidedAt})
    on conflict do nothing returning id`;
  return rows.length > 0;
}

/** The renewal of a subscription for a date; the one that was made before when there is one. */
export async function insertRenewal(
  tx: Tx,
  p: SandboxPaymentRecord,
  { subscriptionId, dueOn }: { readonly subscriptionId: string; readonly dueOn: CalendarDay },
): Promise<SandboxPaymentRecord> {
  tx.queue`
    insert into sandbox_payments (organisation_id, id, account_id, kind, reference, amount_cents, currency, status, fee_cents, details,
      created_at, decided_at, subscription_id, due_on)
    values (${tx.organisation}, ${p.id}, ${p.accountId}, ${p.kind}, ${p.reference}, ${p.amount}, ${p.currency}, ${p.status}, ${p.fee},
      ${JSON.stringify(p.details)}, ${p.createdAt}, ${p.decidedAt}, ${subscriptionId}, ${dueOn})
    on conflict (organisation_id, subscription_id, due_on) where subscription_id is not null do nothing`;
  const [row] = await tx.sql<PaymentRow>`
    select * from sandbox_payments
     where organisation_id = ${tx.organisation} and subscription_id = ${subscriptionId} and due_on = ${dueOn}`;
  return row ? paymentFromRow(row) : p;
}

/**
 * Inserts the debits of a batch from line `from` on, in one statement. Answers how many were inserted; those with a
 * known reference are left out.
 */
export async function insertDebits(
  tx: Tx,
  batch: Pick<SandboxDebitBatch, "id" | "accountId">,
  from: number,
  debits: readonly SandboxPaymentRecord[],
): Promise<number> {
  const rows = await tx.sql`
    insert into sandbox_payments (organisation_id, id, account_id, kind, reference, amount_cents, currency, status, details, settles_at,
      created_at, batch_id, batch_line)
    select ${tx.organisation}, id, ${batch.accountId}, 'debit', reference, amount, currency, 'pending', details::jsonb,
           settles_at, created_at, ${batch.id}, ${from} + line - 1
      from unnest(${debits.map(({ id }) => id)}::text[], ${debits.map(({ reference }) => reference)}::text[],
        ${debits.map(({ amount }) => amount)}::bigint[], ${debits.map(({ currency }) => currency)}::text[],
        ${debits.map(({ details }) => JSON.stringify(details))}::text[], ${debits.map(({ settlesAt }) => settlesAt)}::timestamptz[],
        ${debits.map(({ createdAt }) => createdAt)}::timestamptz[])
        with ordinality as d(id, reference, amount, currency, details, settles_at, created_at, line)
    on conflict (organisation_id, account_id, reference) where kind in ('charge', 'debit') do nothing returning id`;
  return rows.length;
}

/** Debits of a batch after a line, in order, with their lines. */
export async function listDebits(
  tx: Tx,
  batch: string,
  after: number,
  limit: number,
): Promise<{ line: number; debit: SandboxPaymentRecord }[]> {
  const rows = await tx.sql<PaymentRow & { batch_line: number }>`
    select * from sandbox_payments where organisation_id = ${tx.organisation} and batch_id = ${batch} and batch_line > ${after}
     order by batch_line limit ${limit}`;
  return rows.map((row) => ({ line: row.batch_line, debit: paymentFromRow(row) }));
}

/** Stores the outcomes of payments that due work settles, in one statement. Those whose outcome was chosen before stay as they are. */
export function settleSandboxPayments(tx: Tx, settled: readonly SandboxPaymentRecord[]): void {
  tx.queue`
    update sandbox_payments p set status = s.status, fee_cents = s.fee, details = s.details::jsonb, decided_at = s.decided_at
      from unnest(${settled.map(({ id }) => id)}::text[], ${settled.map(({ status }) => status)}::text[],
        ${settled.map(({ fee }) => fee)}::bigint[], ${settled.map(({ details }) => JSON.stringify(details))}::text[],
        ${settled.map(({ decidedAt }) => decidedAt)}::timestamptz[]) as s(id, status, fee, details, decided_at)
     where p.organisation_id = ${tx.organisation} and p.id = s.id and p.status = 'pending' and p.settles_at is not null`;
}

/** By the gateway's own id, or by the merchant's reference: then the first of that reference. */
const named = (tx: Tx, account: string, name: string) => part`
  select * from sandbox_payments where organisation_id = ${tx.organisation} and account_id = ${account}
     and (id = ${name} or reference = ${name})
   order by id = ${name} desc, created_at, id limit 1`;

/** By the gateway's own id, or by the merchant's reference: then the first of that reference. */
export async function findSandboxPayment(tx: Tx, account: string, name: string): Promise<SandboxPaymentRecord | null> {
  const [row] = await tx.sql<PaymentRow>`${named(tx, account, name)}`;
  return row ? paymentFromRow(row) : null;
}

/** As `findSandboxPayment`, locked until the transaction ends. */
export async function lockSandboxPayment(tx: Tx, account: string, name: string): Promise<SandboxPaymentRecord | null> {
  const [row] = await locking(tx, "sandbox payment").sql<PaymentRow>`${named(tx, account, name)} for update`;
  return row ? paymentFromRow(row) : null;
}

/** Locks a payment of any account, by the gateway's own id, until the transaction ends. */
export async function lockSandboxPaymentById(tx: Tx, id: string): Promise<SandboxPaymentRecord | null> {
  const [row] = await locking(tx, "sandbox payment").sql<PaymentRow>`
    select * from sandbox_payments where organisation_id = ${tx.organisation} and id = ${id} for update`;
  return row ? paymentFromRow(row) : null;
}

/** By the id of the payer's page. */
export async function findCheckout(tx: Tx, account: string, checkout: string): Promise<SandboxPaymentRecord | null> {
  const [row] = await tx.sql<PaymentRow>`
    select * from sandbox_payments where organisation_id = ${tx.organisation} and account_id = ${account} and checkout_id = ${checkout}`;
  return row ? paymentFromRow(row) : null;
}

/** Stores the outcome of a payment. False when its status is none of `from`: of two choices at once, the first is stored. */
export async function decideSandboxPayment(
  tx: Tx,
  p: SandboxPaymentRecord,
  from: readonly SandboxPaymentRecord["status"][],
): Promise<boolean> {
  const rows = await tx.sql`
    update sandbox_payments set status = ${p.status}, fee_cents = ${p.fee}, details = ${JSON.stringify(p.details)},
      settles_at = ${p.settlesAt}, decided_at = ${p.decidedAt}
     where organisation_id = ${tx.organisation} and id = ${p.id} and status = any(${from}) returning id`;
  return rows.length > 0;
}

/** By the merchant's id of the refund. */
export async function findSandboxRefund(tx: Tx, refund: string): Promise<SandboxRefundRecord | null> {
  const [row] = await tx.sql<RefundRow>`
    select * from sandbox_refunds where organisation_id = ${tx.organisation} and refund_id = ${refund}`;
  return row ? refundFromRow(row) : null;
}

/** The refunded total of a payment, in cents. */
export async function sandboxRefunded(tx: Tx, payment: string): Promise<Cents> {
  const [row] = await tx.sql<{ total: number }>`
    select coalesce(sum(amount_cents), 0)::bigint as total from sandbox_refunds
     where organisation_id = ${tx.organisation} and payment_id = ${payment}`;
  return cents(row?.total ?? 0);
}

/** Inserts a refund. */
export function insertSandboxRefund(tx: Tx, refund: SandboxRefundRecord): void {
  tx.queue`
    insert into sandbox_refunds (organisation_id, id, payment_id, refund_id, amount_cents, reason, created_at)
    values (${tx.organisation}, ${refund.id}, ${refund.paymentId}, ${refund.refundId}, ${refund.amount}, ${refund.reason},
      ${refund.createdAt})`;
}
