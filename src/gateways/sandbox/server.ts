import { randomBytes } from "node:crypto";
import { addBusinessDays } from "../../kernel/business-days.ts";
import { type Cents, cents } from "../../kernel/money.ts";
import { personName } from "../../kernel/person-name.ts";
import {
  addSeconds,
  type CalendarDay,
  calendarDay,
  DAY_SECONDS,
  type Instant,
  instant,
  startOfDay,
  toTimestamp,
} from "../../kernel/time.ts";
import type { Card, ChargeRequest, CheckoutRequest, DebitLine, Decline, Dispute, Payment, Reversal } from "./wire.ts";

/**
 * The rules of the sandbox gateway (interface 13.6): what its pages accept, how payments end, what it charges. Pure;
 * tables, pages and routes are built on top. Times are those of the merchant's organisation.
 */
export interface SandboxPayment {
  /** `sbp_` and hex; shown to the merchant once the payment is decided. */
  readonly id: string;
  /** Started by a payer on the gateway's page; by a card's token; by a subscription itself; or by a batch, from a bank account. */
  readonly kind: "checkout" | "charge" | "renewal" | "debit";
  /** `sbc_` and hex: names the payer's page. Null for charges, renewals and debits. */
  readonly checkoutId: string | null;
  readonly reference: string;
  readonly amount: Cents;
  readonly currency: string;
  readonly description: string;
  readonly payer: CheckoutRequest["payer"];
  /** Null without a payer's page. */
  readonly returnUrl: string | null;
  readonly cancelUrl: string | null;
  readonly notifyUrl: string;
  readonly recurring: CheckoutRequest["recurring"];
  readonly saveCard: boolean;
  /** The card is kept for later charges whether or not the payer ticks it. */
  readonly startsSubscription?: boolean;
  readonly status: Payment["status"];
  readonly card: Card | null;
  readonly decline: Decline | null;
  readonly fee: Cents | null;
  readonly subscription: Payment["subscription"];
  /** Its dispute, once its payer has disputed it. */
  readonly dispute?: SandboxDispute;
  /** Whether its payer disputes it as soon as it is complete. */
  readonly isDisputed?: boolean;
  /** Its outcome when due work settles it; null when its payer decides. */
  readonly ending: Outcome | null;
  /** When due work settles it; null when its payer decides, or its outcome was chosen before. */
  readonly settlesAt: Instant | null;
  readonly createdAt: Instant;
  readonly decidedAt: Instant | null;
}

/** A dispute at the sandbox gateway, whose outcome is chosen. */
export interface SandboxDispute {
  /** A timestamp, since it is stored as JSON. */
  readonly openedAt: string;
  readonly status: "open" | "won" | "lost";
  /** How many files the merchant has sent. */
  readonly files?: number;
}

type TestCard = Readonly<{ number: string; brand: Card["brand"]; charge: Outcome; renewal: Outcome }>;

/** How a payment ends. */
export type Outcome = "complete" | "cancelled" | "declined" | "insufficient_funds" | "card_token_error" | "unpaid";

const ENDS_WELL = { charge: "complete", renewal: "complete" } as const;

/** Every card the payment page takes; the last four digits determine which later charges fail. */
export const TEST_CARDS: readonly TestCard[] = [
  { number: "4242424242424242", brand: "visa", ...ENDS_WELL },
  { number: "5555555555554444", brand: "mastercard", ...ENDS_WELL },
  { number: "378282246310005", brand: "amex", ...ENDS_WELL },
  { number: "36227206271667", brand: "diners", ...ENDS_WELL },
  { number: "4000000000000341", brand: "visa", charge: "declined", renewal: "declined" },
  { number: "4000000000009979", brand: "visa", charge: "card_token_error", renewal: "complete" },
];

const DECLINES: Readonly<Record<Exclude<Outcome, "complete" | "cancelled">, Decline>> = {
  declined: { code: "declined", message: "The bank declined the card.", hard: false },
  insufficient_funds: { code: "insufficient_funds", message: "Insufficient funds.", hard: false },
  card_token_error: {
    code: "card_token_error",
    message: "The bank no longer accepts this card: add it again.",
    hard: true,
  },
  unpaid: { code: "02", message: "Insufficient funds", hard: false },
};

/** Interface 13.6: 2.9 % plus 1.00, half a cent away from zero. It may exceed a very small amount, as real fees do. */
export function feeOf(amount: Cents): Cents {
  const thousandths = amount * 29 + 500;
  return cents((thousandths - (thousandths % 1000)) / 1000 + 100);
}

