import { assert } from "../../kernel/assert.ts";
import { findEmail, listEmails, saveContent, saveUnwritable, unwrittenEmails } from "../../modules/emails/store.ts";
import { type Email, type EmailContent, NO_CONTENT, type UnwrittenEmail } from "../../modules/emails/types.ts";
import type { Tx } from "../../platform/database.ts";
import { isClientUnusable } from "../../platform/faults.ts";
import type { ListQuery } from "../../platform/schema.ts";
import type { Ctx } from "../context.ts";
import type { MailTable } from "./mail.ts";

/** Shown of a mail that is not written yet and fails to be; why, is in the log of the worker. */
const NOT_YET = "It could not be written yet. The service tries again by itself.";

/** The worker's part: writes the mails that are not written yet, and asks for what is to be sent to be sent, where mail is set up (`sends`). */
export async function composeMails(
  tx: Tx,
  ctx: Ctx,
  mails: MailTable,
  { ids, sends }: { readonly ids: readonly string[]; readonly sends: boolean },
): Promise<void> {
  const asked = await unwrittenEmails(tx, ids);
  const written = await Promise.all(
    asked.map(async (email) => ({ id: email.id, text: await compose(tx, ctx, mails, email) })),
  );
  for (const { id, text } of written) {
    if (text) saveContent(tx, id, text, { sends });
    else saveUnwritable(tx, id, "What it is about was deleted before it was written.");
  }
}

type EmailQuery = ListQuery<"kind" | "recipient" | "status">;

/**
 * As `listEmails`, every mail as its recipients read it: one that the worker has not come to yet is written here, and not kept. One that
 * cannot be written is listed with its status, without text, and with an error in words.
 */
export async function readEmails(tx: Tx, ctx: Ctx, mails: MailTable, query: EmailQuery): Promise<Email[]> {
  const found: Email[] = [];
  for (let from = query; ; ) {
    const emails = await listEmails(tx, from);
    const read = await asWritten(tx, ctx, mails, emails);
    found.push(...read.filter((email, at) => emails[at]?.asked === null || matches(email, query)));
    const last = emails.at(-1);
    if (!last || emails.length < query.limit || found.length >= query.limit) return found.slice(0, query.limit);
    from = { ...query, startingAfter: last.id };
  }
}

/** As `findEmail`, in the way of `readEmails`. */
export async function readEmail(tx: Tx, ctx: Ctx, mails: MailTable, id: string): Promise<Email | null> {
  const email = await findEmail(tx, id);
  return email && ((await asWritten(tx, ctx, mails, [email]))[0] ?? null);
}

/** As their recipients read them. One that cannot be written has no text, and an error. Throws when the database is gone. */
async function asWritten(
  tx: Tx,
  ctx: Ctx,
  mails: MailTable,
  emails: readonly (Email | UnwrittenEmail)[],
): Promise<Email[]> {
  const write = async (email: Email | UnwrittenEmail): Promise<Email> =>
    email.asked === null ? email : { ...email, ...((await compose(tx, ctx, mails, email)) ?? NO_CONTENT), asked: null };
  const outcomes = await Promise.allSettled(emails.map(write));
  const read: Email[] = [];
  for (const [at, email] of emails.entries()) {
    const outcome = outcomes[at];
    // A statement that fails takes those sent with it along, so the mail of each is tried once more, alone.
    read.push(
      outcome?.status === "fulfilled"
        ? outcome.value
        : await write(email).catch((error: unknown) => {
            if (isClientUnusable(error)) throw error;
            return { ...email, ...NO_CONTENT, error: NOT_YET, asked: null };
          }),
    );
  }
  return read;
}

/** Null when its record is gone. Throws for a mail of a newer version, which knows how to write it. */
async function compose(
  tx: Tx,
  ctx: Ctx,
  mails: MailTable,
  { kind, asked }: UnwrittenEmail,
): Promise<EmailContent | null> {
  const declared = mails.get(kind);
  assert(declared, `this version knows the mail ${kind}`);
  const composed = await declared.compose(tx, ctx, asked);
  if (!composed) return null;
  const { fromName, replyTo, mail } = composed;
  return { fromName, replyTo, subject: mail.subject, text: mail.text, html: mail.html.toString() };
}

/** The store's search, of what has no subject to search yet. */
function matches({ subject, recipients }: Email, { q }: EmailQuery): boolean {
  const wanted = q?.toLowerCase() ?? "";
  return [subject, ...recipients].some((text) => text.toLowerCase().includes(wanted));
}
