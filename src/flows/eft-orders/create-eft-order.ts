import { invalid, invalidField } from "../../kernel/errors.ts";
import { addSeconds, DAY_SECONDS } from "../../kernel/time.ts";
import { EXPIRY_DAYS } from "../../modules/eft-orders/rules.ts";
import type { EftOrderCreateBody } from "../../modules/eft-orders/schema.ts";
import { openOrderOfReference, serialiseOrders } from "../../modules/eft-orders/store.ts";
import type { EftOrderRecord } from "../../modules/eft-orders/types.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import type { Tx } from "../../platform/database.ts";
import { checkExpiresAt } from "../check-expires-at.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import { identifiedCustomer } from "../customers/identified-customer.ts";
import { manualTransferAccounts } from "../gateways/accounts.ts";
import { mailEftDetails } from "./eft-mails.ts";
import { openEftOrder } from "./open-eft-order.ts";

/**
 * Creates an EFT order (interface 4.9, POST /eft-orders). An open order with the same externalReference is returned
 * unchanged, and no mail is sent; when two calls run at once, one of them creates it, since both lock the reference.
 * Throws 400 `invalid_request`, also when the open order has another amount or currency.
 */
export async function createEftOrder(
  tx: Tx,
  ctx: Ctx,
  body: EftOrderCreateBody,
): Promise<{ order: EftOrderRecord; created: boolean }> {
  const currency = body.currency ?? DEFAULT_CURRENCY;
  checkExpiresAt(ctx, body.expiresAt);
  if (body.externalReference) serialiseOrders(tx, body.externalReference);
  const [customer, open, accounts] = await Promise.all([
    identifiedCustomer(tx, body.customer, "customer"),
    body.externalReference ? openOrderOfReference(tx, body.externalReference, ctx.now) : null,
    listGatewayAccounts(tx),
  ]);
  if (body.notifyPayer && !customer?.email)
    throw invalidField(["notifyPayer"], "notifyPayer needs a customer with an email address.");
  if (open) return { order: sameOrder(open, body, currency), created: false };
  const [account] = manualTransferAccounts(accounts, currency);
  if (!account)
    throw invalidField(
      ["currency"],
      `No enabled Manual EFT gateway takes ${currency}. Add one under Settings, Gateways, or use another currency.`,
    );
  const order = await openEftOrder(tx, ctx, account, {
    amount: body.amount,
    currency,
    description: body.description || null,
    externalReference: body.externalReference,
    metadata: body.metadata ?? {},
    customerId: customer?.id ?? null,
    paymentLinkId: null,
    payerEmail: customer?.email ?? null,
    expiresAt: body.expiresAt ?? addSeconds(ctx.now, EXPIRY_DAYS * DAY_SECONDS),
    invoiceId: null,
  });
  if (body.notifyPayer) await mailEftDetails(tx, ctx, order);
  const short = customer && { id: customer.id, externalReference: customer.externalReference };
  return { order: { ...order, customer: short, proofs: [] }, created: true };
}

function sameOrder(open: EftOrderRecord, { amount }: EftOrderCreateBody, currency: string): EftOrderRecord {
  if (open.amount === amount && open.currency === currency) return open;
  throw invalid(
    "An open EFT order has this externalReference and another amount or currency. Cancel it first, or use another externalReference.",
  );
}
