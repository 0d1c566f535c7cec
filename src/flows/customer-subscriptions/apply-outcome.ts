import { appendEvent } from "../../events/outbox.ts";
import { newId } from "../../kernel/ids.ts";
import { addDays, startOfDay } from "../../kernel/time.ts";
import { CUSTOMER_SUBSCRIPTION_BILL } from "../../modules/customer-subscriptions/declarations.ts";
import { invoiceLines, isInvoiced } from "../../modules/customer-subscriptions/rules/planner/bills.ts";
import { lastDayOf } from "../../modules/customer-subscriptions/rules/planner/periods.ts";
import type { Bill, Outcome } from "../../modules/customer-subscriptions/rules/planner/types.ts";
import { statusAfter } from "../../modules/customer-subscriptions/states.ts";
import { insertBill, saveCustomerSubscription } from "../../modules/customer-subscriptions/store.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { insertWithNumber } from "../invoices/create-invoice.ts";
import { invoiceObject } from "../invoices/invoice-object.ts";
import { issueAndMail } from "../invoices/send-invoice.ts";
import { currentSettings } from "../organisations/settings.ts";
import type {
  SUBSCRIPTION_ACTIVATED,
  SUBSCRIPTION_CREATED,
  SUBSCRIPTION_EXPIRED,
  SUBSCRIPTION_RENEWED,
} from "./declarations.ts";
import { subscriptionObject, withInvoices } from "./subscription-object.ts";

type Told =
  | typeof SUBSCRIPTION_CREATED
  | typeof SUBSCRIPTION_ACTIVATED
  | typeof SUBSCRIPTION_RENEWED
  | typeof SUBSCRIPTION_EXPIRED;

/** A bill, with its invoice when something is to pay. */
export interface MadeBill {
  readonly bill: Bill;
  readonly invoice: Invoice | null;
}

/**
 * Stores what the planner answered for a subscription that is locked, with what the caller changes besides, and makes its bills. Locks as
 * `makeBills`.
 */
export async function applyOutcome(
  tx: Tx,
  ctx: Ctx,
  before: ShownSubscription,
  outcome: Outcome,
): Promise<{ after: ShownSubscription; made: readonly MadeBill[] }> {
  const after = subscriptionAfter(ctx, before, outcome);
  saveCustomerSubscription(tx, after);
  return makeBills(tx, ctx, after, outcome);
}

/** The subscription after what the planner answered; the caller stores it. */
export const subscriptionAfter = (ctx: Ctx, before: ShownSubscription, outcome: Outcome): ShownSubscription => ({
  ...before,
  status: statusAfter(outcome),
  state: outcome.after,
  nextDue: outcome.nextDue,
  updatedAt: ctx.now,
});

/**
 * Makes the planner's bills, each with its invoice, and asks for what falls due next; answers the subscription with them. It is stored before, and locked. Locks the
 * invoice numbers and the customer's balance.
 */
export async function makeBills(
  tx: Tx,
  ctx: Ctx,
  after: ShownSubscription,
  { bills }: Pick<Outcome, "bills">,
): Promise<{ after: ShownSubscription; made: readonly MadeBill[] }> {
  const made: MadeBill[] = [];
  for (const bill of bills) {
    const invoice = isInvoiced(bill) ? await makeInvoice(tx, ctx, after, bill) : null;
    insertBill(tx, {
      id: newId("csb"),
      subscriptionId: after.id,
      bill,
      invoiceId: invoice?.id ?? null,
      createdAt: ctx.now,
    });
    made.push({ bill, invoice });
  }
  if (after.nextDue !== null) enqueue(tx, CUSTOMER_SUBSCRIPTION_BILL, after.id, startOfDay(after.nextDue));
  const invoices = made.flatMap(({ invoice }) => invoice ?? []);
  return { after: withInvoices(after, invoices), made };
}

/** The invoice of a bill: sent, or with collection method `manual` left a draft until its payment is recorded (interface 16.13). */
async function makeInvoice(tx: Tx, ctx: Ctx, sub: ShownSubscription, bill: Bill): Promise<Invoice> {
  const settings = await currentSettings(tx);
  const isSent = sub.collectionMethod === "invoice";
  const { invoice, credit } = await insertWithNumber(tx, ctx, {
    status: isSent ? "sent" : "draft",
    customer: sub.customer,
    currency: bill.currency,
    issueDate: bill.date,
    dueDate: addDays(bill.date, settings.dueDays),
    taxInclusive: bill.taxInclusive,
    subtotal: bill.subtotal,
    tax: bill.tax,
    total: bill.total,
    lines: invoiceLines(bill),
    notes: settings.invoiceTerms,
    metadata: {},
    externalReference: null,
    periodStart: bill.start,
    periodEnd: lastDayOf(bill),
    quoteId: null,
  });
  return isSent ? issueAndMail(tx, ctx, invoice, credit) : invoice;
}

/** Appends an event with the subscription as it is after the change, and the invoice that it is about. */
export function tellOf(tx: Tx, ctx: Ctx, event: Told, after: ShownSubscription, invoice: Invoice | null): void {
  const data = { ...subscriptionObject(ctx, after), invoice: invoice && invoiceObject(ctx, invoice) };
  appendEvent(tx, ctx.now, event, after.id, data);
}
