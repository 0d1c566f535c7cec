import type { SandboxPayment } from "../../gateways/sandbox/server.ts";
import type { GatewayAccountId } from "../../kernel/ids.ts";
import type { SandboxPaymentRecord } from "../../modules/sandbox-gateway/types.ts";

/** The payment behind its record. */
export const paymentOf = ({ accountId: _, details, ...facts }: SandboxPaymentRecord): SandboxPayment => ({
  // Details of an earlier version say nothing of how a payment settles by itself.
  ending: (details as Partial<SandboxPayment>).ending ?? null,
  ...(details as Omit<SandboxPayment, keyof typeof facts | "ending">),
  ...facts,
});

/** The record of a payment of the account. */
export function recordOf(accountId: GatewayAccountId, payment: SandboxPayment): SandboxPaymentRecord {
  const {
    id,
    kind,
    checkoutId,
    reference,
    amount,
    currency,
    status,
    fee,
    settlesAt,
    createdAt,
    decidedAt,
    ...details
  } = payment;
  const facts = { id, kind, checkoutId, reference, amount, currency, status, fee, settlesAt, createdAt, decidedAt };
  return { ...facts, accountId, details };
}
