import { z } from "zod";
import { filter, listQuery, oneOf, timestamp } from "../../platform/schema.ts";
import { EMAIL_STATUSES } from "./types.ts";

/** Query of `GET /emails`. */
export const EmailQuery = listQuery(["mail"], {
  kind: filter(),
  recipient: filter(),
  status: oneOf(EMAIL_STATUSES),
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
