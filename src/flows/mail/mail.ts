import { assert } from "../../kernel/assert.ts";
import { insertEmails, MAIL_SECRET_COLUMN, type NewEmail } from "../../modules/emails/store.ts";
import type { MailFacts, RequestedMail } from "../../modules/emails/types.ts";
import type { HeldRole } from "../../modules/members/rules.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Mail } from "../../templates/mails/layout.ts";
import type { Ctx } from "../context.ts";

/** A written mail and its sender. */
export interface Composed {
  /** The name shown before the sender's address. */
  readonly fromName: string;
  readonly replyTo: string | null;
  readonly mail: Mail;
}

/**
 * A kind of mail that the service sends: the facts that are stored with the request, and the function that writes it
 * later.
 */
export interface MailKind<Facts extends MailFacts> {
  /** Stored with each mail and shown to staff, such as `invitation`. */
  readonly kind: string;
  /**
   * Reads the facts of the mail and writes it. Changes nothing: the worker calls it, and so does the reader of a mail
   * that the worker has not written yet. Null when the mail's record has been deleted.
   */
  compose(tx: Tx, ctx: Ctx, request: RequestedMail<Facts>): Promise<Composed | null>;
  /** Which roles may read the text; when absent, all that may list mails. A kind of mail with a secret must set it. */
  readonly readableBy?: (role: HeldRole) => boolean;
}

/** Every mail that the service sends, by its kind; made in `src/catalogue.ts`. */
export type MailTable = ReadonlyMap<string, MailKind<MailFacts>>;

/**
 * Declares a kind of mail. The catalogue lists it with its resource. `readableBy` says which roles may read it, when
 * not all may.
 */
export const declareMail = <Facts extends MailFacts>(
  kind: string,
  compose: MailKind<Facts>["compose"],
  readableBy?: MailKind<Facts>["readableBy"],
): MailKind<Facts> => ({ kind, compose, ...(readableBy && { readableBy }) });

/** A request for one mail. */
export interface MailRequest<Facts extends MailFacts> {
  /** The record of the mail: an id, or a payment's reference. */
  readonly about: string;
  /** The recipients. When all are null, no mail is requested. */
  readonly to: readonly (string | null)[];
  /**
   * A key within the organisation: a second request with the same key does nothing. Without a key every request creates
   * a mail.
   */
  readonly once?: string;
  readonly facts: Facts;
  /** A secret that only the reader may know. It is stored encrypted until the mail is written. */
  readonly secret?: string;
}

/**
 * Requests a mail by inserting one row, in the transaction of the change that causes it. The worker writes it and, when
 * mail is set up, sends it; staff can read it as soon as the transaction is committed. False when there is no address.
 */
export function requestMail<Facts extends MailFacts>(
  tx: Tx,
  ctx: Pick<Ctx, "organisation" | "now" | "secrets" | "mailEnabled">,
  kind: MailKind<Facts>,
  request: MailRequest<Facts>,
): boolean {
  const mails = newMails(ctx, kind, [request]);
  insertEmails(tx, mails, { send: ctx.mailEnabled, once: request.once !== undefined });
  return mails.length > 0;
}

/** Like `requestMail`, for many mails in one statement; none for a request without an address. */
export const requestMails = <Facts extends MailFacts>(
  tx: Tx,
  ctx: Pick<Ctx, "organisation" | "now" | "secrets" | "mailEnabled">,
  kind: MailKind<Facts>,
  requests: readonly Omit<MailRequest<Facts>, "once">[],
): void => insertEmails(tx, newMails(ctx, kind, requests), { send: ctx.mailEnabled, once: false });

function newMails<Facts extends MailFacts>(
  ctx: Pick<Ctx, "organisation" | "now" | "secrets">,
  { kind, readableBy }: MailKind<Facts>,
  requests: readonly MailRequest<Facts>[],
): NewEmail[] {
  const binding = { organisation: ctx.organisation.id, column: MAIL_SECRET_COLUMN };
  return requests.flatMap(({ about, to, once, facts, secret }) => {
    assert(secret === undefined || readableBy, `the mail ${kind} holds a secret and says who may read it`);
    const recipients = to.filter((address) => address !== null);
    if (recipients.length === 0) return [];
    const id = newId("mail");
    return {
      id,
      dedupeKey: once ?? `${kind}:${about}:${id}`,
      kind,
      recipients,
      about,
      facts,
      secretSealed: secret === undefined ? null : ctx.secrets.seal(secret, binding),
      createdAt: ctx.now,
    };
  });
}

/** The secret of a request for a mail. Throws an Error when it has none. */
export function secretOf({ secrets, organisation }: Ctx, { secretSealed }: RequestedMail<MailFacts>): string {
  if (secretSealed === null) throw new Error("The mail was asked for without its secret.");
  return secrets.open(secretSealed, { organisation: organisation.id, column: MAIL_SECRET_COLUMN });
}
