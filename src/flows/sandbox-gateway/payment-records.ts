import type { SandboxPayment } from "../../gateways/sandbox/server.ts";
import type { GatewayAccountId } from "../../kernel/ids.ts";
import type { SandboxPaymentRecord } from "../../modules/sandbox-gateway/types.ts";

/** The payment of a stored record. */
export const paymentOf = ({ accountId: _, details, ...facts }: SandboxPaymentRecord): SandboxPayment => ({
  // Details that an earlier version stored have no `ending`.
  ending: (details as Partial<SandboxPayment>).ending ?? null,
  ...(details as Omit<SandboxPayment, keyof typeof facts | "ending">),
  ...facts,
});

/** The record that stores a payment of the account. */
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
