import { assert } from "../../kernel/assert.ts";
import type { Cents } from "../../kernel/money.ts";
import { calendarDay } from "../../kernel/time.ts";
import { CHARGES_A_DAY } from "../../modules/card-charges/rules.ts";
import { countChargesOn } from "../../modules/card-charges/store.ts";
import { lockCards } from "../../modules/cards/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import { type AskedCharge, chargeStoredCard, recordCharge } from "../card-charges/charge-stored-card.ts";
import { chargingGateway } from "../card-charges/charging-gateway.ts";
import type { NotPaidByCard } from "../card-charges/pay-link-by-card.ts";
import type { Ctx } from "../context.ts";
import { paymentOfInvoice } from "../payments/payment-of-invoice.ts";
import type { Services } from "../services.ts";
import {
  type CheckoutRequest,
  type Chosen,
  chosenOn,
  closed,
  isOverQuota,
  type NoAttempt,
  noteAttempt,
  payingOf,
  subscribe,
} from "./choose.ts";
import { identifyPayer, type NamedSession, type PayerDetails } from "./identify-payer.ts";
import type { CheckoutAsked } from "./read-checkout.ts";
import { takesSavedCard } from "./saved-cards.ts";

/** Why a checkout was not paid by saved card. */
export type NotCheckedOutByCard = NoAttempt | Exclude<NotPaidByCard, { readonly kind: "unavailable" }>;

/** What the payer has confirmed: the card and the amount in cents. */
interface Confirmed {
  readonly cardId: string;
  readonly amount: Cents;
}

/**
 * Prepares a checkout that the signed-in customer pays by saved card (interface 4.11, 4.12): stores the payer and their
 * choice, and subscribes to a plan, whose invoice then gives the amount to pay. Throws as `checkOut`. Locks the
 * session, then as `identifyPayer` and `subscribe`.
 */
export async function prepareForCard(
  services: Services,
  ctx: Ctx,
  asked: CheckoutAsked,
  payer: { readonly session: NamedSession; readonly details: PayerDetails },
  cardId: string,
  couponCode: string | null,
): Promise<NotCheckedOutByCard | "to_pay"> {
  const { session, details } = payer;
  const { organisation } = ctx;
  const chosen = { planId: session.planId, couponCode };
  const { customer, session: used } = await services.db.transaction(organisation.id, (tx) =>
    identifyPayer(tx, ctx, session, details, chosen),
  );
  if (!customer) return closed(used);
  const wanted = { asked, sessionId: session.id, customer, couponCode };
  return services.db.transaction(organisation.id, (tx) =>
    byCardOn(tx, ctx, wanted, cardId, async (now) => (session.packageId === null ? "to_pay" : subscribe(tx, ctx, now))),
  );
}

/**
 * Charges a saved card of the signed-in customer for the prepared checkout. What they saw is checked again under the
 * locks, so that exactly the confirmed amount is charged. Locks the session, the coupon, a plan's subscription, the
 * customer's cards and the payment starts. Throws 400 at `couponCode`.
 */
export const checkOutByCard = (
  services: Services,
  ctx: Ctx,
  wanted: CheckoutRequest,
  confirmed: Confirmed,
): Promise<Transaction | NotCheckedOutByCard> =>
  chargeStoredCard(services, ctx, (tx) =>
    byCardOn(tx, ctx, wanted, confirmed.cardId, (chosen) => record(tx, ctx, chosen, confirmed)),
  );

/** Like `chosenOn`, when the card may pay the choice. */
const byCardOn = <Done>(
  tx: Tx,
  ctx: Ctx,
  wanted: CheckoutRequest,
  cardId: string,
  goOn: (chosen: Chosen) => Promise<Done>,
): Promise<Done | NotCheckedOutByCard> =>
  chosenOn(tx, ctx, wanted, async (chosen): Promise<Done | NotCheckedOutByCard> => {
    const { offer, customer, facts } = chosen;
    if (facts.underWay) return { kind: "under_way", reference: facts.underWay.reference };
    const isOffered = facts.customer?.id === customer.id && facts.savedCards.some(({ id }) => id === cardId);
    if (!isOffered || !takesSavedCard(offer)) return { kind: "not_offered" };
    return (await hasUsedUp(tx, ctx, customer)) ? { kind: "too_many" } : goOn(chosen);
  });

const hasUsedUp = async (tx: Tx, { now }: Ctx, { id }: Customer): Promise<boolean> =>
  (await countChargesOn(tx, id, calendarDay(now))) >= CHARGES_A_DAY;

/** Records the charge, once the customer's cards are locked. */
async function record(
  tx: Tx,
  ctx: Ctx,
  chosen: Chosen,
  { cardId, amount }: Confirmed,
): Promise<AskedCharge | NotCheckedOutByCard> {
  const { session, customer, offer, title } = chosen;
  const paying = await payingOf(tx, ctx, chosen);
  if (!paying || session.customerId !== customer.id) return { kind: "not_offered" };
  const { invoiceId } = paying;
  if (paying.amount !== amount) return { kind: "amount_changed" };
  const card = (await lockCards(tx, customer.id)).find(({ id }) => id === cardId);
  if (await isOverQuota(tx, ctx, chosen, paying)) return { kind: "unavailable", why: "quota" };
  const gateway = card && chargingGateway(ctx, card, await listGatewayAccounts(tx));
  if (!card || !gateway || typeof gateway === "string") return { kind: "not_offered" };
  if (await hasUsedUp(tx, ctx, customer)) return { kind: "too_many" };
  const recorded = await recordCharge(tx, ctx, {
    card,
    gateway,
    customer,
    amount,
    currency: offer.currency,
    description: title,
    externalReference: null,
    metadata: session.metadata,
    paymentLinkId: null,
    invoiceId,
    subscription: invoiceId ? await paymentOfInvoice(tx, invoiceId) : {},
    by: { kind: "page" },
  });
  assert(recorded, "a charge from a page holds no external reference");
  await noteAttempt(tx, ctx, chosen, { id: recorded.transaction.id, customerId: customer.id, paying });
  return recorded;
}
