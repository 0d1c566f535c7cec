import type { CustomerId, DisputeId, EvidenceId, InvoiceId, ReversalId, TransactionId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";

/** `open`: the merchant may answer; `accepted`: the merchant does not answer. All but `open` are final. */
export const DISPUTE_STATUSES = ["open", "won", "lost", "accepted"] as const;
export type DisputeStatus = (typeof DISPUTE_STATUSES)[number];

/** A payment that its payer disputes at the bank. */
export interface Dispute {
  readonly id: DisputeId;
  readonly transactionId: TransactionId;
  readonly customerId: CustomerId | null;
  /** The gateway's id of the dispute. */
  readonly gatewayDisputeId: string;
  /** The reversal that took the money; null while none has. */
  readonly reversalId: ReversalId | null;
  /** In cents. */
  readonly amount: Cents;
  readonly currency: string;
  /** For people. */
  readonly reason: string;
  /** The gateway's or the bank's code of the reason. */
  readonly code: string | null;
  readonly status: DisputeStatus;
  readonly openedAt: Instant;
  /** Until when the merchant may answer; null when the gateway does not say so, or there is no answer. */
  readonly respondBy: Instant | null;
  /** When evidence was last sent to the gateway. */
  readonly submittedAt: Instant | null;
  readonly closedAt: Instant | null;
  readonly createdAt: Instant;
}

export const EVIDENCE_TYPES = ["application/pdf", "image/png", "image/jpeg"] as const;
export type EvidenceType = (typeof EVIDENCE_TYPES)[number];

/** A file that answers a dispute; its content is read separately. */
export interface Evidence {
  readonly id: EvidenceId;
  readonly fileName: string;
  readonly contentType: EvidenceType;
  /** In bytes. */
  readonly size: number;
  /** The hash in hexadecimal. */
  readonly sha256: string;
  readonly createdAt: Instant;
}

/** A dispute with the data of other rows that the API shows. */
export interface DisputeRecord extends Dispute {
  readonly transactionReference: string;
  readonly customerName: string | null;
  readonly invoiceId: InvoiceId | null;
  readonly gatewayAccountId: string;
  readonly gatewayType: string;
  /** Oldest first. */
  readonly evidence: readonly Evidence[];
}

/** The open disputes of a currency. */
export interface OpenDisputes {
  readonly currency: string;
  readonly amount: Cents;
  readonly count: number;
  /** The earliest time until which one of them may be answered. */
  readonly respondBy: Instant | null;
}
