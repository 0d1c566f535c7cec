import type { ListQuery } from "../../domain/lists.ts";
import type { Readable } from "../../domain/records.ts";
import { assert } from "../../kernel/assert.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import { findEmail, listEmails, saveContents, saveUnwritable } from "../../modules/emails/store.ts";
import { type Email, type EmailContent, NO_CONTENT, type UnwrittenEmail } from "../../modules/emails/types.ts";
import type { Tx } from "../../platform/database.ts";
import { isClientUnusable } from "../../platform/faults.ts";
import type { Ctx } from "../context.ts";
import type { MailTable } from "./mail.ts";

/** The error that is shown for a mail that could not be written yet; the worker's log has the reason. */
const NOT_WRITTEN_YET = "It could not be written yet. The service tries again by itself.";

/**
 * Writes unwritten mails of one organisation and, where mail is set up (`sends`), enqueues their sending. Called by the
 * worker.
 */
export async function composeMails(
  tx: Tx,
  ctx: Ctx,
  mails: MailTable,
  emails: readonly UnwrittenEmail[],
  { sends }: { readonly sends: boolean },
): Promise<void> {
  const composed = await Promise.all(
    emails.map(async (email) => ({ id: email.id, content: await compose(tx, ctx, mails, email) })),
  );
  await saveContents(
    tx,
    composed.flatMap(({ id, content }) => (content ? [{ id, ...content }] : [])),
    { sends },
  );
  for (const { id, content } of composed)
    if (!content) saveUnwritable(tx, id, "What it is about was deleted before it was written.");
}

type EmailQuery = ListQuery<"kind" | "recipient" | "status"> & { readonly from?: CalendarDay | undefined };

/**
 * Like `listEmails`, with the text that the recipients read. A mail that the worker has not written yet is written here
 * and not stored. A mail that cannot be written is listed without text and with an error.
 */
export async function readEmails(
  tx: Tx,
  ctx: Ctx,
  mails: MailTable,
  query: EmailQuery,
  readable: Readable | null = null,
): Promise<Email[]> {
  const found: Email[] = [];
  for (let from = query; ; ) {
    const emails = await listEmails(tx, from, readable);
    const read = await asWritten(tx, ctx, mails, emails);
    found.push(...read.filter((email, at) => emails[at]?.request === null || matches(email, query)));
    const last = emails.at(-1);
    if (!last || emails.length < query.limit || found.length >= query.limit) return found.slice(0, query.limit);
    from = { ...query, startingAfter: last.id };
  }
}

/** Like `findEmail`, with the text as in `readEmails`. */
export async function readEmail(
  tx: Tx,
  ctx: Ctx,
  mails: MailTable,
  id: string,
  readable: Readable | null,
): Promise<Email | null> {
  const email = await findEmail(tx, id, readable);
  return email && ((await asWritten(tx, ctx, mails, [email]))[0] ?? null);
}

/**
 * The mails with their text. A mail that cannot be written has no text and an error. Throws when the database is
 * unavailable.
 */
async function asWritten(
  tx: Tx,
  ctx: Ctx,
  mails: MailTable,
  emails: readonly (Email | UnwrittenEmail)[],
): Promise<Email[]> {
  const write = async (email: Email | UnwrittenEmail): Promise<Email> =>
    email.request === null
      ? email
      : { ...email, ...((await compose(tx, ctx, mails, email)) ?? NO_CONTENT), request: null };
  const outcomes = await Promise.allSettled(emails.map(write));
  const read: Email[] = [];
  for (const [at, email] of emails.entries()) {
    const outcome = outcomes[at];
    // A failed statement also fails those sent with it, so each failed mail is tried again alone.
    read.push(
      outcome?.status === "fulfilled"
        ? outcome.value
        : await write(email).catch((error: unknown) => {
            if (isClientUnusable(error)) throw error;
            return { ...email, ...NO_CONTENT, error: NOT_WRITTEN_YET, request: null };
          }),
    );
  }
  return read;
}

/**
 * Writes a mail. Null when its record has been deleted. Throws for a kind of mail that only a newer version can write.
 */
async function compose(
  tx: Tx,
  ctx: Ctx,
  mails: MailTable,
  { kind, request }: UnwrittenEmail,
): Promise<EmailContent | null> {
  const declared = mails.get(kind);
  assert(declared, `this version knows the mail ${kind}`);
  const composed = await declared.compose(tx, ctx, request);
  if (!composed) return null;
  const { fromName, replyTo, mail } = composed;
  return { fromName, replyTo, subject: mail.subject, text: mail.text, html: mail.html.toString() };
}

/** The store's search, for mails without a stored subject. */
function matches({ subject, recipients }: Email, { q }: EmailQuery): boolean {
  const wanted = q?.toLowerCase() ?? "";
  return [subject, ...recipients].some((text) => text.toLowerCase().includes(wanted));
}
