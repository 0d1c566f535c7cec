import { businessDay } from "../../kernel/time.ts";
import { CUSTOMER_SUBSCRIPTION_BILL } from "../../modules/customer-subscriptions/declarations.ts";
import { isInvoiced } from "../../modules/customer-subscriptions/rules/planner/bills.ts";
import { billDue, billPaid } from "../../modules/customer-subscriptions/rules/planner/due.ts";
import { isBilled } from "../../modules/customer-subscriptions/states.ts";
import {
  findCustomerSubscription,
  invoiceOfPeriod,
  type lockCustomerSubscription,
  subscriptionsAwaiting,
} from "../../modules/customer-subscriptions/store.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { findInvoice } from "../../modules/invoices/store.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { applyOutcome, type MadeBill, tellOf } from "./apply-outcome.ts";
import { SUBSCRIPTION_ACTIVATED, SUBSCRIPTION_EXPIRED, SUBSCRIPTION_RENEWED } from "./declarations.ts";

/**
 * `customer_subscription.bill`: what `bringUpToDate` does. Returns null: the next work is asked for with the bills. Locks as `makeBills`.
 */
export async function billSubscription(
  tx: Tx,
  ctx: Ctx,
  { id }: NonNullable<Awaited<ReturnType<typeof lockCustomerSubscription>>>,
): Promise<null> {
  const before = await findCustomerSubscription(tx, id, businessDay(ctx.now));
  if (before) await bringUpToDate(tx, ctx, before);
  return null;
}

/**
 * Starts, bills or ends a subscription that has fallen due, each missed period with its own bill, oldest first; and moves the period of
 * one with collection method `manual` whose bill is paid (interface 16.13, 16.19). One that is paused, has ended or is billed elsewhere is
 * returned as it is. The subscription is locked. Locks as `makeBills`.
 */
export async function bringUpToDate(tx: Tx, ctx: Ctx, before: ShownSubscription): Promise<ShownSubscription> {
  if (!isBilled(before)) return before;
  const today = businessDay(ctx.now);
  const paid = await paidInvoice(tx, before);
  const outcome = paid ? billPaid(before.state, today) : billDue(before.state, today);
  const { after, made } = await applyOutcome(tx, ctx, before, outcome);
  tell(tx, ctx, { before, after, paid, made });
  return after;
}

/** The invoice that a period waits for, when it is paid. */
async function paidInvoice(tx: Tx, { id, state: { awaiting } }: ShownSubscription): Promise<Invoice | null> {
  const invoiceId = awaiting && (await invoiceOfPeriod(tx, id, awaiting.start));
  const invoice = invoiceId && (await findInvoice(tx, invoiceId));
  return invoice && invoice.status === "paid" ? invoice : null;
}

interface Billed {
  readonly before: ShownSubscription;
  readonly after: ShownSubscription;
  /** The invoice whose payment has moved the period. */
  readonly paid: Invoice | null;
  readonly made: readonly MadeBill[];
}

/** Events in the order of what happened. A `manual` subscription is renewed when its bill is paid, any other when it is billed. */
function tell(tx: Tx, ctx: Ctx, { before, after, paid, made }: Billed): void {
  if (paid) tellOf(tx, ctx, SUBSCRIPTION_RENEWED, after, paid);
  for (const { bill, invoice } of made) {
    if (bill.kind === "first") tellOf(tx, ctx, SUBSCRIPTION_ACTIVATED, after, invoice);
    const waits = after.state.periodMoves === "when_paid" && isInvoiced(bill);
    if (bill.kind === "cycle" && !waits) tellOf(tx, ctx, SUBSCRIPTION_RENEWED, after, invoice);
  }
  if (after.status === "expired" && before.status !== "expired") tellOf(tx, ctx, SUBSCRIPTION_EXPIRED, after, null);
}

/** After invoices were paid: asks for the renewal of subscriptions that waited for one of them. */
export async function renewPaid(tx: Tx, ctx: Ctx, invoices: readonly string[]): Promise<void> {
  for (const id of await subscriptionsAwaiting(tx, invoices)) enqueue(tx, CUSTOMER_SUBSCRIPTION_BILL, id, ctx.now);
}
