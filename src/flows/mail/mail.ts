import { newId } from "../../kernel/ids.ts";
import { insertEmail, MAIL_SECRET_COLUMN } from "../../modules/emails/store.ts";
import type { MailFacts, RequestedMail } from "../../modules/emails/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Mail } from "../../templates/mails/layout.ts";
import type { Ctx } from "../context.ts";

/** A mail and whom it comes from. */
export interface Composed {
  /** Shown before the sender's address. */
  readonly fromName: string;
  readonly replyTo: string | null;
  readonly mail: Mail;
}

/** A mail that the service sends: what has to be known when it is asked for, and how it is written later. */
export interface MailKind<Facts extends MailFacts> {
  /** Stored with each mail and shown to staff, such as `invitation`. */
  readonly kind: string;
  /**
   * Reads what the mail shows and writes it. Changes nothing: the worker calls it, and whoever reads a mail that the worker has not come
   * to yet. Null when the record that it is about is gone.
   */
  compose(tx: Tx, ctx: Ctx, asked: RequestedMail<Facts>): Promise<Composed | null>;
}

/** Every mail that the service sends, by its kind; `src/catalogue.ts` makes it. */
export type MailTable = ReadonlyMap<string, MailKind<MailFacts>>;

/** Declares a mail. It stands in the catalogue with its resource. */
export const declareMail = <Facts extends MailFacts>(
  kind: string,
  compose: MailKind<Facts>["compose"],
): MailKind<Facts> => ({ kind, compose });

/** One mail, asked for. */
export interface MailRequest<Facts extends MailFacts> {
  /** The record that it is about: an id, or a payment's reference. */
  readonly about: string;
  /** Without an address no mail is asked for. */
  readonly to: readonly (string | null)[];
  /** Makes it go out once within the organisation: asked for again under the same key, nothing happens. Without one, each time. */
  readonly once?: string;
  readonly facts: Facts;
  /** What only the mail's reader may know. Stored sealed until the mail is written. */
  readonly secret?: string;
}

/**
 * Asks for a mail, in the transaction of what causes it: one row. The worker writes it and, when mail is set up, sends it; staff can read it as
 * soon as the transaction is committed. False when there is no address.
 */
export function requestMail<Facts extends MailFacts>(
  tx: Tx,
  ctx: Pick<Ctx, "organisation" | "now" | "secrets" | "mailEnabled">,
  { kind }: MailKind<Facts>,
  { about, to, once, facts, secret }: MailRequest<Facts>,
): boolean {
  const recipients = to.filter((address) => address !== null);
  if (recipients.length === 0) return false;
  const id = newId("mail");
  const binding = { organisation: ctx.organisation.id, column: MAIL_SECRET_COLUMN };
  insertEmail(
    tx,
    {
      id,
      dedupeKey: once ?? `${kind}:${about}:${id}`,
      kind,
      recipients,
      about,
      facts,
      secretSealed: secret === undefined ? null : ctx.secrets.seal(secret, binding),
      createdAt: ctx.now,
    },
    { send: ctx.mailEnabled },
  );
  return true;
}

/** The secret that a mail was asked for with. Throws when there is none. */
export function secretOf({ secrets, organisation }: Ctx, { secretSealed }: RequestedMail<MailFacts>): string {
  if (secretSealed === null) throw new Error("The mail was asked for without its secret.");
  return secrets.open(secretSealed, { organisation: organisation.id, column: MAIL_SECRET_COLUMN });
}
