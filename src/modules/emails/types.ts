import type { EmailId } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";

/** `recorded`: not to be sent, since mail is not set up. `unknown`: it may have been sent or not. */
export const EMAIL_STATUSES = ["recorded", "queued", "sending", "sent", "failed", "unknown"] as const;
export type EmailStatus = (typeof EMAIL_STATUSES)[number];

/** What a mail says of its record that cannot be read later, or may have changed by then; stored as JSON. */
export type MailFacts = Readonly<Record<string, string | number | null>>;

/** A mail as it was asked for. */
export interface RequestedMail<Facts> {
  /** The record that it is about: an id, or a payment's reference. */
  readonly about: string;
  readonly facts: Facts;
  /** Sealed; what only the mail's reader may know, such as the token of a link that is shown once. Gone when the mail is written. */
  readonly secretSealed: string | null;
  /** By the organisation's clock. */
  readonly createdAt: Instant;
}

/** What a mail says, and from whom it comes. */
export interface EmailContent {
  readonly replyTo: string | null;
  /** Shown before the sender's address. */
  readonly fromName: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Of a mail that nobody can write. */
export const NO_CONTENT: EmailContent = { replyTo: null, fromName: "", subject: "", text: "", html: "" };

interface MailRecord {
  readonly id: EmailId;
  /** Which mail it is, such as `invitation`; for staff who look for one. */
  readonly kind: string;
  readonly recipients: readonly string[];
  readonly status: EmailStatus;
  /** Why it was not sent. */
  readonly error: string | null;
  readonly createdAt: Instant;
  readonly sentAt: Instant | null;
}

/** A mail that the worker has yet to write. */
export interface UnwrittenEmail extends MailRecord {
  readonly asked: RequestedMail<MailFacts>;
}

/** A mail that is written, and what came of it. */
export interface Email extends MailRecord, EmailContent {
  readonly asked: null;
}
