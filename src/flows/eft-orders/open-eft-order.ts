import { withFreeName } from "../../domain/free-name.ts";
import { newEftReference } from "../../domain/new-references.ts";
import type { InvoiceId } from "../../kernel/ids.ts";
import { EFT_EXPIRE, EFT_REMIND } from "../../modules/eft-orders/declarations.ts";
import { reminderAt } from "../../modules/eft-orders/rules.ts";
import { insertEftOrder } from "../../modules/eft-orders/store.ts";
import type { EftOrder } from "../../modules/eft-orders/types.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import { newTransaction } from "../../modules/payments/rules.ts";
import { insertTransaction } from "../../modules/payments/store/payments.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { isSandboxPayment } from "../gateways/accounts.ts";

/** The fields of a new order that its caller chooses. */
export type EftOrderTerms = Pick<
  EftOrder,
  | "amount"
  | "currency"
  | "description"
  | "externalReference"
  | "metadata"
  | "customerId"
  | "paymentLinkId"
  | "payerEmail"
  | "expiresAt"
> & {
  /** The invoice that the transfer pays; its transaction is then of type `invoice` (interface 2.7). */
  readonly invoiceId: InvoiceId | null;
};

/**
 * Inserts an order and its pending transaction with the same reference, and enqueues the order's reminder and expiry.
 * No gateway is asked about the transaction: staff approve the order when the money has arrived.
 */
export async function openEftOrder(tx: Tx, ctx: Ctx, account: GatewayAccount, terms: EftOrderTerms): Promise<EftOrder> {
  const { invoiceId, ...given } = terms;
  const order = await insertWithReference(tx, {
    ...given,
    id: newId("eft"),
    status: "awaiting_payment",
    gatewayAccountId: account.id,
    rejectionReason: null,
    remindedAt: null,
    reviewedAt: null,
    paidAt: null,
    createdAt: ctx.now,
  });
  const payment = newTransaction({
    id: newId("txn"),
    reference: order.reference,
    amount: order.amount,
    currency: order.currency,
    type: invoiceId === null ? "eft" : "invoice",
    gatewayAccountId: account.id,
    gatewayType: account.type,
    sandbox: isSandboxPayment(ctx.organisation, account),
    description: order.description,
    payerEmail: order.payerEmail,
    paymentLinkId: order.paymentLinkId,
    invoiceId,
    eftOrderId: order.id,
    customerId: order.customerId,
    externalReference: order.externalReference,
    metadata: order.metadata,
    createdAt: ctx.now,
  });
  insertTransaction(tx, payment);
  const reminder = reminderAt(order);
  if (reminder) enqueue(tx, EFT_REMIND, order.id, reminder);
  enqueue(tx, EFT_EXPIRE, order.id, order.expiresAt);
  return order;
}

/**
 * When a random reference of eight characters is taken, another one is drawn. No other payment's reference has this
 * prefix.
 */
const insertWithReference = (tx: Tx, order: Omit<EftOrder, "reference">): Promise<EftOrder> =>
  withFreeName(async () => {
    const named = { ...order, reference: newEftReference() };
    return (await insertEftOrder(tx, named)) ? named : null;
  });
