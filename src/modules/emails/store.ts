// Writes: emails. Reads nothing else.
import type { EmailId } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";
import type { Tx } from "../../platform/database.ts";

/** A mail before anything is done about sending it. */
export interface NewEmail {
  readonly id: EmailId;
  /** What makes it happen once: recorded again under the same key, nothing happens. */
  readonly dedupeKey: string;
  /** What it is about, such as `invitation`; for staff who look for one. */
  readonly kind: string;
  readonly recipients: readonly string[];
  readonly replyTo: string | null;
  readonly fromName: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly createdAt: Instant;
}

/** Writes the mail, and with `send` asks for it to be sent at once. Nothing when its key is known. */
export function insertEmail(tx: Tx, email: NewEmail, { send }: { send: boolean }): void {
  tx.queue`
    with recorded as (
      insert into emails (organisation_id, id, dedupe_key, kind, recipients, reply_to, from_name, subject, text_body, html_body,
        status, created_at)
      values (${tx.organisation}, ${email.id}, ${email.dedupeKey}, ${email.kind}, ${email.recipients}, ${email.replyTo},
        ${email.fromName}, ${email.subject}, ${email.text}, ${email.html}, ${send ? "queued" : "recorded"}, ${email.createdAt})
      on conflict (organisation_id, dedupe_key) do nothing returning id, status, created_at)
    select enqueue_due_work('mail.send', id, created_at) from recorded where status = 'queued'`;
}
