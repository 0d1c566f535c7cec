import type { EmailId } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";

/** `recorded`: written and not to be sent, since mail is not set up. `unknown`: it may have been sent or not. */
export const EMAIL_STATUSES = ["recorded", "queued", "sending", "sent", "failed", "unknown"] as const;
export type EmailStatus = (typeof EMAIL_STATUSES)[number];

/** A mail as it was written, and what came of it (contract 5). */
export interface Email {
  readonly id: EmailId;
  readonly kind: string;
  readonly recipients: readonly string[];
  readonly replyTo: string | null;
  readonly fromName: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly status: EmailStatus;
  /** Why it was not sent. */
  readonly error: string | null;
  readonly createdAt: Instant;
  readonly sentAt: Instant | null;
}
