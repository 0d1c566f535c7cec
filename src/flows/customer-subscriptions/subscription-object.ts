import { calendarDay } from "../../kernel/time.ts";
import { findCustomerSubscription } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { ShownSubscription, SubscriptionInvoice } from "../../modules/customer-subscriptions/types.ts";
import { customerSubscriptionView } from "../../modules/customer-subscriptions/view.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { Ctx } from "../context.ts";
import { invoicePayUrl } from "../invoices/invoice-object.ts";
import type { PayerPage } from "../search/record-kind.ts";

/** A customer subscription as the API and the events show it (interface 2.13). */
export const subscriptionObject = (ctx: Ctx, of: ShownSubscription, isDryRun = false) =>
  customerSubscriptionView(of, of.openInvoice && invoicePayUrl(ctx, of.openInvoice), isDryRun);

/** The subscription with the invoices that were just made for its bills, oldest first. */
export function withInvoices(of: ShownSubscription, made: readonly Invoice[]): ShownSubscription {
  const last = made.at(-1);
  const open = made.find(({ status }) => status !== "paid" && status !== "cancelled");
  return {
    ...of,
    lastInvoice: last ? subscriptionInvoice(last) : of.lastInvoice,
    openInvoice: of.openInvoice ?? (open ? subscriptionInvoice(open) : null),
  };
}

const subscriptionInvoice = ({
  id,
  number,
  status,
  currency,
  total,
  paid,
  dueDate,
  payLinkId,
}: Invoice): SubscriptionInvoice => ({ id, number, status, currency, total, paid, dueDate, payLinkId });

/**
 * The page on which the open invoice of a subscription is paid; everything else is in the portal, only for the
 * customer.
 */
export const subscriptionPage: PayerPage = async (tx, ctx, id) => {
  const found = await findCustomerSubscription(tx, id, calendarDay(ctx.now));
  return found?.openInvoice ? invoicePayUrl(ctx, found.openInvoice) : null;
};
