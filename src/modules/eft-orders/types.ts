import type { CustomerId, EftOrderId, GatewayAccountId, PaymentLinkId, ProofId } from "../../kernel/ids.ts";
import type { Metadata } from "../../kernel/metadata.ts";
import type { Cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import type { WholeFileType } from "../../platform/files.ts";

/** The statuses of an EFT order (interface 3.10). */
export const EFT_STATUSES = [
  "awaiting_payment",
  "awaiting_review",
  "rejected",
  "paid",
  "expired",
  "cancelled",
] as const;
export type EftStatus = (typeof EFT_STATUSES)[number];

/** File types of a proof of payment (interface 4.9). */
export type ProofType = WholeFileType;

/** An EFT order (interface 2.11): a bank transfer that a payer makes and staff approve. */
export interface EftOrder {
  readonly id: EftOrderId;
  /** The reference of the transfer, and of its transaction. */
  readonly reference: string;
  /** As stored; `asOf` gives the status at a moment. */
  readonly status: EftStatus;
  readonly amount: Cents;
  readonly currency: string;
  readonly description: string | null;
  readonly externalReference: string | null;
  readonly metadata: Metadata;
  readonly customerId: CustomerId | null;
  /** The payment link that it was started on; null when the API created it. */
  readonly paymentLinkId: PaymentLinkId | null;
  /** The Manual EFT account that receives the money. */
  readonly gatewayAccountId: GatewayAccountId;
  readonly payerEmail: string | null;
  readonly rejectionReason: string | null;
  readonly expiresAt: Instant;
  readonly remindedAt: Instant | null;
  readonly reviewedAt: Instant | null;
  readonly paidAt: Instant | null;
  readonly createdAt: Instant;
}

/** Where a proof came from (interface 2.11). */
export type ProofSource = "api" | "dashboard" | "payer";

/** A proof of payment, without its content (interface 2.11). */
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

/** An order with the data of other rows that the API shows. */
export interface EftOrderRecord extends EftOrder {
  readonly customer: { readonly id: CustomerId; readonly externalReference: string | null } | null;
  /** Oldest first. */
  readonly proofs: readonly Proof[];
}
