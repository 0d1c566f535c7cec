import type { Frequency } from "../../kernel/frequency.ts";
import { MONTHS } from "../../kernel/frequency.ts";
import { boundary } from "../../kernel/periods.ts";
import { truncate } from "../../kernel/text.ts";
import { addDays, addSeconds, type CalendarDay, calendarDay, startOfDay, unixSeconds } from "../../kernel/time.ts";
import type {
  CheckoutAbility,
  GatewayCall,
  PaymentIdentity,
  StartedPayment,
  StartPaymentRequest,
} from "../contract.ts";
import type { PaymentFact } from "../facts.ts";
import { ask } from "./client.ts";
import { intentFact, paidInvoice, referenceOf, sessionFact, subscriptionOf } from "./facts.ts";
import type { FormFields } from "./form.ts";
import { findIntent, findInvoice, findSession } from "./queries.ts";
import * as wire from "./wire.ts";

/** Of a product's name. */
const NAME_CHARACTERS = 250;

/** The price of one line. */
const priceOf = (currency: string, amount: number, name: string, frequency: Frequency | null): FormFields => ({
  quantity: 1,
  price_data: {
    currency: currency.toLowerCase(),
    unit_amount: amount,
    product_data: { name: truncate(name, NAME_CHARACTERS) },
    ...(frequency ? { recurring: recurringOf(frequency) } : {}),
  },
});

/** Stripe's name of a period. */
const recurringOf = (frequency: Frequency): FormFields =>
  frequency === "annually"
    ? { interval: "year", interval_count: 1 }
    : { interval: "month", interval_count: MONTHS[frequency] };

/** The time of a collection: in the morning of the day, so that Stripe's dashboard shows the same day in every relevant zone. */
export const collectionTime = (day: CalendarDay): number => unixSeconds(addSeconds(startOfDay(day), 8 * 3600));

/** Stripe accepts the end of a trial from two days ahead on. */
const EARLIEST_DAYS = 3;

/**
 * Lines and terms of a payment that starts a subscription. When it starts at its own amount and date, there is one
 * line; when the first amount is higher, the difference is a second line; when it is lower, or the date differs, the
 * first payment is separate and a trial lasts until the date.
 */
function subscriptionFields(
  { amount, currency, description, reference }: StartPaymentRequest,
  { amount: later, frequency, nextChargeOn }: NonNullable<StartPaymentRequest["recurring"]>,
  call: GatewayCall,
): FormFields {
  const regular = priceOf(currency, later, description, frequency);
  const metadata = { reference };
  const more = amount - later;
  if (nextChargeOn === null && more >= 0) {
    const extra = more > 0 ? [priceOf(currency, more, `${description}, first payment`, null)] : [];
    return { line_items: [regular, ...extra], subscription_data: { metadata } };
  }
  const today = calendarDay(call.now);
  const [asked, earliest] = [nextChargeOn ?? boundary(today, frequency, 1), addDays(today, EARLIEST_DAYS)];
  const [, from = asked] = [asked, earliest].toSorted();
  return {
    line_items: [regular, priceOf(currency, amount, description, null)],
    subscription_data: { metadata, trial_end: collectionTime(from) },
  };
}

async function start(request: StartPaymentRequest, call: GatewayCall): Promise<StartedPayment> {
  const { reference, amount, currency, description, payer, returnUrl, cancelUrl, recurring, saveCard } = request;
  const once: FormFields = {
    line_items: [priceOf(currency, amount, description, null)],
    payment_intent_data: {
      description: truncate(description, NAME_CHARACTERS),
      metadata: { reference },
      ...(saveCard ? { setup_future_usage: "off_session" } : {}),
    },
    ...(saveCard ? { customer_creation: "always" } : {}),
  };
  const fields: FormFields = {
    mode: recurring ? "subscription" : "payment",
    ...(recurring ? subscriptionFields(request, recurring, call) : once),
    success_url: returnUrl,
    cancel_url: cancelUrl,
    client_reference_id: reference,
    metadata: { reference },
    customer_email: payer.email ?? undefined,
    // Without it Stripe may ask for another amount, in the payer's own currency.
    adaptive_pricing: { enabled: false },
    // Only a card can be charged again.
    ...(saveCard || recurring ? { payment_method_types: ["card"] } : {}),
  };
  const post = { method: "POST", path: "/checkout/sessions", fields, idempotencyKey: reference } as const;
  const answer = await ask(call, post, wire.NewSession);
  if (answer.kind === "answer") return { kind: "redirect", url: answer.value.url, checkoutRef: answer.value.id };
  return { kind: "refused", reason: answer.kind === "refused" ? answer.reason : "Stripe has no such page." };
}

/** By Stripe's id of the payment when it is known, else by its session; no payer has opened a session whose id was lost. */
async function queryPayment(payment: PaymentIdentity, call: GatewayCall): Promise<PaymentFact | null> {
  const { checkoutRef, providerRef } = payment;
  if (checkoutRef !== null) {
    const session = await findSession(checkoutRef, call);
    return session && sessionFact(session);
  }
  if (providerRef?.startsWith("in_")) {
    const invoice = await findInvoice(providerRef, call);
    const subscription = invoice && subscriptionOf(invoice);
    return invoice?.status === "paid" && subscription ? paidInvoice(invoice, subscription, referenceOf(invoice)) : null;
  }
  const intent = providerRef === null ? null : await findIntent(providerRef, call);
  return intent && intentFact(intent);
}

export const checkout: CheckoutAbility = {
  needsPayerEmail: false,
  minimumAmounts: {},
  savesCards: true,
  start,
  query: queryPayment,
};
