import { notFound } from "../../kernel/errors.ts";
import { deactivatePaymentLink, lockPaymentLink } from "../../modules/payment-links/store.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import type { Tx } from "../../platform/database.ts";

/**
 * Deactivates a link (interface 3.2): no new payment can start, but one that has started can complete. A link that is inactive is
 * not changed. Locks the link. Throws 404.
 */
export async function deactivateLink(tx: Tx, id: string): Promise<{ before: PaymentLink; after: PaymentLink }> {
  const before = await lockPaymentLink(tx, id);
  if (!before) throw notFound("payment link");
  if (before.active) deactivatePaymentLink(tx, before.id);
  return { before, after: { ...before, active: false } };
}
