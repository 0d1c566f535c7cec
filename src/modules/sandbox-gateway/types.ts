import type { GatewayAccountId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";

/** A payment in the sandbox gateway's books. What only its protocol knows is in `details`, kept as it came. */
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
  /** When it settles by itself; null when it does not. */
  readonly settlesAt: Instant | null;
  readonly createdAt: Instant;
  readonly decidedAt: Instant | null;
}

/** Money that the sandbox gateway gave back; done at once. */
export interface SandboxRefundRecord {
  readonly id: string;
  readonly paymentId: string;
  /** The merchant's. */
  readonly refundId: string;
  readonly amount: Cents;
  readonly reason: string | null;
  readonly createdAt: Instant;
}
