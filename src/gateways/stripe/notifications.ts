import { z } from "zod";
import type { GatewayCall, NotificationReading, RawNotification, VerifiedNotification } from "../contract.ts";
import { isTestOfLive } from "../credentials.ts";
import type { GatewayFact } from "../facts.ts";
import { parsed } from "../json-api.ts";
import { LEFT_OUT_TEST } from "../refusals.ts";
import {
  cardFact,
  disputeFact,
  elsewhereFact,
  failedSession,
  intentFact,
  missedInvoice,
  paidInvoice,
  referenceOf,
  refundFact,
  STORED_CARD,
  sessionFact,
  subscriptionFact,
  subscriptionOf,
} from "./facts.ts";
import { findIntent, findInvoice, findSession, findSubscription, refundsOfIntent } from "./queries.ts";
import { signatureFault } from "./signing.ts";
import * as wire from "./wire.ts";

/**
 * The query to Stripe after a notification, since none holds card or fee. `object` is the notification's, for fields
 * that Stripe's answer lacks.
 */
const Claim = z.object({
  about: z.enum(["session", "intent", "invoice", "dispute", "refund", "charge"]),
  object: z.unknown(),
});
type Claim = z.infer<typeof Claim>;

const UNREAD = "unread";
/** The facts, or the query to Stripe, or that the object has another shape. */
type Read = (
  object: unknown,
  created: number | null | undefined,
  previous: unknown,
) => readonly GatewayFact[] | Claim | typeof UNREAD;

const reading =
  <T>(
    shape: z.ZodType<T>,
    tell: (value: T, created: number | null | undefined) => GatewayFact | Claim["about"] | null,
  ): Read =>
  (object, created) => {
    const read = shape.safeParse(object);
    if (!read.success) return UNREAD;
    const told = tell(read.data, created);
    return typeof told === "string" ? { about: told, object } : told ? [told] : [];
  };

const session = reading(wire.Session, (value) => (value.payment_status === "paid" ? "session" : sessionFact(value)));
const intent = reading(wire.PaymentIntent, (value) => (value.metadata?.reference ? "intent" : null));
const subscription = reading(wire.Subscription, subscriptionFact);
/** A refund without our id was made in Stripe's dashboard. */
const isOurs = ({ metadata }: wire.Refund): boolean => metadata?.refund_id != null;
const refund = reading(wire.Refund, (value) => (isOurs(value) ? refundFact(value) : "refund"));

/** A saved card that was changed at Stripe, by its network or by hand. */
const card =
  (type: string): Read =>
  (object, created, previous) => {
    const former = wire.PreviousCard.safeParse(previous).data?.card.fingerprint ?? null;
    return reading(wire.PaymentMethod, (value) => cardFact(value, type, { at: created, former }))(
      object,
      created,
      null,
    );
  };

/** By type. Those that are not here need no action. */
const EVENTS: ReadonlyMap<string, Read> = new Map<string, Read>([
  ["checkout.session.completed", session],
  ["checkout.session.async_payment_succeeded", session],
  ["checkout.session.async_payment_failed", reading(wire.Session, failedSession)],
  ["checkout.session.expired", reading(wire.Session, sessionFact)],
  ["payment_intent.succeeded", intent],
  [
    "payment_intent.payment_failed",
    // On Stripe's page the payer may try again.
    reading(wire.PaymentIntent, (value) => (value.metadata?.kind === STORED_CARD ? intentFact(value) : null)),
  ],
  [
    "invoice.paid",
    reading(wire.Invoice, (value) => (subscriptionOf(value) && value.amount_paid.amount > 0 ? "invoice" : null)),
  ],
  [
    "invoice.payment_failed",
    reading(wire.Invoice, (value, created) => {
      const id = subscriptionOf(value);
      // The first payment is made on Stripe's page, where the payer may try again.
      return id && value.billing_reason !== "subscription_create" ? missedInvoice(value, id, created) : null;
    }),
  ],
  ["customer.subscription.updated", subscription],
  ["customer.subscription.paused", subscription],
  ["customer.subscription.resumed", subscription],
  ["customer.subscription.deleted", subscription],
  ["payment_method.automatically_updated", card("automatically_updated")],
  ["payment_method.updated", card("updated")],
  ["refund.created", refund],
  ["refund.updated", refund],
  ["refund.failed", refund],
  ["charge.refund.updated", refund],
  [
    "charge.refunded",
    (object) => {
      const charge = wire.RefundedCharge.safeParse(object).data;
      if (!charge) return UNREAD;
      const { data } = charge.refunds ?? {};
      return data?.every(isOurs) ? data.map(refundFact) : { about: "charge", object };
    },
  ],
  ["charge.dispute.created", reading(wire.Dispute, ({ status }) => (status.startsWith("warning_") ? null : "dispute"))],
  // An inquiry that becomes a chargeback is not created again. Each report has the same code and time, so that it is booked once.
  ["charge.dispute.funds_withdrawn", reading(wire.Dispute, () => "dispute")],
  [
    "charge.dispute.closed",
    reading(wire.Dispute, ({ status }) => (status === "won" || status === "lost" ? "dispute" : null)),
  ],
]);