/** The fields of the payer's page, as the browser posts them. */
export type PaymentFormFields = Readonly<Partial<Record<"outcome" | "card" | "expiry" | "saveCard", string>>>;

export interface PaymentChoice {
  readonly outcome: "complete" | "failed" | "cancelled";
  readonly card: TestCard | null;
  readonly expiryMonth: number | null;
  readonly expiryYear: number | null;
  readonly saveCard: boolean;
}

export type FormReading =
  | { readonly kind: "choice"; readonly choice: PaymentChoice }
  | { readonly kind: "wrong"; readonly faults: Readonly<Partial<Record<"outcome" | "card" | "expiry", string>>> };

/** A payment that starts a subscription, of this gateway or of the merchant's service, always creates a token. */
const leavesToken = ({ recurring, startsSubscription }: Pick<SandboxPayment, "recurring" | "startsSubscription">) =>
  recurring !== null || startsSubscription === true;

/**
 * Reads the form (interface 13.6). Card and expiry matter for `complete` only: declining and leaving always work. Spaces and dashes
 * in the number do not matter. A payment that starts a subscription needs a card, so an empty field stands for the first test card.
 */
export function readPaymentForm(
  fields: PaymentFormFields,
  payment: Pick<SandboxPayment, "recurring" | "startsSubscription">,
): FormReading {
  const { outcome } = fields;
  if (outcome !== "complete" && outcome !== "failed" && outcome !== "cancelled")
    return { kind: "wrong", faults: { outcome: "Choose how the payment ends." } };
  const saveCard = fields.saveCard !== undefined && !["", "0", "false", "off"].includes(fields.saveCard.toLowerCase());
  if (outcome !== "complete")
    return { kind: "choice", choice: { outcome, card: null, expiryMonth: null, expiryYear: null, saveCard } };

  const number =
    (fields.card ?? "").replace(/[\s-]/g, "") || (leavesToken(payment) ? (TEST_CARDS[0]?.number ?? "") : "");
  const card = TEST_CARDS.find((known) => known.number === number) ?? null;
  const expiry = (fields.expiry ?? "").trim();
  const [, month, year] = /^(0[1-9]|1[0-2])\s*\/\s*(\d{2})$/.exec(expiry) ?? [];
  const faults = {
    ...(number !== "" && card === null
      ? { card: "Use one of the test card numbers; real cards are never taken here." }
      : {}),
    ...(expiry !== "" && month === undefined ? { expiry: "Write the expiry date as MM/YY, such as 08/29." } : {}),
  };
  if (Object.keys(faults).length > 0) return { kind: "wrong", faults };
  return {
    kind: "choice",
    choice: {
      outcome,
      card,
      expiryMonth: month === undefined ? null : Number(month),
      expiryYear: year === undefined ? null : 2000 + Number(year),
      saveCard,
    },
  };
}

/**
 * The payment after the payer's choice. A complete one stays as it is, whatever is submitted again; a failed or cancelled
 * one may still be completed. `subscription` is the one to be started when this completes a recurring payment.
 */
export function decide(
  payment: SandboxPayment,
  choice: PaymentChoice,
  subscription: SandboxPayment["subscription"],
  now: Instant,
): SandboxPayment {
  if (payment.status === "complete") return payment;
  const outcome = choice.outcome === "failed" ? "declined" : choice.outcome;
  const { card } = choice;
  const kept = (payment.saveCard && choice.saveCard) || leavesToken(payment);
  return {
    ...settle(payment, outcome, now),
    card:
      card &&
      cardShown(card, {
        token: kept ? newCardToken(card, payment.recurring ? "sst" : "sct") : null,
        expiryMonth: choice.expiryMonth,
        expiryYear: choice.expiryYear,
        holderName: personName(payment.payer),
      }),
    subscription: outcome === "complete" && payment.recurring ? subscription : null,
  };
}

/** The payment with its end, and the fee when it is complete. */
export function settle(payment: SandboxPayment, outcome: Outcome, now: Instant): SandboxPayment {
  const decline = outcome === "complete" || outcome === "cancelled" ? null : DECLINES[outcome];
  return {
    ...payment,
    status: decline ? "failed" : outcome === "cancelled" ? "cancelled" : "complete",
    decline,
    fee: outcome === "complete" ? feeOf(payment.amount) : null,
    decidedAt: now,
  };
}

/**
 * The payment with another status, for late, repeated and contradictory notifications on demand (interface 13.6). It is only sent, not
 * stored; to decide a payment that is still pending, use `readPaymentForm({ outcome })` and `decide`.
 */
