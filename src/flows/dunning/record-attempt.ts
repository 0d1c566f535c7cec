import { isOpen } from "../../domain/invoices.ts";
import { assert } from "../../kernel/assert.ts";
import { formatMoney } from "../../kernel/money.ts";
import { CHARGE_MAX } from "../../modules/card-charges/rules.ts";
import { cardsToCharge } from "../../modules/cards/rules.ts";
import { lockCards } from "../../modules/cards/store.ts";
import type { Card } from "../../modules/cards/types.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import { insertAttempt, saveCollection } from "../../modules/dunning/store.ts";
import type { AttemptCause, Collection } from "../../modules/dunning/types.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import { amountDue } from "../../modules/invoices/rules.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { hasPaymentUnderWay } from "../../modules/payments/store/payments.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import { type AskedCharge, recordCharge } from "../card-charges/charge-stored-card.ts";
import { chargingGateway, type NotCharging } from "../card-charges/charging-gateway.ts";
import { type Ctx, isReadOnlyNow } from "../context.ts";
import type { Gateway } from "../gateways/accounts.ts";
import { lockInvoiceForStart } from "../invoices/lock-invoice.ts";
import { paymentOfInvoice } from "../payments/payment-of-invoice.ts";

/** The invoice to collect, and the cause of the attempt. The subscription is locked. */
export interface ToCollect {
  readonly sub: ShownSubscription;
  readonly collection: Collection;
  readonly cause: AttemptCause;
}

/** Why nothing was charged. `no_charge`: no gateway could be asked, which counts as a failed attempt. */
export type NotCharged =
  | { readonly why: "closed" | "under_way" | "not_now" }
  | { readonly why: "no_charge"; readonly refusal: "no_default_card" | NotCharging; readonly reason: string };

/**
 * Records a charge of the stored card for an invoice's amount due, as an attempt to collect it. Records none while
 * another payment of the invoice is under way, the organisation is read-only or its plan allows no more payments. Locks
 * the customer's cards, then as `lockInvoiceForStart`.
 */
export async function recordAttempt(tx: Tx, ctx: Ctx, toCollect: ToCollect): Promise<AskedCharge | NotCharged> {
  const { sub, collection, cause } = toCollect;
  const cards = await lockCards(tx, sub.customer.id);
  const { invoice, limitReached } = await lockInvoiceForStart(tx, ctx, collection.invoiceId);
  if (!invoice || !isOpen(invoice)) return { why: "closed" };
  if (await hasPaymentUnderWay(tx, invoice.id)) return { why: "under_way" };
  if (limitReached || isReadOnlyNow(ctx)) return { why: "not_now" };
  const charged = await chargedCard(tx, ctx, toCollect, { cards, invoice });
  if ("why" in charged) return charged;
  const customer = await findCustomer(tx, sub.customer.id);
  assert(customer, "the customer of a subscription stays");
  const recorded = await recordCharge(tx, ctx, {
    ...charged,
    customer,
    amount: amountDue(invoice),
    currency: invoice.currency,
    description: `${sub.plan.name}, invoice ${invoice.number}`,
    externalReference: sub.externalReference,
    metadata: sub.metadata,
    paymentLinkId: null,
    invoiceId: invoice.id,
    subscription: await paymentOfInvoice(tx, invoice.id),
    by: { kind: "collection" },
  });
  assert(recorded, "a collection holds no external reference");
  insertAttempt(tx, {
    id: newId("att"),
    subscriptionId: sub.id,
    invoiceId: invoice.id,
    cause,
    transactionId: recorded.transaction.id,
    status: "pending",
    reason: null,
    isHard: false,
    createdAt: ctx.now,
  });
  saveCollection(tx, begun(collection, cause));
  return recorded;
}

/** The collection after an attempt with this cause. */
export const begun = (collection: Collection, cause: AttemptCause): Collection => ({
  ...collection,
  retries: collection.retries + (cause === "retry" ? 1 : 0),
  newCardId: cause === "new_card" ? null : collection.newCardId,
});

/**
 * The card to charge, with its gateway: the new default card where that is the cause, else the first of `cardsToCharge` that a gateway
 * charges.
 */
async function chargedCard(
  tx: Tx,
  ctx: Ctx,
  { sub, collection, cause }: ToCollect,
  { cards, invoice }: { readonly cards: readonly Card[]; readonly invoice: Invoice },
): Promise<{ readonly card: Card; readonly gateway: Gateway } | NotCharged> {
  const refused = (refusal: "no_default_card" | NotCharging, reason: string) =>
    ({ why: "no_charge", refusal, reason }) as const;
  if (amountDue(invoice) > CHARGE_MAX)
    return refused(
      "card_not_chargeable",
      `More than ${formatMoney(CHARGE_MAX, invoice.currency)} cannot be charged at once.`,
    );
  const accounts = await listGatewayAccounts(tx);
  const isNew = ({ id, status }: Card) => id === collection.newCardId && status !== "removed";
  const candidates = cause === "new_card" ? cards.filter(isNew) : cardsToCharge(cards, sub.card?.id);
  let why: NotCharging | null = null;
  for (const card of candidates) {
    const gateway = chargingGateway(ctx, card, accounts);
    if (typeof gateway !== "string") return { card, gateway };
    why ??= gateway;
  }
  if (why === null) return refused("no_default_card", "There is no card to charge.");
  return refused(
    why,
    why === "card_not_chargeable" ? "The card cannot be charged any more." : "No enabled gateway charges the card.",
  );
}
