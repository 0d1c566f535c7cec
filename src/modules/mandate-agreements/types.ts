import type { AgreementStatus } from "../../domain/mandate-agreement.ts";
import type { MandateAgreementId, MandateId } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";

/** The evidence of a signature. */
export interface Signature {
  readonly signedAt: Instant;
  /** As the customer typed it. */
  readonly name: string;
  /** The sentence that the customer ticked. */
  readonly consent: string;
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** An agreement that a customer signs online (interface 2.8). */
export interface MandateAgreement {
  readonly id: MandateAgreementId;
  readonly mandateId: MandateId;
  /** As stored; `statusAt` gives the status at a moment. */
  readonly status: AgreementStatus;
  /** The SHA-256 of the token in the sign URL. */
  readonly tokenHash: Buffer;
  /** The text as it was shown (`src/templates/agreement.ts` lays it out). */
  readonly document: string;
  /** SHA-256 of the document as UTF-8. */
  readonly documentSha256: Buffer;
  readonly notes: string | null;
  /** Whether the sign URL was mailed to the customer. */
  readonly emailed: boolean;
  readonly expiresAt: Instant;
  /** Null until it is signed. */
  readonly signature: Signature | null;
  readonly createdAt: Instant;
}
