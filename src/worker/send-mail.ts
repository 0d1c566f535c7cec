import { clockOf } from "../flows/context.ts";
import { composeMails } from "../flows/mail/compose-mails.ts";
import { MAIL_COMPOSE, MAIL_SEND } from "../modules/emails/declarations.ts";
import { beginSending, giveUpSending, recordSending, unwrittenEmails } from "../modules/emails/store.ts";
import type { Email } from "../modules/emails/types.ts";
import { completeWork, enqueue, lockLeased, requireLeased, retryLater, type Work } from "../platform/due-work.ts";
import type { MailResult } from "../platform/mailer.ts";
import { actingInSets } from "./handlers.ts";
import type { HandledWork, Handler, Job, WorkerParts } from "./job.ts";
import { ATTEMPTS_MAX, exponentialBackOff } from "./perform.ts";

/**
 * `mail.send`: sends a mail at most once. The mail is committed as `sending` before it is given to the server. A later
 * attempt that finds it in that status marks it `unknown` and does not send it again
 * (decisions.md#mail-is-sent-at-most-once).
 */
export function createSendMail({
  services,
  mailer,
  metrics,
}: Pick<WorkerParts, "services" | "mailer" | "metrics">): Handler {
  const { db } = services;
  const { hostname } = new URL(services.baseUrl);
  const domain = /^[\w.-]+$/.test(hostname) ? hostname : "localhost";

  const begin = ({ work }: Job): Promise<Email | null> =>
    db.transaction(work.organisation, async (tx) => {
      await requireLeased(tx, work);
      const email = mailer.sends ? await beginSending(tx, work.subject) : null;
      if (email) return email;
      giveUpSending(tx, work.subject, mailer);
      completeWork(tx, [work]);
      return null;
    });

  const end = ({ work, ctx }: Job, email: Email, result: MailResult): Promise<void> =>
    db.transaction(work.organisation, async (tx) => {
      const now = clockOf(ctx.organisation);
      if (result.outcome !== "temporary" || work.attempt >= ATTEMPTS_MAX) {
        recordSending(tx, email.id, { ...mailOutcome(result), sentAt: result.outcome === "sent" ? now : null });
        completeWork(tx, [work]);
        return;
      }
      recordSending(tx, email.id, { status: "queued", error: result.error, sentAt: null });
      const held = (await lockLeased(tx, [work])).has(work.subject);
      // The wait is in real time, not by the organisation's clock, since the mail server is a real one.
      if (held) retryLater(tx, work, exponentialBackOff(work.attempt), result.error);
      else enqueue(tx, MAIL_SEND, work.subject, now);
    });

  return async (job) => {
    const email = await begin(job);
    if (!email) return "done";
    const result = await mailer.send({
      messageId: messageIdOf(job.work, domain),
      from: { name: email.fromName, address: `no-reply@${domain}` },
      replyTo: email.replyTo,
      recipients: email.recipients,
      subject: email.subject,
      text: email.text,
      html: email.html,
    });
    metrics.observeMail(result.outcome);
    services.log.info({ organisation: job.work.organisation, email: email.id, outcome: result.outcome }, "mail");
    await end(job, email, result);
    return "done";
  };
}

const messageIdOf = ({ subject }: Work, domain: string): string => `<${subject}@${domain}>`;

function mailOutcome(result: MailResult): { status: "sent" | "failed" | "unknown"; error: string | null } {
  switch (result.outcome) {
    case "sent":
      return {
        status: "sent",
        error: result.rejected.length > 0 ? `The server refused: ${result.rejected.join(", ")}` : null,
      };
    case "unknown":
      return { status: "unknown", error: result.error };
    default:
      return { status: "failed", error: result.error };
  }
}

/** `mail.compose`: writes each requested mail once. */
export const createComposeMail: HandledWork["handler"] = (parts) =>
  actingInSets(
    MAIL_COMPOSE,
    async (tx, ids) => new Map((await unwrittenEmails(tx, ids)).map((email) => [email.id as string, email])),
    (tx, ctx, emails) => composeMails(tx, ctx, parts.mails, emails, { sends: parts.mailer.sends }),
  ).handler(parts);
