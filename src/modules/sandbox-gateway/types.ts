import type { GatewayAccountId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";

/** A payment that the sandbox gateway stores. `details` holds the fields that only its protocol knows, as JSON. */
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
