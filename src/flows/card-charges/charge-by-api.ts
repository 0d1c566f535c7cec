import { ApiError, invalid, notFound } from "../../kernel/errors.ts";
import { addDays, calendarDay, type Instant, instant, startOfDay, unixSeconds } from "../../kernel/time.ts";
import { CHARGES_A_DAY, CHARGES_A_MINUTE } from "../../modules/card-charges/rules.ts";
import type { CardChargeCreateBody } from "../../modules/card-charges/schema.ts";
import { chargesUnder, countChargesOn, countChargesSince } from "../../modules/card-charges/store.ts";
import { cardChargeView } from "../../modules/card-charges/view.ts";
import { asOf } from "../../modules/cards/rules.ts";
import { lockCards } from "../../modules/cards/store.ts";
import type { Card } from "../../modules/cards/types.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, DEFAULT_CURRENCY, realTime } from "../context.ts";
import type { Gateway } from "../gateways/accounts.ts";
import { monthlyLimitReachedAtStart } from "../payments/monthly-limit.ts";
import { type AskedCharge, type ChargeWithCard, chargeWithCard, recordCharge } from "./charge-stored-card.ts";
import { chargingGateway } from "./charging-gateway.ts";

/** Stands for the customer's default card in the path (interface 4.11). */
const DEFAULT_CARD = "default";
const MINUTE_SECONDS = 60;

/**
 * Records a charge of a customer's saved card (interface 4.11, POST …/charges); `askToCharge` and `settleCharge`
 * follow. Locks the customer's cards and the organisation's charges. Refuses in the order of interface 4.11: 404 for an
 * unknown customer or card, 400 for an inactive customer, 409 `charge_exists`, `no_default_card`, `card_not_chargeable`
 * and `card_charges_unavailable`, 403 `plan_limit`, 429.
 */
export async function recordApiCharge(
  tx: Tx,
  ctx: Ctx,
  customerId: string,
  cardId: string,
  body: CardChargeCreateBody,
): Promise<ChargeWithCard & AskedCharge> {
  // All statements are sent at once, in this order, in one packet; their results are checked in the order of the
  // refusals.
  const [found, cards, { attempts, holder }, accounts, counts, limitReached] = await Promise.all([
    findCustomer(tx, customerId),
    lockCards(tx, customerId),
    chargesUnder(tx, body.externalReference),
    listGatewayAccounts(tx),
    countCharges(tx, ctx, customerId),
    monthlyLimitReachedAtStart(tx, ctx),
  ]);
  const { customer, card: named } = chargeable(found, cards, cardId);
  if (holder) throw await chargeExists(tx, customer, body.externalReference);
  const card = named ?? refuseWithoutDefault();
  const gateway = gatewayFor(ctx, card, accounts);
  if (limitReached) throw overMonthlyLimit();
  refuseTooMany(ctx, counts);
  const { amount, description, externalReference, metadata } = body;
  const recorded = await recordCharge(tx, ctx, {
    card,
    gateway,
    customer,
    amount,
    currency: DEFAULT_CURRENCY,
    description,
    externalReference,
    metadata: metadata ?? {},
    paymentLinkId: null,
    invoiceId: null,
    by: { kind: "api", reference: externalReference, attempt: attempts + 1 },
  });
  // Another customer's charge with the reference was recorded at the same time.
  if (!recorded) throw await chargeExists(tx, customer, externalReference);
  return recorded;
}

/** The customer, and the card that the path names; null for `default` when there is none. */
function chargeable(
  customer: Customer | null,
  cards: readonly Card[],
  cardId: string,
): { readonly customer: Customer; readonly card: Card | null } {
  if (!customer) throw notFound("customer");
  const byDefault = cardId === DEFAULT_CARD;
  const card = cards.find(({ id, isDefault, status }) =>
    byDefault ? isDefault : id === cardId && status !== "removed",
  );
  if (!card && !byDefault) throw notFound("card");
  if (!customer.active)
    throw invalid("The customer is inactive, so their cards are not charged. Activate the customer first.");
  return { customer, card: card ?? null };
}

