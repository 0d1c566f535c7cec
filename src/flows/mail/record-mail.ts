import { newId } from "../../kernel/ids.ts";
import { insertEmail } from "../../modules/emails/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Mail } from "../../templates/mails/layout.ts";
import type { Ctx } from "../context.ts";

/** To whom a mail goes, and what makes it happen once. */
export interface Envelope {
  /** Within the organisation; recorded again under the same key, nothing happens. */
  readonly dedupeKey: string;
  /** What it is about, such as `invitation`. */
  readonly kind: string;
  readonly to: readonly string[];
  /** Shown before the sender's address. */
  readonly fromName: string;
  readonly replyTo?: string | null;
}

/** Writes the mail in the transaction of what causes it; the worker sends it when mail is set up, else it is only read (contract 2). */
export function recordMail(tx: Tx, ctx: Pick<Ctx, "now" | "mailEnabled">, envelope: Envelope, mail: Mail): void {
  const { dedupeKey, kind, to, fromName, replyTo = null } = envelope;
  insertEmail(
    tx,
    {
      id: newId("mail"),
      dedupeKey,
      kind,
      recipients: to,
      replyTo,
      fromName,
      ...mail,
      html: mail.html.toString(),
      createdAt: ctx.now,
    },
    { send: ctx.mailEnabled },
  );
}
