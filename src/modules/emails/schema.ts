import { z } from "zod";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { filter, listQuery, oneOf, timestamp } from "../../platform/schema.ts";
import { dateAsked } from "../../platform/schema-dates.ts";
import { EMAIL_STATUSES, type Email } from "./types.ts";

/** Query of `GET /emails`. */
export const EmailQuery = listQuery(["mail"], {
  kind: filter(),
  recipient: filter(),
  status: oneOf(EMAIL_STATUSES),
  from: dateAsked().optional().describe("The first South African day on which it was requested."),
});

const body = z
  .string()
  .nullable()
  .describe("Null where a link in the mail would give the reader more than their role may give.");

/** Interface 14.2. */
export const EmailObject = z
  .object({
    id: z.string(),
    kind: z.string(),
    recipients: z.array(z.string()),
    replyTo: z.string().nullable(),
    fromName: z.string(),
    subject: z.string(),
    text: body,
    html: body,
    status: z.enum(EMAIL_STATUSES),
    error: z.string().nullable(),
    createdAt: timestamp(),
    sentAt: timestamp().nullable(),
  })
  .meta({ id: "Email" });

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