export function withStatus(payment: SandboxPayment, status: Payment["status"], now: Instant): SandboxPayment {
  if (payment.status === status) return payment;
  if (status === "pending") return { ...payment, status, decline: null, fee: null, decidedAt: now };
  return settle(payment, status === "failed" ? failureOf(payment) : status, now);
}

/** The outcome of a payment that is made to fail: its declared failure when it has one. */
function failureOf({ ending, kind }: SandboxPayment): Outcome {
  if (ending !== null && ending !== "complete") return ending;
  return kind === "debit" ? "unpaid" : "declined";
}

/** A dispute, by its payer, of a payment that was complete. */
const DISPUTED: Decline = { code: "disputed", message: "The payer disputed the payment at the bank.", hard: true };

/** How long the merchant may answer a dispute. */
const RESPOND_DAYS = 7;

/** The gateway's id of the dispute of a payment. */
const disputeId = ({ id }: Pick<SandboxPayment, "id">): string => id.replace(/^sbp_/, "sbx_");

/**
 * The reversal of a payment that was complete: a debit as unpaid, any payment as disputed (interface 13.6). The dispute
 * of a debit cannot be answered.
 */
export function reversalOf(payment: SandboxPayment, why: "unpaid" | "disputed", now: Instant): Reversal {
  const { id, reference, amount, kind, dispute } = payment;
  const isDisputed = why === "disputed";
  const { code, message, hard } = isDisputed ? DISPUTED : DECLINES.unpaid;
  const at = isDisputed && dispute ? instant(dispute.openedAt) : now;
  const taken = { paymentId: id, reference, amount, reason: message, code, hard, occurredAt: toTimestamp(at) };
  if (!isDisputed || kind === "debit") return taken;
  const respondBy = toTimestamp(addSeconds(at, RESPOND_DAYS * DAY_SECONDS));
  return { ...taken, dispute: { id: disputeId(payment), respondBy } };
}

/** The payment with its dispute, which opens when it has none. */
export function withDispute(payment: SandboxPayment, now: Instant): SandboxPayment {
  const status = payment.kind === "debit" ? "lost" : "open";
  return { ...payment, dispute: payment.dispute ?? { openedAt: toTimestamp(now), status } };
}

/** How the dispute of a payment ended, as the merchant is told. */
export const disputeEnd = (payment: SandboxPayment, status: "won" | "lost", now: Instant): Dispute => ({
  id: disputeId(payment),
  paymentId: payment.id,
  reference: payment.reference,
  amount: payment.amount,
  status,
  reason: DISPUTED.message,
  code: DISPUTED.code,
  occurredAt: toTimestamp(now),
});

/** Why this amount cannot be refunded, as shown to the merchant; null when it can. `refundedBefore` counts every refund until now. */
export function refundFault(payment: SandboxPayment, refundedBefore: Cents, amount: Cents): string | null {
  if (payment.status !== "complete") return `The payment is ${payment.status}: only a complete one can be refunded.`;
  return refundedBefore + amount > payment.amount ? "The refund is more than is left of the payment." : null;
}

/** The URL at which the payer continues: the merchant's return page, or its cancel page. */
export const nextUrl = (payment: SandboxPayment): string | null =>
  payment.status === "cancelled" ? payment.cancelUrl : payment.returnUrl;

/** The payment as API and notifications show it. */
export const paymentView = (payment: SandboxPayment): Payment => ({
  id: payment.decidedAt === null && payment.kind === "checkout" ? null : payment.id,
  reference: payment.reference,
  status: payment.status,
  amount: payment.amount,
  currency: payment.currency,
  fee: payment.fee,
  payerEmail: payment.payer.email,
  card: payment.card,
  decline: payment.decline,
  subscription: payment.subscription,
  occurredAt: payment.decidedAt && toTimestamp(payment.decidedAt),
});

/**
 * A new id of the gateway's own: `sbc_`, `sbp_`, `sbr_` (refund), `sbs_` (subscription), `sbn_` (notification), `sbd_`
 * (batch), `sba_` (mandate).
 */
export const newSandboxId = (prefix: "sbc" | "sbp" | "sbr" | "sbs" | "sbn" | "sbd" | "sba"): string =>
  `${prefix}_${randomBytes(12).toString("hex")}`;

/** `sct_<hex>_<last four>`, `sst_…` of a subscription: the token determines how its charges end, so no card data needs to be stored. */
const newCardToken = (card: TestCard, prefix: "sct" | "sst"): string =>
  `${prefix}_${randomBytes(12).toString("hex")}_${card.number.slice(-4)}`;

