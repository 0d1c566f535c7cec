import { composeMails } from "../flows/mail/compose-mails.ts";
import { MAIL_COMPOSE } from "../modules/emails/declarations.ts";
import { unwrittenEmails } from "../modules/emails/store.ts";
import { actingInSets } from "./handlers.ts";
import type { HandledWork } from "./job.ts";

/** `mail.compose`: writes each requested mail once. */
export const createComposeMail: HandledWork["handler"] = (parts) =>
  actingInSets(
    MAIL_COMPOSE,
    async (tx, ids) => new Map((await unwrittenEmails(tx, ids)).map((email) => [email.id as string, email])),
    (tx, ctx, emails) => composeMails(tx, ctx, parts.mails, emails, { sends: parts.mailer.sends }),
  ).handler(parts);
