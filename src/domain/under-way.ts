import { type Part, part, type Tx } from "../platform/database.ts";

/**
 * Condition: the payment `t` is under way, so that its invoice is not collected in another way. That of an EFT order
 * that has expired is not: it stays pending for good, since staff may still approve a late transfer (interface 3.10,
 * decisions.md#expired-eft-orders-are-not-under-way).
 */
export const isUnderWay = (tx: Tx): Part => part`
  t.status = 'pending' and not exists (
    select from eft_orders o where o.organisation_id = ${tx.organisation} and o.id = t.eft_order_id and o.status = 'expired')`;

/** Condition: a payment of this invoice is under way. */
export const isBeingPaid = (tx: Tx, invoice: Part): Part => part`
  exists (select from transactions t where t.organisation_id = ${tx.organisation} and t.invoice_id = ${invoice} and ${isUnderWay(tx)})`;
