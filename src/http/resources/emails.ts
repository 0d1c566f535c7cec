import { z } from "zod";
import { listExport } from "../../flows/exports/csv-export.ts";
import { readEmail, readEmails } from "../../flows/mail/compose-mails.ts";
import type { MailTable } from "../../flows/mail/mail.ts";
import { readableBy } from "../../flows/search/readable.ts";
import type { RecordKinds } from "../../flows/search/record-kind.ts";
import { notFound } from "../../kernel/errors.ts";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { EmailObject, EmailQuery, emailView } from "../../modules/emails/schema.ts";
import type { Email } from "../../modules/emails/types.ts";
import type { HeldRole } from "../../modules/members/rules.ts";
import { listEndpoint, PAGING } from "../csv-export.ts";
import { type Endpoint, endpoint } from "../endpoint.ts";
import { listed, listOf } from "../lists.ts";

const common = {
  audience: "staff",
  tag: { name: "Emails", about: "Every mail that was written." },
  permission: "emails:read",
} as const;

/** The mail as staff see it: without its text when their role may not read the text of this kind of mail. */
const viewFor = (mails: MailTable, member: { role: HeldRole } | null) => (email: Email) =>
  emailView(email, member !== null && (mails.get(email.kind)?.readableBy?.(member.role) ?? true));

/** Mails without their texts, which may hold sign-in links. */
const emailsCsv = (mails: MailTable, kinds: RecordKinds) =>
  listExport<Email, typeof EmailQuery>({
    long: true,
    columns: {
      id: (row) => row.id,
      kind: (row) => row.kind,
      recipients: (row) => row.recipients.join(" "),
      replyTo: (row) => row.replyTo,
      fromName: (row) => row.fromName,
      subject: (row) => row.subject,
      status: (row) => row.status,
      error: (row) => row.error,
      createdAt: (row) => toTimestamp(row.createdAt),
      sentAt: (row) => toTimestampOrNull(row.sentAt),
    },
    list: (tx, query, ctx) => readEmails(tx, ctx, mails, query, readableBy(kinds, ctx)),
  });

/** The endpoints of interface 14.2, emails: mails that were written, whether or not mail is configured. */
export const emailEndpoints = (mails: MailTable, kinds: RecordKinds): Endpoint[] => [
  endpoint({
    ...common,
    method: "GET",
    path: "/emails",
    summary: "List mails, newest first",
    query: EmailQuery,
    replies: { 200: listOf(EmailObject) },
    async handle(call, tx) {
      const readable = readableBy(kinds, call.ctx);
      const fetch = (wanted: typeof call.query) => readEmails(tx, call.ctx, mails, wanted, readable);
      return listed(call, fetch, viewFor(mails, call.member));
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/emails/{id}",
    summary: "Get a mail",
    params: z.object({ id: z.string() }),
    replies: { 200: EmailObject },
    async handle({ ctx, member, params: { id } }, tx) {
      const email = await readEmail(tx, ctx, mails, id, readableBy(kinds, ctx));
      if (!email) throw notFound("email");
      return { status: 200, body: viewFor(mails, member)(email) };
    },
  }),
  listEndpoint(
    "emails",
    "Mails, without their texts,",
    "emails:read",
    EmailQuery.omit(PAGING),
    emailsCsv(mails, kinds),
    undefined,
    "staff",
  ),
];
