import { assert } from "../../kernel/assert.ts";
import type { PaymentLinkId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import { calendarDay, secondsBetween } from "../../kernel/time.ts";
import { CHARGES_A_DAY } from "../../modules/card-charges/rules.ts";
import { countChargesOn } from "../../modules/card-charges/store.ts";
import { lockCards } from "../../modules/cards/store.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import type { Unavailable } from "../../modules/payment-links/rules.ts";
import { findPaymentLink, lockPaymentLink } from "../../modules/payment-links/store.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import { findPendingCharge } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { payabilityAtStart } from "../payments/payability.ts";
import { paymentOfInvoice } from "../payments/payment-of-invoice.ts";
import { signedInCustomer } from "../portal-access/portal-session.ts";
import type { Services } from "../services.ts";
import { type AskedCharge, chargeStoredCard, recordCharge } from "./charge-stored-card.ts";
import { chargingGateway } from "./charging-gateway.ts";
import { offeredOnLink } from "./saved-cards-of-link.ts";

/** Why a link was not paid by saved card. */
export type NotPaidByCard =
  | { readonly kind: "unavailable"; readonly why: Unavailable }
  | { readonly kind: "not_offered" | "amount_changed" | "too_many" }
  /** An earlier charge of a saved card for the same purpose is pending: its bank has not answered. */
  | { readonly kind: "under_way"; readonly reference: string };

/** What the payer has confirmed: the card and the amount in cents. */
export interface ConfirmedCard {
  readonly cardId: string;
  readonly amount: Cents;
  /** The token of the payer's portal session, not verified; empty without one. */
  readonly session: string;
}

/**
 * Charges a saved card of the link's customer for the amount of the link (interface 4.11), or for a part of the
 * invoice's balance where parts may be paid. What the payer saw is checked again under the locks, so that exactly the
 * confirmed amount is charged. Locks the customer's cards, the link and the payment starts.
 */
export const payLinkByCard = (
  services: Services,
  ctx: Ctx,
  linkId: PaymentLinkId,
  confirmed: ConfirmedCard,
): Promise<Transaction | NotPaidByCard> => chargeStoredCard(services, ctx, (tx) => record(tx, ctx, linkId, confirmed));

async function record(
  tx: Tx,
  ctx: Ctx,
  linkId: PaymentLinkId,
  { cardId, amount, session }: ConfirmedCard,
): Promise<AskedCharge | NotPaidByCard> {
  const customerId = (await findPaymentLink(tx, linkId))?.customerId;
  const customer = customerId && (await findCustomer(tx, customerId));
  if (!customer) return { kind: "not_offered" };
  const cards = await lockCards(tx, customer.id);
  const link = await lockPaymentLink(tx, linkId);
  if (!link) return { kind: "not_offered" };
  const payable = await payabilityAtStart(tx, ctx, link);
  if (payable.unavailable) return { kind: "unavailable", why: payable.unavailable };
  const earlier = await chargeUnderWay(tx, ctx, link);
  if (earlier) return { kind: "under_way", reference: earlier.reference };
  const signedIn = await signedInCustomer(tx, ctx, session);
  const offered = await offeredOnLink(tx, ctx, { link, amount, cards, signedIn });
  const card = offered.cards.find(({ id }) => id === cardId);
  const gateway = card && chargingGateway(ctx, card, await listGatewayAccounts(tx));
  if (!card || !gateway || typeof gateway === "string") return { kind: "not_offered" };
  if (link.collectsBalance ? amount > payable.amount : amount !== payable.amount) return { kind: "amount_changed" };
  if ((await countChargesOn(tx, customer.id, calendarDay(ctx.now))) >= CHARGES_A_DAY) return { kind: "too_many" };
  const recorded = await recordCharge(tx, ctx, {
    card,
    gateway,
    customer,
    amount,
    currency: link.currency,
    description: link.title,
    externalReference: link.externalReference,
    metadata: link.metadata,
    paymentLinkId: link.id,
    invoiceId: link.invoiceId,
    subscription: link.invoiceId ? await paymentOfInvoice(tx, link.invoiceId) : {},
    by: { kind: "page" },
  });
  assert(recorded, "a charge from a page holds no external reference");
  return recorded;
}

/**
 * A charge through a link of many uses within this time counts as a second submission of its form; a later one is
 * another payment.
 */
const SAME_FORM_SECONDS = 600;

/**
 * The pending charge of a saved card for the link: through the link, or for its invoice. For a link that may be paid
 * often, only one that was started within `SAME_FORM_SECONDS`.
 */
export async function chargeUnderWay(
  tx: Tx,
  { now }: Pick<Ctx, "now">,
  { id, singleUse, invoiceId }: Pick<PaymentLink, "id" | "singleUse" | "invoiceId">,
): Promise<Transaction | null> {
  const charge = await findPendingCharge(tx, { linkId: id, invoiceId });
  if (!charge || singleUse || invoiceId) return charge;
  return secondsBetween(charge.createdAt, now) < SAME_FORM_SECONDS ? charge : null;
}
