import type { EventType } from "../events/catalogue.ts";
import type { Ctx } from "../flows/context.ts";
import { mailReceipts, mailRefunds } from "../flows/mail/payer-mails.ts";
import type { Services } from "../flows/services.ts";
import { fanOut } from "../flows/webhooks/fan-out.ts";
import type { StoredEvent } from "../modules/events/types.ts";
import type { Tx } from "../platform/database.ts";

/** What follows from events, in a transaction after theirs. Gets those of one organisation that came together, in order. */
export type Reaction = (tx: Tx, ctx: Ctx, events: readonly StoredEvent[], services: Services) => Promise<void>;

const webhooks: Reaction = (tx, ctx, events) => fanOut(tx, ctx, events);
const receipts: Reaction = (tx, ctx, events, services) => mailReceipts(tx, ctx, subjectsOf(events), services);
const refundMails: Reaction = (tx, ctx, events, services) => mailRefunds(tx, ctx, subjectsOf(events), services);

/** Payments are the subjects of their events, by reference. */
const subjectsOf = (events: readonly StoredEvent[]): string[] => [...new Set(events.map(({ subject }) => subject))];

/** Spec part 6, row for row; a missing row does not compile. */
export const REACTIONS: { readonly [T in EventType]: readonly Reaction[] } = {
  "payment.complete": [webhooks, receipts],
  "payment.failed": [webhooks],
  "payment.cancelled": [webhooks],
  "payment.refunded": [webhooks, refundMails],
  "payment.partially_refunded": [webhooks, refundMails],
  "invoice.paid": [webhooks],
  "invoice.partially_paid": [webhooks],
  "invoice.cancelled": [webhooks],
  "invoice.created": [webhooks],
  "quote.created": [webhooks],
  "quote.updated": [webhooks],
  "quote.sent": [webhooks],
  "quote.accepted": [webhooks],
  "quote.declined": [webhooks],
  "quote.expired": [webhooks],
  "quote.invoiced": [webhooks],
  "eft.proof_received": [webhooks],
  "eft.rejected": [webhooks],
  "eft.expired": [webhooks],
  "eft.cancelled": [webhooks],
  "credit_note.created": [webhooks],
  "credit_note.issued": [webhooks],
  "credit_note.applied": [webhooks],
  "customer.standing.changed": [webhooks],
  "endpoint.test": [webhooks],
};
