import { createHash } from "node:crypto";
import { cents } from "../../kernel/money.ts";
import { isCardChargeReference } from "../../kernel/references.ts";
import { type CalendarDay, parseCalendarDay } from "../../kernel/time.ts";
import { centAmount, type ReportedAmount, randAmount } from "../amounts.ts";
import type { CardDetails, GatewayFact, PaymentFact, SubscriptionFact, SubscriptionLink } from "../facts.ts";
import { valueIn } from "../form-body.ts";
import { OF_CARD } from "./form.ts";
import type { Pair } from "./signing.ts";
import { type Process, SUBSCRIPTION_KINDS, type Subscription } from "./wire.ts";

const CURRENCY = "ZAR";

/** A token is enough to charge a card, so messages are matched by its hash. */
export const keyOf = (token: string): string => createHash("sha256").update(token).digest("hex");

/** The card of a token. The gateway reports nothing of the card, so it is recognised by its token only. */
const cardOf = (token: string): CardDetails => ({
  token,
  brand: "card",
  last4: "",
  expiryMonth: null,
  expiryYear: null,
  holderName: null,
  fingerprint: keyOf(token),
});

/** The first of the texts that is a day. */
const dayIn = (...texts: readonly (string | null | undefined)[]): CalendarDay | null =>
  texts.map((text) => (text ? parseCalendarDay(text.slice(0, 10)) : null)).find((day) => day !== null) ?? null;

/**
 * The facts of a verified notification; null when a required field is missing. A notification that is not about
 * payments or subscriptions has no facts.
 */
export function notificationFacts(pairs: readonly Pair[]): readonly GatewayFact[] | null {
  const value = (name: string): string | null => valueIn(pairs, name)?.trim() || null;
  const [status, token] = [value("payment_status"), value("token")];
  if (status === null) return null;
  // The second date is ours (`startFields`): the gateway need not repeat the first.
  const nextChargeOn = dayIn(value("billing_date"), value("custom_str1"));
  const link: SubscriptionLink | null = token === null ? null : { key: keyOf(token), handle: token, nextChargeOn };
  if (status === "CANCELLED")
    return link ? [{ ...subscriptionNews("cancelled", status), subscription: { ...link, nextChargeOn: null } }] : [];
  const [gross, fee] = ["amount_gross", "amount_fee"].map((name) => amountIn(value(name)));
  const [providerRef, reference] = [value("pf_payment_id"), value("m_payment_id")];
  if (providerRef === null || gross === "unreadable" || fee === "unreadable") return null;
  const news = {
    about: "payment",
    occurredAt: null,
    gatewayWord: status,
    reference,
    providerRef,
    payerEmail: value("email_address"),
    card: token !== null && value("custom_str2") === OF_CARD ? cardOf(token) : null,
    subscription: isOfCard(value("custom_str2"), reference) ? null : link,
  } as const;
  const fact = factOf(status, news, gross ?? null, fee ?? null);
  return fact && [fact];
}

/** Whether the token of a message is a card's: in the payment that saved it, or in a charge. Otherwise it is a subscription's. */
const isOfCard = (mark: string | null, reference: string | null): boolean =>
  mark === OF_CARD || (reference !== null && isCardChargeReference(reference));

type News = Omit<PaymentFact, "kind" | "amount" | "currency" | "fee" | "reason" | "hard">;

function factOf(
  status: string,
  news: News,
  gross: ReportedAmount | null,
  fee: ReportedAmount | null,
): PaymentFact | null {
  if (status === "COMPLETE") {
    if (gross === null) return null;
    return { ...news, ...gross, kind: "paid", currency: CURRENCY, fee: fee && cents(Math.abs(fee.amount)) };
  }
  const money = { ...(gross ?? { amount: null }), currency: gross && CURRENCY };
  // The gateway makes the token at the first success. So a failed payment with a token is a later collection, although it names the first
  // payment.
  if (status === "FAILED") {
    const reference = news.subscription ? null : news.reference;
    return { ...news, ...money, reference, kind: "declined", reason: "The payment was declined.", hard: false };
  }
  return { ...news, ...money, kind: "pending" };
}

/** Null without text. */
const amountIn = (text: string | null): ReportedAmount | null | "unreadable" =>
  text === null ? null : (randAmount(text) ?? "unreadable");

const subscriptionNews = (kind: SubscriptionFact["kind"], gatewayWord: string) =>
  ({ about: "subscription", kind, occurredAt: null, gatewayWord }) as const;

/** The state of a subscription; an unknown status number counts as active, since it does not show that the subscription ended. */
export function subscriptionFact(
  token: string,
  { status, status_text, run_date, amount }: Subscription,
): SubscriptionFact {
  const kind = SUBSCRIPTION_KINDS[String(status ?? "")] ?? "active";
  const nextChargeOn = kind === "cancelled" ? null : dayIn(run_date);
  const money = amount == null ? null : apiAmount(amount);
  return {
    ...subscriptionNews(kind, status_text ?? String(status ?? "")),
    amount: money?.inexactAmount === undefined ? (money?.amount ?? null) : null,
    subscription: { key: keyOf(token), handle: token, nextChargeOn },
  };
}

/** An amount in an answer: cents, but a decimal point means rand. Null for one that cannot be read. */
export function apiAmount(written: string | number): ReportedAmount | null {
  const text = String(written);
  return text.includes(".") ? randAmount(text) : centAmount(text);
}

/** A payment by the gateway's id of it. Null for an amount that cannot be read. */
export function processFact(
  { status, amount, cc_message }: Process,
  { reference, providerRef }: { readonly reference: string; readonly providerRef: string },
): PaymentFact | null {
  const money = apiAmount(amount);
  if (money === null) return null;
  const news = {
    about: "payment",
    occurredAt: null,
    gatewayWord: status,
    reference,
    providerRef,
    payerEmail: null,
    card: null,
    subscription: null,
    ...money,
    currency: CURRENCY,
  } as const;
  const word = status.toUpperCase();
  if (word === "COMPLETE" || word === "COMPLETED" || word === "SUCCESS") return { ...news, kind: "paid", fee: null };
  if (word !== "FAILED" && word !== "DECLINED") return { ...news, kind: "pending" };
  return { ...news, kind: "declined", reason: cc_message?.trim() || "The payment was declined.", hard: false };
}