/** The types of events that are read. */
export const EVENT_TYPES: readonly string[] = [...EVENTS.keys()];

/** Checks the signature on the received bytes, then parses the message. */
export function readNotification(
  raw: RawNotification,
  { credentials, mode, machineNow }: GatewayCall,
): NotificationReading {
  const secret = credentials["webhookSecret"] ?? credentials["endpointSecret"] ?? "";
  const fault = signatureFault(secret, raw, machineNow);
  if (fault) return { kind: "refused", reason: fault };
  const event = wire.Event.safeParse(parsed(Buffer.from(raw.rawBody).toString()));
  if (!event.success) return { kind: "refused", reason: "The body is not an event." };
  const { type, created, data, livemode } = event.data;
  if (isTestOfLive({ mode, credentials }, livemode === false)) return LEFT_OUT_TEST;
  const read = EVENTS.get(type)?.(data.object, created, data.previous_attributes) ?? [];
  if (read === UNREAD) return { kind: "unread", event: type, reason: `The object of ${type} cannot be read.` };
  return "about" in read ? { kind: "confirm", claim: JSON.stringify(read) } : { kind: "verified", facts: read };
}

/**
 * Asks Stripe for data that the notification does not hold: card, fee, the next date, the disputed payment. Everything
 * else is taken from the notification, also when Stripe does not know the object, since the notification is verified.
 * Throws `GatewayUnclear` without a clear answer.
 */
export async function confirmNotification(claim: string, call: GatewayCall): Promise<VerifiedNotification> {
  const { about, object } = Claim.parse(JSON.parse(claim));
  return { kind: "verified", facts: await CONFIRMED[about](object, call) };
}

const CONFIRMED: Readonly<Record<Claim["about"], (object: unknown, call: GatewayCall) => Promise<GatewayFact[]>>> = {
  async session(object, call) {
    const told = wire.Session.parse(object);
    const { payment_intent, invoice, subscription } = (await findSession(told.id, call)) ?? told;
    return [sessionFact({ ...told, payment_intent, invoice, subscription })];
  },
  async intent(object, call) {
    const told = wire.PaymentIntent.parse(object);
    const { latest_charge } = (await findIntent(told.id, call)) ?? told;
    return [intentFact({ ...told, latest_charge })];
  },
  async invoice(object, call) {
    const told = wire.Invoice.parse(object);
    const found = (await findInvoice(told.id, call)) ?? told;
    const id = subscriptionOf(found) ?? subscriptionOf(told);
    if (id === null) return [];
    const reference =
      referenceOf(found) ?? referenceOf(told) ?? (await findSubscription(id, call))?.metadata?.reference;
    const { charge, subscription } = found;
    return [paidInvoice({ ...told, charge, subscription }, id, reference ?? null)];
  },
  async refund(object, call) {
    const told = wire.Refund.parse(object);
    const { payment_intent: paid } = told;
    return [elsewhereFact(told, paid && (await findIntent(paid.id, call)))];
  },
  async charge(object, call) {
    const { payment_intent: paid, refunds } = wire.RefundedCharge.parse(object);
    const told = refunds ?? (paid && (await refundsOfIntent(paid.id, call)));
    const intent = paid && (await findIntent(paid.id, call));
    return (told?.data ?? []).map((refund) => (isOurs(refund) ? refundFact(refund) : elsewhereFact(refund, intent)));
  },
  async dispute(object, call) {
    const told = wire.Dispute.parse(object);
    const paid = told.payment_intent;
    return [disputeFact(told, paid && (await findIntent(paid.id, call)))];
  },
};