/** Charges of stored cards settle on the second business day after the charge (interface 13.6). */
const SETTLEMENT_DAYS = 2;

/** How a charge of the token ends when it settles; null for a token that this gateway never made. */
export const chargeOutcome = (token: string): Outcome | null => cardOf(token)?.charge ?? null;

/** The beginning of the second business day after `day`: when charges of that day, and debits with that action date, settle. */
export const settlementOf = (day: CalendarDay): Instant => startOfDay(addBusinessDays(day, SETTLEMENT_DAYS));

/**
 * The payment that a charge of a token makes; null for a token that this gateway never made. A subscription's settles at once (interface
 * 13.6), every other on the second business day.
 */
export function chargeOf(request: ChargeRequest, now: Instant): SandboxPayment | null {
  const card = cardOf(request.token);
  if (!card) return null;
  const atOnce = request.token.startsWith("sst_");
  const charge: SandboxPayment = {
    ...WITHOUT_PAGE,
    id: newSandboxId("sbp"),
    kind: "charge",
    reference: request.reference,
    amount: cents(request.amount),
    currency: request.currency,
    description: request.description,
    payer: request.payer,
    notifyUrl: request.notifyUrl,
    card: cardShown(card, { token: request.token, expiryMonth: null, expiryYear: null, holderName: null }),
    ending: card.charge,
    settlesAt: atOnce ? null : settlementOf(calendarDay(now)),
    createdAt: now,
  };
  return atOnce ? settle(charge, card.charge, now) : charge;
}

/** The common initial fields of a payment without a page of its own. */
export const WITHOUT_PAGE = {
  checkoutId: null,
  returnUrl: null,
  cancelUrl: null,
  recurring: null,
  saveCard: false,
  status: "pending",
  card: null,
  decline: null,
  fee: null,
  subscription: null,
  decidedAt: null,
} as const;

const cardShown = (
  { brand, number }: TestCard,
  known: Pick<Card, "token" | "expiryMonth" | "expiryYear" | "holderName">,
): Card => ({ ...known, brand, last4: number.slice(-4), fingerprint: `sbf_${number.slice(-4)}` });

/** How each renewal of a subscription with the token ends. */
export const renewalOutcome = (token: string | null): Outcome => (token && cardOf(token)?.renewal) || "complete";

/** The card behind a token, for the record of its charges; null for a token that this gateway never made. */
export function cardOf(token: string): TestCard | null {
  const [, last4] = /^s[cs]t_[0-9a-f]{24}_(\d{4})$/.exec(token) ?? [];
  return TEST_CARDS.find(({ number }) => number.slice(-4) === last4) ?? null;
}

/** The payment that a line of a batch makes. Of the bank account only the outcome of its debit is stored. */
export const debitOf = (
  line: DebitLine,
  batch: { readonly settlesAt: Instant; readonly notifyUrl: string },
  now: Instant,
): SandboxPayment => ({
  ...WITHOUT_PAGE,
  id: newSandboxId("sbp"),
  kind: "debit",
  reference: line.reference,
  amount: cents(line.amount),
  currency: "ZAR",
  description: line.description,
  payer: { email: null, firstName: null, lastName: null, phone: null },
  notifyUrl: batch.notifyUrl,
  ending: debitOutcome(line.bank.number),
  settlesAt: batch.settlesAt,
  createdAt: now,
});

/** How a debit of the account ends when it settles. */
export const debitOutcome = (accountNumber: string): Outcome => (accountNumber.endsWith("02") ? "unpaid" : "complete");

/** Interface 13.6: account numbers ending in 05 draw a warning when a mandate is made, and nothing else. */
export const bankAccountWarnings = (accountNumber: string): readonly string[] =>
  accountNumber.endsWith("05") ? ["The account number fails its check digit: confirm it with the account holder."] : [];

/** Null: the payer may sign or decline; else why the bank rejects the e-mandate. */
export const mandateRejection = (accountNumber: string): string | null =>
  accountNumber.endsWith("09") ? "The bank rejected the mandate for this account." : null;

/** Who calls the API, from its Basic `Authorization` header; null when there is none that can be read. */
export function merchantOf(authorization: string | undefined): { merchantId: string; secret: string } | null {
  const [, encoded] = /^Basic ([A-Za-z0-9+/]+=*)$/.exec(authorization ?? "") ?? [];
  const [, merchantId, secret] = /^([^:]+):(.+)$/.exec(Buffer.from(encoded ?? "", "base64").toString()) ?? [];
  return merchantId && secret ? { merchantId, secret } : null;
}