/**
 * The error 409 with the charge that has the external reference, or without it when the charge is another customer's.
 */
async function chargeExists(tx: Tx, customer: Customer, externalReference: string): Promise<ApiError> {
  const { holder } = await chargesUnder(tx, externalReference);
  const known = holder?.customerId === customer.id ? await chargeWithCard(tx, holder.transactionId) : null;
  const shown = known ? { charge: cardChargeView(known.charge, known.transaction, known.card) } : {};
  const message = `A pending or successful charge has the externalReference ${externalReference}. Use another one for another charge.`;
  return new ApiError("charge_exists", 409, message, { shown });
}

function refuseWithoutDefault(): never {
  throw new ApiError("no_default_card", 409, "The customer has no default card. Name a card, or make one the default.");
}

function gatewayFor(ctx: Ctx, card: Card, accounts: readonly GatewayAccount[]): Gateway {
  const gateway = chargingGateway(ctx, card, accounts);
  if (gateway === "card_charges_unavailable")
    throw new ApiError(gateway, 409, "No enabled gateway charges this card. Enable one under Settings, Gateways.");
  if (gateway !== "card_not_chargeable") return gateway;
  const { status } = asOf(card, ctx.now);
  const why = status === "active" ? `cards of its network (${card.brand}) cannot be charged` : `it is ${status}`;
  throw new ApiError(gateway, 409, `The card cannot be charged: ${why}. Ask the customer for another card.`);
}

const overMonthlyLimit = (): ApiError =>
  new ApiError("plan_limit", 403, "Your plan allows no more payments this month. Upgrade the plan to take more.");

/** How many charges were made before this one. */
interface ChargeCounts {
  /** The customer's charges of today. */
  readonly ofDay: number;
  /** The organisation's charges through the API in this minute of real time, up to the limit. */
  readonly ofMinute: number;
}

/** The Unix second in which the current minute of real time began. */
const minuteOf = (now: Instant): number => unixSeconds(now) - (unixSeconds(now) % MINUTE_SECONDS);

/**
 * Counts the earlier charges, and locks the organisation's charges. The caller has locked the cards of the customer.
 */
async function countCharges(tx: Tx, ctx: Ctx, customerId: string): Promise<ChargeCounts> {
  const minute = instant(minuteOf(realTime()) * 1000);
  const [ofDay, ofMinute] = await Promise.all([
    countChargesOn(tx, customerId, calendarDay(ctx.now)),
    countChargesSince(tx, minute, CHARGES_A_MINUTE),
  ]);
  return { ofDay, ofMinute };
}

/**
 * Throws 429 beyond the limits of interface 8.2: the charges of a customer in a day, and of the organisation in a
 * minute. A refused charge does not count.
 */
function refuseTooMany(ctx: Ctx, { ofDay, ofMinute }: ChargeCounts): void {
  if (ofDay >= CHARGES_A_DAY)
    throw tooMany(
      `A customer's cards are charged at most ${CHARGES_A_DAY} times a day.`,
      ctx.now,
      startOfDay(addDays(calendarDay(ctx.now), 1)),
    );
  const now = realTime();
  if (ofMinute >= CHARGES_A_MINUTE)
    throw tooMany(
      `Saved cards are charged at most ${CHARGES_A_MINUTE} times a minute.`,
      now,
      instant((minuteOf(now) + MINUTE_SECONDS) * 1000),
    );
}

function tooMany(message: string, now: Instant, until: Instant): ApiError {
  const wait = Math.max(1, unixSeconds(until) - unixSeconds(now));
  return new ApiError("rate_limited", 429, `${message} Wait and try again.`, {
    headers: { "retry-after": String(wait) },
  });
}
