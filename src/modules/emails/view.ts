import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import type { Email } from "./types.ts";

/** A mail as the dashboard shows it (interface 14.2); without `readable`, its text is null. */
export const emailView = (email: Email, readable: boolean) => ({
  id: email.id,
  kind: email.kind,
  recipients: email.recipients,
  replyTo: email.replyTo,
  fromName: email.fromName,
  subject: email.subject,
  text: readable ? email.text : null,
  html: readable ? email.html : null,
  status: email.status,
  error: email.error,
  createdAt: toTimestamp(email.createdAt),
  sentAt: toTimestampOrNull(email.sentAt),
});
