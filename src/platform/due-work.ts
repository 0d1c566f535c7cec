import type { Instant } from "../kernel/time.ts";
import type { Tx } from "./database.ts";

/** Kinds of due work; each has one handler in `worker/handlers.ts`, and a missing one does not compile. */
export type DueKind =
  | "event.react"
  | "webhook.deliver"
  | "mail.send"
  | "payment.check"
  | "refund.check"
  | "organisation.daily";

/**
 * Asks for work on `subject` at `due`, in the caller's transaction. At most one of a kind and subject is outstanding:
 * asking again replaces the time and starts its attempts anew (design 5.4).
 */
export function enqueue(tx: Tx, kind: DueKind, subject: string, due: Instant): void {
  tx.queue`select enqueue_due_work(${kind}, ${subject}, ${due})`;
}

/** Takes the work back, if it is still outstanding. */
export function cancelWork(tx: Tx, kind: DueKind, subject: string): void {
  tx.queue`delete from due_work where organisation_id = ${tx.organisation} and kind = ${kind} and subject = ${subject}`;
}
