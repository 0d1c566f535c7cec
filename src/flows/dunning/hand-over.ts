import { isOpen } from "../../domain/invoices.ts";
import { calendarDay, type Instant, startOfDay } from "../../kernel/time.ts";
import type { Card } from "../../modules/cards/types.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { invoicesOfUnsent } from "../../modules/debit-batches/store/debit-batches.ts";
import { SUBSCRIPTION_COLLECT } from "../../modules/dunning/declarations.ts";
import { handedOver, takenBack } from "../../modules/dunning/rules.ts";
import { insertCollections, openCollections, saveCollection } from "../../modules/dunning/store.ts";
import type { Collection } from "../../modules/dunning/types.ts";
import { allocationsOf, invoicesOfSubscription } from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { deactivatePaymentLink } from "../../modules/payment-links/store.ts";
import { hasPaymentUnderWay } from "../../modules/payments/store/payments.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork, dueTimeOf, enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { mailInvoices } from "../invoices/invoice-mails.ts";
import { lockInvoiceForChange } from "../invoices/lock-invoice.ts";
import { makePayLinkAgain } from "../invoices/pay-link.ts";
import { currentSettings } from "../organisations/settings.ts";
import { tryCard } from "./try-new-card.ts";

/** The new method: the card that is charged, or how else the subscription is collected from now on. */
export type NewMethod =
  | { readonly method: "gateway"; readonly card: Card }
  | { readonly method: "debit_order" | "invoice" };

/**
 * What is done about an open invoice from now on. `under_way`: a payment of it was begun and is left alone; the new
 * method collects the invoice if it fails. `charged_now`; `charged`, at `at`; `debited`, on the mandate's next date; `mailed` to be
 * paid on its page. `page`: a bank took its payment back, so it is only paid on its page.
 */
export interface HandedInvoice {
  readonly invoice: Invoice;
  readonly next: "under_way" | "charged_now" | "charged" | "debited" | "mailed" | "page";
  /** When it is charged; null for anything else, and while a batch that is not sent yet holds its debit. */
  readonly at: Instant | null;
}

/** The most open invoices of a subscription that are handed over. */
const INVOICES_MAX = 500;

/**
 * Hands the open invoices of a subscription over to its new method, by `handedOver`. Invoices that were mailed until
 * now are collected when they fall due, those past their due dates at once. The subscription is locked and saved with
 * the new method. Locks the customer's balance, the links and the invoices that are mailed.
 */
export async function handOver(
  tx: Tx,
  ctx: Ctx,
  { id, collectionMethod }: Pick<ShownSubscription, "id" | "collectionMethod">,
  to: NewMethod,
): Promise<readonly HandedInvoice[]> {
  const [invoices, collections] = await Promise.all([
    invoicesOfSubscription(tx, id, { limit: INVOICES_MAX }),
    openCollections(tx, id),
  ]);
  const open = invoices.filter(isOpen).toReversed();
  const unsent = await invoicesOfUnsent(
    tx,
    open.map((invoice) => invoice.id),
  );
  const handed: HandedInvoice[] = [];
  for (const invoice of open) {
    const known = collections.find(({ invoiceId }) => invoiceId === invoice.id);
    const fromCard = collectionMethod === "gateway";
    // It is paid on its page, and goes on being paid there.
    if (!known && (to.method === "invoice" || (fromCard && to.method === "gateway"))) continue;
    const begun = { invoiceId: invoice.id, subscriptionId: id, missedAt: null, isHard: false, createdAt: ctx.now };
    const collection = known ?? (await begunOf(tx, ctx, begun));
    if (!known) insertCollections(tx, [begun]);
    const at = await handedTo(tx, ctx, { invoice, collection, isNew: !known, fromCard }, to);
    const isUnsent = unsent.has(invoice.id);
    if (!isUnsent && (await hasPaymentUnderWay(tx, invoice.id))) handed.push({ invoice, next: "under_way", at: null });
    else if (collection.ended === "taken_back" && to.method !== "invoice")
      handed.push({ invoice, next: "page", at: null });
    else handed.push({ invoice, ...nextOf(ctx, to, isUnsent ? null : at) });
  }
  if (to.method === "invoice") await mailOpen(tx, ctx, handed);
  return handed;
}

function nextOf({ now }: Ctx, { method }: NewMethod, at: Instant | null): Pick<HandedInvoice, "next" | "at"> {
  if (method === "gateway") return { next: at !== null && at <= now ? "charged_now" : "charged", at };
  return { next: method === "invoice" ? "mailed" : "debited", at: null };
}

type Begun = Parameters<typeof insertCollections>[1][number];

/** The collection of an invoice that was mailed until now: ended already when a bank took a payment of it back. */
async function begunOf(tx: Tx, { now }: Ctx, begun: Begun): Promise<Collection> {
  const collection: Collection = { ...begun, retries: 0, newCardId: null, ended: null };
  const wasTakenBack = (await allocationsOf(tx, begun.invoiceId)).some(({ source }) => source === "reversal");
  return wasTakenBack ? takenBack(collection, { method: "gateway", isHard: true, now }) : collection;
}

interface ToHand {
  readonly invoice: Invoice;
  readonly collection: Collection;
  /** Whether the invoice was mailed until now. */
  readonly isNew: boolean;
  readonly fromCard: boolean;
}

/** Stores the collection and its work; returns when the card is charged, null when it is not. */
async function handedTo(
  tx: Tx,
  ctx: Ctx,
  { invoice, collection, isNew, fromCard }: ToHand,
  to: NewMethod,
): Promise<Instant | null> {
  const { dunning } = await currentSettings(tx);
  const target = to.method === "gateway" ? { method: to.method, card: to.card.id } : { method: to.method };
  const after = handedOver(collection, target, dunning, ctx.now);
  if (to.method === "gateway" && fromCard) {
    // A card with which the last attempt was made is not tried again before its day.
    if (collection.missedAt !== null && (await tryCard(tx, ctx, invoice.id, to.card))) return ctx.now;
    return dueTimeOf(tx, SUBSCRIPTION_COLLECT, invoice.id);
  }
  saveCollection(tx, after.collection);
  if (to.method !== "gateway" || after.work === "none") {
    cancelWork(tx, SUBSCRIPTION_COLLECT, invoice.id);
    return null;
  }
  const waits = (isNew || collection.ended === "stopped") && collection.missedAt === null && invoice.dueDate !== null;
  const due = waits && invoice.dueDate > calendarDay(ctx.now) ? startOfDay(invoice.dueDate) : ctx.now;
  enqueue(tx, SUBSCRIPTION_COLLECT, invoice.id, due);
  return due;
}

/** Mails the invoices that nothing collects any more, with a page that takes every way of paying. */
async function mailOpen(tx: Tx, ctx: Ctx, handed: readonly HandedInvoice[]): Promise<void> {
  const mailed: Invoice[] = [];
  for (const { invoice, next } of handed) {
    if (next !== "mailed") continue;
    const locked = await lockInvoiceForChange(tx, invoice.id);
    if (!locked || !isOpen(locked.invoice)) continue;
    const link = locked.links.find(({ id }) => id === locked.invoice.payLinkId);
    if (link?.keepsCard) {
      deactivatePaymentLink(tx, link.id);
      mailed.push(await makePayLinkAgain(tx, ctx, locked.invoice));
    } else mailed.push(locked.invoice);
  }
  mailInvoices(tx, ctx, mailed);
}
