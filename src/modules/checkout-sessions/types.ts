import type { Frequency } from "../../kernel/frequency.ts";
import type {
  CheckoutSessionId,
  CouponId,
  CustomerId,
  PackageId,
  PlanId,
  ProductId,
  TransactionId,
} from "../../kernel/ids.ts";
import type { Metadata } from "../../kernel/metadata.ts";
import type { Cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";

/** Interface 3.9. */
export const CHECKOUT_STATUSES = ["pending", "completed", "failed", "expired"] as const;
export type CheckoutStatus = (typeof CHECKOUT_STATUSES)[number];

/** Made by API, or by the form of a checkout page that was opened without a session. */
export const CHECKOUT_SOURCES = ["api", "hosted"] as const;

/** The values with which the page's form begins; only those that are known. */
export interface Prefill {
  readonly email?: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly phone?: string;
  readonly company?: string;
}

/** Interface 2.10: one checkout of a package or product. */
export interface CheckoutSession {
  readonly id: CheckoutSessionId;
  /** As stored; `asOf` gives the status at a moment. */
  readonly status: CheckoutStatus;
  readonly source: (typeof CHECKOUT_SOURCES)[number];
  readonly packageId: PackageId | null;
  /** Of a package: the plan that the payer chose last; null until one is chosen. */
  readonly planId: PlanId | null;
  /** Of a package: the currency in which its plans are offered; null for each plan's own. */
  readonly currency: string | null;
  /** Null with a package, else set. */
  readonly productId: ProductId | null;
  /** Once the form was submitted. */
  readonly customerId: CustomerId | null;
  /** A customer subscription of a package, a gateway subscription of a recurring product. */
  readonly subscriptionId: string | null;
  readonly couponCode: string | null;
  readonly returnUrl: string | null;
  readonly prefill: Prefill;
  /** What the payer last entered, by field; the form begins with it again. */
  readonly entered: Readonly<Record<string, string>>;
  readonly metadata: Metadata;
  /** The latest payment, or the one that completed the session. */
  readonly transactionId: TransactionId | null;
  readonly expiresAt: Instant;
  /** When the form was first submitted. */
  readonly usedAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** A payment that was started on a session. */
export interface CheckoutPayment {
  readonly transactionId: TransactionId;
  readonly sessionId: CheckoutSessionId;
  /** The amount that the coupon subtracted, with VAT when the price includes it, else without. */
  readonly discount: Cents;
  /** VAT within the amount; null when the price has none. */
  readonly tax: Cents | null;
  /** Whether what is bought is exempt from VAT. */
  readonly taxExempt: boolean;
  /** The coupon whose redemption is reserved while the payment may still complete. */
  readonly couponId: CouponId | null;
  /** What the redemption is counted for; null without a coupon. */
  readonly couponSubject: string | null;
  /** How often the gateway charges the product again; null for a one-time product, and for a package. */
  readonly frequency: Frequency | null;
}

/** The payment as the session shows it. */
export interface ShownPayment extends Pick<CheckoutPayment, "discount" | "tax"> {
  readonly id: TransactionId;
  readonly reference: string;
  readonly status: "pending" | "complete" | "failed" | "cancelled" | "refunded" | "partially_refunded";
  readonly amount: Cents;
  readonly currency: string;
  readonly paidAt: Instant | null;
}

/** A session with its payment. */
export interface ShownSession extends CheckoutSession {
  readonly payment: ShownPayment | null;
}
