import type { Frequency } from "../../kernel/frequency.ts";
import type { GatewayAccountId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { CalendarDay, Instant } from "../../kernel/time.ts";

/** A payment that the sandbox gateway stores. `details` holds the fields that only its protocol uses, as JSON. */
export interface SandboxPaymentRecord {
  readonly id: string;
  readonly accountId: GatewayAccountId;
  readonly kind: "checkout" | "charge" | "renewal" | "debit";
  readonly checkoutId: string | null;
  /** The merchant's. */
  readonly reference: string;
  readonly amount: Cents;
  readonly currency: string;
  readonly status: "pending" | "complete" | "failed" | "cancelled";
  readonly fee: Cents | null;
  readonly details: object;
  /** When due work settles it; null when none does. */
  readonly settlesAt: Instant | null;
  readonly createdAt: Instant;
  readonly decidedAt: Instant | null;
}

/** What attempts at the sandbox gateway are. */
export const SANDBOX_KINDS = ["payment", "card_charge", "renewal", "debit", "refund"] as const;
export type SandboxKind = (typeof SANDBOX_KINDS)[number];

/** How an attempt can be made to end. */
export const SANDBOX_OUTCOMES = [
  "complete",
  "declined",
  "insufficient_funds",
  "card_error",
  "pending",
  "unclear",
  "disputed",
] as const;

/** What the sandbox gateway is told to do with an attempt. A filter that is null matches any. */
export interface SandboxStep {
  readonly id: string;
  readonly kind: SandboxKind;
  readonly customerId: string | null;
  /** Of a subscription of the service's or of the gateway's. */
  readonly subscriptionId: string | null;
  /** Which of the attempts that it matches uses it, counted from 1; null: the first. */
  readonly nth: number | null;
  readonly outcome: (typeof SANDBOX_OUTCOMES)[number];
  readonly delayDays: number;
  /** How many attempts it has matched. */
  readonly seen: number;
  /** The reference of the attempt that used it. */
  readonly usedBy: string | null;
  readonly usedAt: Instant | null;
  readonly createdAt: Instant;
}

/** A refund by the sandbox gateway, which processes it at once. */
export interface SandboxRefundRecord {
  readonly id: string;
  readonly paymentId: string;
  /** The merchant's. */
  readonly refundId: string;
  readonly amount: Cents;
  readonly reason: string | null;
  readonly createdAt: Instant;
}

/** A subscription that the sandbox gateway runs. */
export interface SandboxSubscriptionRecord {
  readonly id: string;
  readonly accountId: GatewayAccountId;
  /** Of the payment that started it, and of its renewals. */
  readonly reference: string;
  readonly status: "active" | "past_due" | "paused" | "cancelled";
  readonly amount: Cents;
  readonly currency: string;
  readonly frequency: Frequency;
  readonly anchor: CalendarDay;
  /** The number of the next date, counted from the anchor. */
  readonly cycle: number;
  readonly details: object;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The most debits of a batch. */
export const DEBITS_MAX = 50_000;

/** Debits that the merchant has sent together. Its lines are payments. */
export interface SandboxDebitBatch {
  readonly id: string;
  readonly accountId: GatewayAccountId;
  /** The merchant's. */
  readonly reference: string;
  readonly actionDate: CalendarDay;
  readonly notifyUrl: string;
  readonly status: "open" | "submitted";
  readonly lines: number;
  /** Lines up to this one, counted from 1, are settled and reported. */
  readonly reported: number;
  readonly createdAt: Instant;
}

/**
 * An electronic mandate that a payer signs on the sandbox gateway's page, or that the bank has rejected. The bank
 * account is not stored.
 */
export interface SandboxMandateRecord {
  readonly id: string;
  readonly accountId: GatewayAccountId;
  /** The merchant's. */
  readonly accountReference: string;
  readonly status: "waiting" | "accepted" | "rejected";
  readonly reason: string | null;
  /** Of each debit. */
  readonly amount: Cents;
  readonly details: object;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}
