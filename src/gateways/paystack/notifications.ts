import { z } from "zod";
import type { GatewayCall, NotificationReading, RawNotification, VerifiedNotification } from "../contract.ts";
import { isTestOfLive } from "../credentials.ts";
import type { GatewayFact, RefundFact } from "../facts.ts";
import { GatewayUnclear } from "../http.ts";
import { parsed } from "../json-api.ts";
import { LEFT_OUT_TEST } from "../refusals.ts";
import {
  listedRefund,
  missedCollection,
  openDispute,
  paymentFact,
  refundEventFact,
  resolvedDispute,
  subscriptionFact,
} from "./facts.ts";
import { findSubscription, refundsOfTransaction, verifyTransaction } from "./queries.ts";
import { signatureFault } from "./signing.ts";
import * as wire from "./wire.ts";

/** The facts of an event's data; null when the data have another shape. */
type ReadData = (data: unknown) => readonly GatewayFact[] | null;

/** Reads data of the given shape, and passes it to `tell`, which answers the fact; a null from it means no facts. */
const reading =
  <T>(shape: z.ZodType<T>, tell: (data: T) => GatewayFact | null): ReadData =>
  (data) => {
    const read = shape.safeParse(data);
    if (!read.success) return null;
    const fact = tell(read.data);
    return fact ? [fact] : [];
  };

const subscription = (status?: string): ReadData =>
  reading(wire.SubscriptionData, (news) => subscriptionFact(news, status ?? news.status));

/** By event. Those that are not here need no action. */
const EVENTS: ReadonlyMap<string, ReadData> = new Map([
  ["charge.success", reading(wire.ChargeData, paymentFact)],
  ["subscription.create", subscription()],
  ["subscription.not_renew", subscription("non-renewing")],
  ["subscription.disable", subscription("cancelled")],
  ["charge.dispute.create", reading(wire.DisputeData, openDispute)],
  ["charge.dispute.remind", reading(wire.DisputeData, openDispute)],
  ["charge.dispute.resolve", reading(wire.DisputeData, resolvedDispute)],
]);

/** The events about a collection that name neither plan nor currency, so that Paystack is asked about them. */
const ABOUT_INVOICES = new Set(["invoice.payment_failed", "invoice.update"]);

/**
 * The events about a refund, which seldom name it: Paystack is asked for the refunds of its payment. The status is the
 * event's own.
 */
const ABOUT_REFUNDS: ReadonlyMap<string, string> = new Map(
  ["pending", "processing", "processed", "failed", "needs-attention"].map((status) => [`refund.${status}`, status]),
);

const InvoiceClaim = z.object({ missed: z.boolean(), invoice: wire.InvoiceData });
const RefundClaim = z.object({ status: z.string(), refund: wire.RefundData });
const Claim = z.union([InvoiceClaim, RefundClaim]);

const unread = (event: string): NotificationReading => ({
  kind: "unread",
  event,
  reason: `The data of ${event} cannot be read.`,
});

/** Checks the signature on the received bytes, then parses the message. */
export function readNotification(raw: RawNotification, { credentials, mode }: GatewayCall): NotificationReading {
  const fault = signatureFault(credentials["secretKey"] ?? "", raw);
  if (fault) return { kind: "refused", reason: fault };
  const notification = wire.Notification.safeParse(parsed(Buffer.from(raw.rawBody).toString()));
  if (!notification.success) return { kind: "refused", reason: "The body is not a notification." };
  const { event, data } = notification.data;
  if (isTestOfLive({ mode, credentials }, wire.Domain.safeParse(data).data?.domain === "test")) return LEFT_OUT_TEST;
  if (ABOUT_INVOICES.has(event)) return invoiceClaim(event, data);
  const status = ABOUT_REFUNDS.get(event);
  if (status !== undefined) return refundClaim(event, status, data);
  const read = EVENTS.get(event);
  const facts = read ? read(data) : [];
  return facts ? { kind: "verified", facts } : unread(event);
}

/** An invoice that was neither paid nor failed needs no action. */
function invoiceClaim(event: string, data: unknown): NotificationReading {
  const read = wire.InvoiceData.safeParse(data);
  if (!read.success) return unread(event);
  const missed = event === "invoice.payment_failed";
  if (!missed && !read.data.paid) return { kind: "verified", facts: [] };
  return { kind: "confirm", claim: JSON.stringify({ missed, invoice: read.data }) };
}

function refundClaim(event: string, status: string, data: unknown): NotificationReading {
  const read = wire.RefundData.safeParse(data);
  if (!read.success) return unread(event);
  return { kind: "confirm", claim: JSON.stringify({ status, refund: read.data }) };
}

/**
 * Asks Paystack for what an event about an invoice or a refund does not name. Throws `GatewayUnclear` without a clear
 * answer about an invoice.
 */
export async function confirmNotification(claim: string, call: GatewayCall): Promise<VerifiedNotification> {
  const told = Claim.parse(JSON.parse(claim));
  if ("invoice" in told) return confirmInvoice(told, call);
  return { kind: "verified", facts: await unlessUnclear(() => refundFacts(told, call), [refundEvent(told)]) };
}

const refundEvent = ({ refund, status }: z.infer<typeof RefundClaim>): RefundFact => refundEventFact(refund, status);

/**
 * The refunds of the payment that an event names, as Paystack lists them, and what the event says of the one among them
 * that it is about. Without a list the event counts as it is.
 */
async function refundFacts(told: z.infer<typeof RefundClaim>, call: GatewayCall): Promise<readonly RefundFact[]> {
  const event = refundEvent(told);
  const payment = await verifyTransaction(told.refund.transaction_reference, call);
  const id = payment?.providerRef ?? null;
  const listed = id === null ? null : await refundsOfTransaction(id, call);
  if (id === null || !listed) return [event];
  const facts = listed.map((refund) => listedRefund(refund, { reference: told.refund.transaction_reference, id }));
  const about = facts.filter(({ providerRefundRef, amount }) =>
    event.providerRefundRef === null
      ? event.amount === null || amount === event.amount
      : providerRefundRef === event.providerRefundRef,
  );
  const [one, ...others] = about;
  if (others.length > 0) return facts;
  const { refundId = null, providerRefundRef = event.providerRefundRef } = one ?? {};
  return [...facts, { ...event, refundId, providerRefundRef, paymentRef: id }];
}

/** The answer, or what counts without a clear one. */
async function unlessUnclear<T>(ask: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof GatewayUnclear) return otherwise;
    throw error;
  }
}

/**
 * Asks which plan the subscription of an invoice has, which is its key, and for one that was paid which transaction
 * paid it. Throws `GatewayUnclear` without a clear answer.
 */
async function confirmInvoice(
  { missed, invoice }: z.infer<typeof InvoiceClaim>,
  call: GatewayCall,
): Promise<VerifiedNotification> {
  const found = await findSubscription(invoice.subscription.subscription_code, call);
  const standing = found && subscriptionFact(found);
  if (!standing) throw new GatewayUnclear("Paystack: a subscription of which it gives no plan");
  const link = standing.subscription;
  if (missed) return { kind: "verified", facts: [missedCollection(invoice, link)] };
  const reference = invoice.transaction?.reference;
  if (!reference) return { kind: "verified", facts: [] };
  const payment = await verifyTransaction(reference, call);
  if (!payment) throw new GatewayUnclear("Paystack: a paid invoice whose transaction it does not know");
  return { kind: "verified", facts: [{ ...payment, subscription: link }] };
}
