import type { CustomerId, EftOrderId, GatewayAccountId, PaymentLinkId, ProofId } from "../../kernel/ids.ts";
import type { Metadata } from "../../kernel/metadata.ts";
import type { Cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import type { ProofType } from "../../platform/files.ts";

/** Interface 3.10. */
export const EFT_STATUSES = [
  "awaiting_payment",
  "awaiting_review",
  "rejected",
  "paid",
  "expired",
  "cancelled",
] as const;
export type EftStatus = (typeof EFT_STATUSES)[number];

/** Interface 2.11: money that a payer deposits by hand and staff approve. */
export interface EftOrder {
  readonly id: EftOrderId;
  /** What the payer writes on the transfer; its transaction has the same. */
  readonly reference: string;
  /** As stored; what holds at a moment says `asOf`. */
  readonly status: EftStatus;
  readonly amount: Cents;
  readonly currency: string;
  readonly description: string | null;
  readonly externalReference: string | null;
  readonly metadata: Metadata;
  readonly customerId: CustomerId | null;
  /** The pay page it began on; null when the API made it. */
  readonly paymentLinkId: PaymentLinkId | null;
  /** The Manual EFT account that the money goes to. */
  readonly gatewayAccountId: GatewayAccountId;
  readonly payerEmail: string | null;
  readonly rejectionReason: string | null;
  readonly expiresAt: Instant;
  readonly remindedAt: Instant | null;
  readonly reviewedAt: Instant | null;
  readonly paidAt: Instant | null;
  readonly createdAt: Instant;
}

/** Who gave a proof (interface 2.11). */
export type ProofSource = "api" | "dashboard" | "payer";

/** Interface 2.11: a proof of payment; its bytes are read apart. */
export interface Proof {
  readonly id: ProofId;
  readonly fileName: string;
  readonly contentType: ProofType;
  /** Bytes. */
  readonly size: number;
  readonly source: ProofSource;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly createdAt: Instant;
}

/** An order with all that its public object shows of other rows. */
export interface EftOrderRecord extends EftOrder {
  readonly customer: { readonly id: CustomerId; readonly externalReference: string | null } | null;
  /** Oldest first. */
  readonly proofs: readonly Proof[];
}
