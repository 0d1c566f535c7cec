import { customerReferenceView } from "../../domain/customer-reference.ts";
import { lineReasonView } from "../../domain/line-reason.ts";
import { exemption } from "../../kernel/exemption.ts";
import type { Totals } from "../../kernel/lines.ts";
import { subtract, sum, toRand } from "../../kernel/money.ts";
import { percentOrNull } from "../../kernel/percent.ts";
import { tieringFields } from "../../kernel/tiers.ts";
import { addDays, addMonths, type CalendarDay, startOfDay, toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import type { Cohort } from "./rules/cohorts.ts";
import type { ChangePreview, ProrationInvoice } from "./rules/planner/change.ts";
import { lastDayOf } from "./rules/planner/periods.ts";
import { regularPrice } from "./rules/planner/prices.ts";
import { isBeforeFirstBill } from "./rules/planner/terms.ts";
import type { Bill, BillLine, Coupon, Item, Span, Terms } from "./rules/planner/types.ts";
import type { RevenueSpan } from "./rules/revenue-over-time.ts";
import { nextBillingOn, shownStatus } from "./states.ts";
import type { CountedAmount, Movement, MovementKind, ShownSubscription, SubscriptionInvoice } from "./types.ts";

/** Interface 2.13. `id` and `createdAt` are null in a dry run. `payUrl`: the page on which the open invoice is paid. */
export function customerSubscriptionView(of: ShownSubscription, payUrl: string | null, isDryRun = false) {
  const { state } = of;
  const { terms, period } = state;
  const isExternal = of.collectionMethod === "external";
  return {
    object: "customer_subscription" as const,
    id: isDryRun ? null : of.id,
    status: shownStatus(of),
    customer: customerReferenceView(of.customer),
    plan: of.plan,
    collectionMethod: of.collectionMethod,
    collectedByService: !isExternal,
    billedBy: isExternal ? (of.metadata["importedFrom"] ?? null) : null,
    billingPeriod: terms.price.frequency,
    currency: terms.price.currency,
    amount: toRand(regularPrice(terms).amount),
    quantity: terms.quantity,
    items: terms.items.map(itemView),
    startDate: state.startsOn,
    trialEnd: trialEnd(of),
    billingAnchorDay: state.anchor.given ? state.anchor.day : null,
    currentPeriodStart: period?.start ?? null,
    currentPeriodEnd: period && (isExternal ? period.next : lastDayOf(period)),
    nextBillingAt: timestampOf(nextBillingOn(of)),
    cyclesBilled: state.cyclesBilled,
    payment: paymentView(of, payUrl),
    card: of.card,
    mandateId: of.mandateId,
    lastInvoice: of.lastInvoice && lastInvoiceView(of.lastInvoice),
    pendingChange: pendingView(state),
    cancelAtPeriodEnd: state.cancelAtPeriodEnd,
    cancelReason: of.cancelReason,
    pausedAt: toTimestampOrNull(of.pausedAt),
    cancelledAt: toTimestampOrNull(of.cancelledAt),
    credit: toRand(sum(state.credits.map(({ amount }) => amount))),
    discounts: state.discounts.map((one) => ({ ...one, percent: Number(one.percent) })),
    coupon: state.coupon && couponView(state.coupon),
    externalReference: of.externalReference,
    metadata: of.metadata,
    source: of.source,
    createdAt: isDryRun ? null : toTimestamp(of.createdAt),
  };
}

/**
 * Whether its payer has something to pay on a page: of a subscription that the service collects by itself, a first
 * charge or a missed one.
 */
function paymentView({ collectionMethod, status, isPastDue, openInvoice }: ShownSubscription, url: string | null) {
  const byHand = collectionMethod === "invoice" || collectionMethod === "manual";
  const due = openInvoice !== null && (byHand || status === "pending" || isPastDue);
  return { due, url: due ? url : null };
}

const lastInvoiceView = ({ id, number, status, total, paid, dueDate }: SubscriptionInvoice) => ({
  id,
  number,
  status,
  total: toRand(total),
  amountDue: status === "cancelled" ? 0 : toRand(subtract(total, paid)),
  dueDate,
});

const couponView = ({ id, code, off, limit, used }: Coupon) => ({
  id,
  code,
  percent: "percent" in off ? Number(off.percent) : null,
  amount: "amount" in off ? toRand(off.amount) : null,
  chargesLeft: limit && Math.max(0, limit - used),
});

/** The change that takes effect at the next renewal. */
function pendingView({ pendingChange, period, awaiting, startsOn }: ShownSubscription["state"]) {
  if (pendingChange === null) return null;
  const { price, quantity, items } = pendingChange;
  return {
    effectiveAt: toTimestamp(startOfDay((awaiting ?? period)?.next ?? startsOn)),
    plan: { id: price.planId, name: price.name },
    quantity,
    items: items.map(itemView),
    amount: toRand(regularPrice(pendingChange).amount),
  };
}

/** The last day of the trial, until the first bill; for one that is billed elsewhere, the day after it, as the platform reports it. */
function trialEnd({ collectionMethod, status, state }: ShownSubscription) {
  const { period, startsOn, trialDays } = state;
  if (collectionMethod === "external") return status === "trialing" ? (period?.next ?? null) : null;
  if (period !== null) return isBeforeFirstBill(state) ? lastDayOf(period) : null;
  return trialDays === 0 ? null : addDays(startsOn, trialDays - 1);
}

const timestampOf = (day: CalendarDay | null): string | null => day && toTimestamp(startOfDay(day));

const itemView = (item: Item) => ({
  id: item.id,
  code: item.code,
  kind: item.kind,
  description: item.description,
  unitAmount: Number(item.unitAmount),
  quantity: Number(item.kind === "metered" ? item.usage : item.quantity),
  ...(item.kind === "one_time" ? {} : tieringFields(item.tiering)),
  ...(item.kind === "metered" ? { aggregation: item.aggregation ?? ("sum" as const) } : {}),
  ...(item.kind === "metered" && item.uniqueBy ? { uniqueBy: item.uniqueBy } : {}),
});

/** A bill that is made now, or would be made. */
export const billView = (bill: Bill) => ({
  charge: bill.kind,
  date: bill.date,
  ...spanView(bill),
  currency: bill.currency,
  lines: bill.lines.map(billLineView),
  ...sumsView(bill),
});

const spanView = (span: Span) => ({ periodStart: span.start, periodEnd: lastDayOf(span) });
const sumsView = ({ subtotal, tax, total }: Totals) => ({
  subtotal: toRand(subtotal),
  tax: toRand(tax),
  total: toRand(total),
});
/** A line of a bill, with its reason; with VAT when the price includes it, else without. */
export const billLineView = ({ description, details, amount, taxExempt, reason }: BillLine) => ({
  description,
  details,
  ...exemption(taxExempt),
  amount: toRand(amount),
  reason: lineReasonView(reason),
});

/** A line of a preview. An item that does not exist yet has no id. */
function previewedLine(line: BillLine) {
  const { reason, ...rest } = billLineView(line);
  const { id: _id, ...why } = reason;
  return { ...rest, reason: why };
}

/** The effect of a change (interface 2.13, `subscription_change_preview`). */
export const changePreviewView = (subscriptionId: string, preview: ChangePreview) => ({
  object: "subscription_change_preview" as const,
  subscriptionId,
  requestedProration: preview.requestedProration,
  proration: preview.proration,
  note: preview.note,
  effectiveAt: toTimestamp(startOfDay(preview.effectiveAt)),
  currency: preview.next.price.currency,
  current: termsView(preview.current),
  next: { ...termsView(preview.next), items: preview.next.items.map(itemView).map(({ id: _id, ...item }) => item) },
  prorationInvoice: preview.prorationInvoice && prorationView(preview.prorationInvoice),
  nextInvoice: preview.nextInvoice && nextInvoiceView(preview.nextInvoice),
});

function termsView(terms: Terms) {
  const price = regularPrice(terms);
  const { planId, name: planName, frequency } = terms.price;
  return { planId, planName, quantity: terms.quantity, frequency, amount: toRand(price.amount), ...sumsView(price) };
}

const prorationView = ({ bill, dueNow, creditToNextRenewal, resetsPeriod }: ProrationInvoice) => ({
  lines: bill.lines.map((line) => ({
    ...previewedLine(line),
    periodStart: line.periodStart ?? bill.start,
    periodEnd: line.periodEnd ?? lastDayOf(bill),
  })),
  dueNow: toRand(dueNow),
  creditToNextRenewal: toRand(creditToNextRenewal),
  ...spanView(bill),
  resetsPeriod,
  ...sumsView(bill),
});

const nextInvoiceView = (bill: Bill) => ({
  date: bill.date,
  ...spanView(bill),
  lines: bill.lines.map(previewedLine),
  ...sumsView(bill),
});

/** Interface 14.2. */
export const movementView = ({ customer, amount, happenedAt, ...rest }: Movement) => ({
  ...rest,
  customer: customerReferenceView(customer),
  amount: toRand(amount),
  happenedAt: toTimestamp(happenedAt),
});

/** The sums behind the figures, in all currencies. */
interface FigureTotals {
  readonly mrr: readonly CountedAmount[];
  readonly movements: readonly (CountedAmount & { readonly kind: MovementKind })[];
  readonly missed: readonly (CountedAmount & { readonly outcome: "failed" | "recovered" })[];
}

/** Interface 14.4: the figures of one currency; `from` is the first day of the movements. */
export function recurringRevenueView(currency: string, from: CalendarDay, { mrr, movements, missed }: FigureTotals) {
  const figure = (totals: readonly CountedAmount[], list: string) => {
    const own = totals.filter((total) => total.currency === currency);
    return {
      amount: toRand(sum(own.map(({ amount }) => amount))),
      count: own.reduce((all, { count }) => all + count, 0),
      list: `/dashboard/api/${list}&currency=${currency}`,
    };
  };
  const moved = (kind: MovementKind) =>
    figure(
      movements.filter((one) => one.kind === kind),
      `subscription-movements?kind=${kind}&from=${from}`,
    );
  const ofMissed = (outcome: "failed" | "recovered") =>
    figure(
      missed.filter((one) => one.outcome === outcome),
      `invoices?missed=${outcome}`,
    );
  return {
    currency,
    mrr: figure(mrr, "customer-subscriptions?recurring=true"),
    movements: {
      new: moved("new"),
      expansion: moved("expansion"),
      contraction: moved("contraction"),
      churn: moved("churn"),
      reactivation: moved("reactivation"),
    },
    failed: ofMissed("failed"),
    recovered: ofMissed("recovered"),
  };
}

/** Interface 14.4: recurring revenue before and after some days, what moved it, and what stopped of it in percent. */
export function revenueSpanView(span: RevenueSpan) {
  const { opening, moved, closing } = span;
  const figure = ({ amount, count }: RevenueSpan["opening"]) => ({ amount: toRand(amount), count });
  return {
    opening: figure(opening),
    moved: {
      new: figure(moved.new),
      expansion: figure(moved.expansion),
      contraction: figure(moved.contraction),
      churn: figure(moved.churn),
      reactivation: figure(moved.reactivation),
    },
    closing: figure(closing),
    churn: {
      subscriptionsPercent: percentOrNull(moved.churn.count, opening.count),
      revenuePercent: percentOrNull(-moved.churn.amount, opening.amount),
    },
  };
}

/** Interface 14.4: cohorts up to `last`, each with what is left of it in percent of what started. */
export function cohortsView(cohorts: readonly Cohort[], last: CalendarDay) {
  const figure = ({ amount, count }: Cohort["started"]) => ({ amount: toRand(amount), count });
  const endOf = (month: CalendarDay): CalendarDay => {
    const end = addDays(addMonths(month, 1), -1);
    return end < last ? end : last;
  };
  return cohorts.map(({ month, started, months }) => ({
    from: month,
    to: endOf(month),
    started: figure(started),
    months: months.map((of) => ({
      to: endOf(of.month),
      active: figure(of),
      subscriptionsPercent: percentOrNull(of.count, started.count) ?? 0,
      revenuePercent: percentOrNull(of.amount, started.amount) ?? 0,
    })),
  }));
}
