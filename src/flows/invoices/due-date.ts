import { isOpen } from "../../domain/invoices.ts";
import { appendEvents } from "../../events/outbox.ts";
import { addSeconds, DAY_SECONDS, type Instant } from "../../kernel/time.ts";
import { lockCustomerBalancesOfInvoices } from "../../modules/books/store.ts";
import { lockNumbers } from "../../modules/document-numbers/store.ts";
import { findCollection } from "../../modules/dunning/store.ts";
import { subjectsWithEvent } from "../../modules/events/store.ts";
import { INVOICE_PAST_DUE } from "../../modules/invoices/declarations.ts";
import { isPastDue, nextReminder } from "../../modules/invoices/rules.ts";
import { moveInvoice } from "../../modules/invoices/states.ts";
import { lockInvoices, saveOverdue } from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { beingConfirmed } from "../../modules/payments/store/not-on-statement.ts";
import { findPendingCharge } from "../../modules/payments/store/payments.ts";
import type { Tx } from "../../platform/database.ts";
import { ExtensionPoint } from "../../platform/extension-point.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import { updateStandings } from "../customers/update-standing.ts";
import { currentSettings } from "../organisations/settings.ts";
import { mailInvoiceReminder } from "./invoice-mails.ts";
import { invoiceObject } from "./invoice-object.ts";
import type { LockedInvoice } from "./lock-invoice.ts";
import { messageAboutInvoice } from "./message-invoice.ts";

/**
 * Locks invoices whose due date has passed: first the invoice numbers, as every transaction does that locks several
 * customers, then the balances of their customers, then the invoices by id. Their links do not change, so they are not
 * locked.
 */
export async function lockPastDueInvoices(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, Invoice>> {
  lockNumbers(tx, "invoice");
  lockCustomerBalancesOfInvoices(tx, ids);
  return new Map((await lockInvoices(tx, ids)).map((invoice) => [invoice.id as string, invoice]));
}

/** What follows when invoices are past due, by their ids. */
export const INVOICES_PAST_DUE = new ExtensionPoint<(tx: Tx, ctx: Ctx, invoices: readonly string[]) => Promise<void>>();

/**
 * Appends `invoice.overdue` for open invoices that are past due, once for each, and runs `INVOICES_PAST_DUE`. The caller
 * has locked the invoices.
 */
export async function invoicesPastDue(tx: Tx, ctx: Ctx, invoices: readonly Invoice[]): Promise<void> {
  const ids = invoices.map(({ id }) => id);
  const announced = await subjectsWithEvent(tx, INVOICE_PAST_DUE.name, ids);
  const first = invoices.filter(({ id }) => !announced.has(id));
  if (first.length > 0)
    appendEvents(
      tx,
      ctx.now,
      INVOICE_PAST_DUE,
      first.map((invoice) => ({ subject: invoice.id, data: invoiceObject(ctx, invoice) })),
    );
  for (const react of INVOICES_PAST_DUE.of(ctx)) await react(tx, ctx, ids);
}

/**
 * Marks invoices overdue on the day after their due date (interface 3.3), as one set of an organisation. A partly paid
 * invoice keeps its status, but its customer's standing is overdue. Each customer's standing is computed once. Separate
 * work announces subscriptions that an invoice makes past due. The caller has locked the invoices by
 * `lockPastDueInvoices`.
 */
export async function markOverdue(tx: Tx, ctx: Ctx, invoices: readonly Invoice[]): Promise<void> {
  const late = invoices.filter((invoice) => isOpen(invoice) && isPastDue(invoice, ctx.now));
  const after = late.map((invoice): Invoice => {
    const status = moveInvoice(invoice.status, "past_due") ?? invoice.status;
    return status === invoice.status ? invoice : { ...invoice, status, updatedAt: ctx.now };
  });
  const moved = after.filter((invoice) => !late.includes(invoice));
  if (moved.length > 0)
    saveOverdue(
      tx,
      moved.map(({ id }) => id),
      ctx.now,
    );
  if (after.length > 0) await invoicesPastDue(tx, ctx, after);
  const inDefaultCurrency = late.filter(({ currency }) => currency === DEFAULT_CURRENCY);
  await updateStandings(tx, ctx, [...new Set(inDefaultCurrency.map(({ customer }) => customer.id))]);
}

/**
 * Requests a reminder of an open invoice, by email and by the channel that the settings name, before or after its due
 * date; returns the time of the next one, or null. The present settings decide, not those at the time when the work was
 * enqueued. Invoices that the service collects automatically have their own mails, until a bank reverses the payment. A
 * reminder more than a day late is not sent, nor one while a saved card is charged for the invoice or a payment of it
 * is confirmed, since the customer might then pay twice.
 */
export async function remindOfInvoice(tx: Tx, ctx: Ctx, { invoice }: LockedInvoice): Promise<Instant | null> {
  if (!isOpen(invoice) || !invoice.dueDate) return null;
  const { invoiceReminders } = await currentSettings(tx);
  const planned = nextReminder(invoice.dueDate, invoiceReminders, addSeconds(ctx.now, -DAY_SECONDS));
  if (planned && planned <= ctx.now) {
    const kind = isPastDue(invoice, ctx.now) ? "after" : "before";
    const [charged, confirmed, collected] = await Promise.all([
      findPendingCharge(tx, { linkId: invoice.payLinkId, invoiceId: invoice.id }),
      beingConfirmed(tx, { links: [], invoices: [invoice.id] }),
      findCollection(tx, invoice.id),
    ]);
    if (!charged && !confirmed.has(invoice.id) && (!collected || collected.ended === "taken_back")) {
      mailInvoiceReminder(tx, ctx, invoice, kind);
      await messageAboutInvoice(tx, ctx, "reminder", invoice);
    }
  }
  return nextReminder(invoice.dueDate, invoiceReminders, ctx.now);
}
