import type { EmailId } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";

/** The statuses of a mail. `recorded`: not to be sent, since mail is not set up. `unknown`: it may have been sent. */
export const EMAIL_STATUSES = ["recorded", "queued", "sending", "sent", "failed", "unknown"] as const;
export type EmailStatus = (typeof EMAIL_STATUSES)[number];

/** Facts that a mail shows and that cannot be read later, or may have changed by then; stored as JSON. */
export type MailFacts = Readonly<Record<string, string | number | null>>;

/** The data with which a mail was requested. */
export interface RequestedMail<Facts> {
  /** The record of the mail: an id, or a payment's reference. */
  readonly about: string;
  readonly facts: Facts;
  /** Encrypted: what only the reader may know, such as the token of a link that is shown once. Deleted when the mail is written. */
  readonly secretSealed: string | null;
  /** By the organisation's clock. */
  readonly createdAt: Instant;
}

/** The content and sender of a written mail. */
export interface EmailContent {
  readonly replyTo: string | null;
  /** Shown before the sender's address. */
  readonly fromName: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The content of a mail that cannot be written. */
export const NO_CONTENT: EmailContent = { replyTo: null, fromName: "", subject: "", text: "", html: "" };

interface MailRecord {
  readonly id: EmailId;
  /** The kind of mail, such as `invitation`. */
  readonly kind: string;
  readonly recipients: readonly string[];
  readonly status: EmailStatus;
  /** Why it was not sent. */
  readonly error: string | null;
  readonly createdAt: Instant;
  readonly sentAt: Instant | null;
}

/** A mail that the worker has not written yet. */
export interface UnwrittenEmail extends MailRecord {
  readonly request: RequestedMail<MailFacts>;
}

/** A written mail. */
export interface Email extends MailRecord, EmailContent {
  readonly request: null;
}
