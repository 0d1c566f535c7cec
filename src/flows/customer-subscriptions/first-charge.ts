import { addDays, type CalendarDay, calendarDay, startOfDay } from "../../kernel/time.ts";
import { CUSTOMER_SUBSCRIPTION_BILL } from "../../modules/customer-subscriptions/declarations.ts";
import { withStatus } from "../../modules/customer-subscriptions/states.ts";
import { saveCustomerSubscription } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { findInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { hasPaymentUnderWay } from "../../modules/payments/store/payments.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { cancelInvoice } from "../invoices/cancel-invoice.ts";
import { appendSubscriptionEvent, takeBackWork } from "./apply-outcome.ts";
import { settleCredits } from "./cancel-invoice-of-subscription.ts";
import { SUBSCRIPTION_ACTIVATED, SUBSCRIPTION_CANCELLED, SUBSCRIPTION_EXPIRED } from "./declarations.ts";

const INVOICE_CANCELLED = "The invoice of its first charge was cancelled.";
/** The minimum number of days in which a first charge can be paid, however short its period is. */
const DAYS_TO_PAY = 7;

/**
 * Makes a `pending` subscription active once the invoice of its first charge is paid (interface 16.14), by whatever
 * means; returns any other one unchanged. No other payment activates a subscription: a hosted checkout starts a payment
 * of that invoice, with `paymentOfInvoice`, and `startsSubscription` for its gateway, so that the payment's card is
 * saved too (`subscriptionPurpose`). `pending` was just read, and is locked.
 */
export async function firstChargePaid(tx: Tx, ctx: Ctx, pending: ShownSubscription): Promise<ShownSubscription> {
  const { status, openInvoice, lastInvoice } = pending;
  if (status !== "pending" || openInvoice || lastInvoice?.status !== "paid") return pending;
  const active: ShownSubscription = { ...pending, status: "active", updatedAt: ctx.now };
  saveCustomerSubscription(tx, active);
  appendSubscriptionEvent(tx, ctx, SUBSCRIPTION_ACTIVATED, active, await findInvoice(tx, lastInvoice.id));
  if (active.nextDue !== null) enqueue(tx, CUSTOMER_SUBSCRIPTION_BILL, active.id, startOfDay(active.nextDue));
  return active;
}

/**
 * Ends a `pending` subscription whose first charge can no longer be paid: it is cancelled when its invoice was, and
 * expires, with its invoice cancelled, when nobody paid until its period was over
 * (decisions.md#unpaid-first-charges-end). While a payment is under way, it is checked again the next day. The caller
 * has locked the subscription. Locks as `cancelInvoice`.
 */
export async function endUnpaid(tx: Tx, ctx: Ctx, pending: ShownSubscription): Promise<ShownSubscription> {
  const today = calendarDay(ctx.now);
  const { openInvoice } = pending;
  if (!openInvoice && pending.lastInvoice?.status === "cancelled")
    return ended(tx, ctx, { ...withStatus(pending, "cancelled", ctx.now), cancelReason: INVOICE_CANCELLED }, null);
  const paying = openInvoice !== null && (await hasPaymentUnderWay(tx, openInvoice.id));
  const from = payableUntil(pending);
  if (paying || from === null || today < from) {
    enqueue(tx, CUSTOMER_SUBSCRIPTION_BILL, pending.id, startOfDay(from && today < from ? from : addDays(today, 1)));
    return pending;
  }
  const cancelled = openInvoice && (await cancelInvoice(tx, ctx, openInvoice.id, "It was not paid in time."));
  const settled = cancelled ? await settleCredits(tx, ctx, pending, cancelled) : pending;
  const expired = { ...withStatus(settled, "expired", ctx.now), openInvoice: null };
  return ended(tx, ctx, expired, cancelled?.after ?? null);
}

/** Saves the ended subscription, and appends its event. */
function ended(tx: Tx, ctx: Ctx, of: ShownSubscription, invoice: Invoice | null): ShownSubscription {
  const after = { ...of, nextDue: null, updatedAt: ctx.now };
  saveCustomerSubscription(tx, after);
  takeBackWork(tx, [{ before: of, after }]);
  const event = after.status === "expired" ? SUBSCRIPTION_EXPIRED : SUBSCRIPTION_CANCELLED;
  appendSubscriptionEvent(tx, ctx, event, after, invoice);
  return after;
}

/** The first day on which a first charge can no longer be paid. */
function payableUntil({ state: { period } }: ShownSubscription): CalendarDay | null {
  if (!period) return null;
  const atLeast = addDays(period.start, DAYS_TO_PAY);
  const isShort = period.next < atLeast;
  return isShort ? atLeast : period.next;
}
