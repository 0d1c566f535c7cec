import { MAILS } from "../../src/catalogue.ts";
import { contextFor, SYSTEM } from "../../src/flows/context.ts";
import { readEmails } from "../../src/flows/mail/compose-mails.ts";
import type { Services } from "../../src/flows/services.ts";
import type { EmailId } from "../../src/kernel/ids.ts";
import type { Instant } from "../../src/kernel/time.ts";
import { MAIL_COMPOSE } from "../../src/modules/emails/declarations.ts";
import { insertEmails, saveContents } from "../../src/modules/emails/store.ts";
import type { Email } from "../../src/modules/emails/types.ts";
import { findOrganisation } from "../../src/modules/organisations/store.ts";
import type { Organisation } from "../../src/modules/organisations/types.ts";
import type { Tx } from "../../src/platform/database.ts";
import { cancelWork } from "../../src/platform/due-work.ts";
import { newId } from "../../src/platform/new-id.ts";

/** An organisation's mails as staff read them, oldest first; with `q` those whose subject or recipients contain it. */
export async function mailsOf(
  services: Services,
  { id }: Pick<Organisation, "id">,
  query: { q?: string; recipient?: string; kind?: string } = {},
): Promise<Email[]> {
  const organisation = await services.db.read(id, findOrganisation);
  if (!organisation) throw new Error(`no organisation ${id}`);
  const ctx = contextFor(services, organisation, SYSTEM);
  const mails = await services.db.read(id, (tx) => readEmails(tx, ctx, MAILS, { limit: 1000, ...query }));
  return mails.toReversed();
}

/** Fields of a mail that a test chooses. */
export interface TestMail {
  readonly dedupeKey: string;
  readonly kind: string;
  readonly recipients: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** HTML of its paragraphs. */
  readonly html?: string;
  readonly createdAt: Instant;
}

/** Stores a composed mail: to be sent, or with `sends` false only recorded. Answers its id; does nothing when its key exists. */
export async function addWrittenMail(tx: Tx, mail: TestMail, { sends }: { sends: boolean }): Promise<EmailId> {
  const { dedupeKey, kind, recipients, subject, text, html = `<p>${text}</p>`, createdAt } = mail;
  const id = newId("mail");
  const asked = { id, dedupeKey, kind, recipients, about: id, facts: {}, secretSealed: null, createdAt };
  insertEmails(tx, [asked], { once: true, send: sends });
  const sender = { fromName: "Thandi's Shop", replyTo: "help@shop.example" };
  await saveContents(tx, [{ id, ...sender, subject, text, html }], { sends });
  // After its writing was asked for, which is done before the commit, too.
  tx.beforeCommit(() => cancelWork(tx, MAIL_COMPOSE, id));
  return id;
}
