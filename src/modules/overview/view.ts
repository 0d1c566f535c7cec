import type { FunnelDay } from "../../domain/funnel.ts";
import type { CurrencyTotal } from "../../domain/totals.ts";
import { type Cents, cents, sum, toRand, ZERO } from "../../kernel/money.ts";
import { type CalendarDay, type Instant, toTimestamp } from "../../kernel/time.ts";
import { type Days, type Division, daysBefore, divided, receivedSpans } from "./rules.ts";
import {
  EXPECTED_KINDS,
  type ExpectedDay,
  type ExpectedKind,
  type MoneyPlace,
  type OwedTotal,
  type ReceiptRow,
  type ReceivedDay,
  type ReceivedWay,
  TASK_KINDS,
  type TaskKind,
  type TaskTotal,
} from "./types.ts";

const list = (path: string) => `/dashboard/api/${path}`;

/** Sums of what was received, in rand or another currency's units. */
function receivedFigures(of: readonly Omit<ReceivedDay, "currency" | "day">[]) {
  const total = (name: "gross" | "refunded" | "reversed") => sum(of.map((one) => one[name]));
  const [gross, refunded, reversed] = [total("gross"), total("refunded"), total("reversed")];
  return {
    gross: toRand(gross),
    refunded: toRand(refunded),
    reversed: toRand(reversed),
    net: toRand(cents(gross - refunded - reversed)),
    payments: of.reduce((all, { payments }) => all + payments, 0),
  };
}

/** What was received in some days. */
const receivedIn = (received: readonly ReceivedDay[], { from, to }: Days) =>
  receivedFigures(received.filter(({ day }) => day >= from && day <= to));

/** What was received in a currency: today, in this month and the one before, and by day. */
export function receivedView(currency: string, today: CalendarDay, all: readonly ReceivedDay[]) {
  const received = all.filter((day) => day.currency === currency);
  const spans = receivedSpans(today);
  return {
    currency,
    today: receivedIn(received, spans.today),
    thisMonth: receivedIn(received, spans.thisMonth),
    lastMonth: receivedIn(received, spans.lastMonth),
    days: divided(spans.shown, "day").map((days) => {
      const { payments: _payments, ...money } = receivedIn(received, days);
      return { day: days.from, ...money };
    }),
  };
}

/** What was received in a currency in some days and in as many before them, whole and divided. */
export function receivedRangeView(
  { currency, by, days }: { readonly currency: string; readonly by: Division; readonly days: Days },
  received: readonly ReceivedDay[],
) {
  const span = (of: Days) => ({ ...of, ...receivedIn(received, of) });
  const whole = (of: Days) => ({ ...span(of), series: divided(of, by).map(span) });
  return { object: "received", currency, by, ...whole(days), before: whole(daysBefore(days)) };
}

/** What was received in a currency in some days, whole and by each method and gateway. */
export function receivedByMethodView(
  { currency, from, to }: Days & { readonly currency: string },
  ways: readonly ReceivedWay[],
) {
  const figures = (of: readonly ReceivedWay[]) => ({
    ...receivedFigures(of),
    fees: toRand(sum(of.map(({ fees }) => fees))),
  });
  return {
    object: "received_by_method",
    currency,
    from,
    to,
    ...figures(ways),
    methods: ways.map((way) => ({ method: way.method, gateway: way.gateway, ...figures([way]) })),
  };
}

/** Where the money of each currency is. */
export const moneyPlacesView = (
  currencies: readonly { readonly currency: string; readonly places: readonly MoneyPlace[] }[],
) => ({
  object: "money_places",
  currencies: currencies.map(({ currency, places }) => ({
    currency,
    total: toRand(sum(places.map(({ amount }) => amount))),
    places: places.map(({ place, amount, parts }) => ({
      place,
      amount: toRand(amount),
      parts: parts.map((part) => ({ name: part.name, id: part.id, amount: toRand(part.amount) })),
    })),
  })),
});

/** A receipt as its list shows it. */
export const receiptView = ({
  id,
  kind,
  day,
  amount,
  currency,
  customer,
  method,
  gateway,
  reference,
  path,
}: ReceiptRow) => ({
  object: "receipt",
  id,
  kind,
  day,
  amount: toRand(amount),
  currency,
  customer,
  method,
  gateway,
  reference,
  path,
});

/** The lists of what needs a person; `from` is the first day of failures. */
const taskList = (kind: TaskKind, from: CalendarDay): string =>
  ({
    disputes_open: "disputes?status=open",
    endpoints_disabled: "webhook-endpoints",
    emails_failed: `emails?status=failed&from=${from}`,
    gateways_down: "gateways",
    batches_refused: "debit-batches?status=refused",
    lines_to_match: "reconciliation/to-match",
    proofs_to_check: "eft-orders?status=awaiting_review",
    mandates_pending: "mandates?status=pending",
    quotes_to_invoice: "quotes?status=accepted",
    drafts_to_send: "invoices?status=draft",
    cards_expiring: "customer-subscriptions?cardExpiring=true",
    vat_return_due: "accounting/months",
  })[kind];

/** What needs a person, the most urgent first, without what there is none of. */
export const tasksView = (tasks: readonly TaskTotal[], from: CalendarDay) =>
  TASK_KINDS.flatMap((kind) => {
    const own = tasks.filter((task) => task.kind === kind);
    const [first] = own.map(({ since }) => since).toSorted();
    if (first === undefined) return [];
    return {
      kind,
      count: own.reduce((all, { count }) => all + count, 0),
      amounts: own.flatMap(({ currency, amount }) =>
        currency === null || amount === null ? [] : { currency, amount: toRand(amount) },
      ),
      since: first,
      list: list(own[0]?.list ?? taskList(kind, from)),
    };
  });

/** The debits that were returned unpaid, for which something is still owed. */
export function unpaidDebitsView(tasks: readonly TaskTotal[]) {
  const found = tasks.find(({ kind }) => kind === "debits_unpaid");
  return {
    amount: toRand(found?.amount ?? ZERO),
    count: found?.count ?? 0,
    list: list("unpaid-debits?open=true"),
  };
}

const EXPECTED_LISTS: Readonly<Record<ExpectedKind, string>> = {
  invoices: "invoices?owing=open",
  debits: "debit-batches",
  cards: "customer-subscriptions?recurring=true",
};

/** The money expected in some days in a currency, by kind and by day. */
export function expectedView(currency: string, days: Days, all: readonly ExpectedDay[]) {
  const expected = all.filter((one) => one.currency === currency);
  const amount = (of: readonly ExpectedDay[]) => toRand(sum(of.map((one) => one.amount)));
  const kind = (name: ExpectedKind) => {
    const own = expected.filter((one) => one.kind === name);
    return {
      amount: amount(own),
      count: own.reduce((sumOf, { count }) => sumOf + count, 0),
      list: list(EXPECTED_LISTS[name]),
    };
  };
  return {
    currency,
    ...days,
    amount: amount(expected),
    invoices: kind("invoices"),
    debits: kind("debits"),
    cards: kind("cards"),
    days: divided(days, "day").map(({ from: day }) => {
      const [invoices = 0, debits = 0, cards = 0] = EXPECTED_KINDS.map((name) =>
        amount(expected.filter((one) => one.kind === name && one.day === day)),
      );
      return { day, invoices, debits, cards };
    }),
  };
}

/** The figures of a currency, each with the list of its records; without those whose totals are null, which the caller may not read. */
export function moneyView(
  currency: string,
  totals: {
    readonly owed: readonly OwedTotal[] | null;
    readonly retried: readonly CurrencyTotal[] | null;
    readonly transfers: readonly CurrencyTotal[] | null;
  },
) {
  const owed = totals.owed?.find((total) => total.currency === currency);
  const figure = (amount: Cents, count: number, path: string) => ({
    amount: toRand(amount),
    count,
    list: list(`${path}&currency=${currency}`),
  });
  const only = (of: readonly CurrencyTotal[] | null, path: string) => {
    const own = of?.find((total) => total.currency === currency);
    return of === null ? undefined : figure(own?.amount ?? ZERO, own?.count ?? 0, path);
  };
  return {
    currency,
    ...(totals.owed && {
      outstanding: figure(owed?.amount ?? ZERO, owed?.count ?? 0, "invoices?owing=open"),
      overdue: figure(owed?.overdue ?? ZERO, owed?.overdueCount ?? 0, "invoices?owing=overdue"),
    }),
    retrying: only(totals.retried, "invoices?missed=retrying"),
    transfersToReview: only(totals.transfers, "eft-orders?status=awaiting_review"),
  };
}

/** The mandates that are debited next, with their list. */
export const nextDebitsView = (next: Omit<CurrencyTotal, "currency"> & { readonly date: CalendarDay }) => ({
  date: next.date,
  amount: toRand(next.amount),
  count: next.count,
  list: list(`mandates?nextDebitDate=${next.date}`),
});

/** The deliveries that were given up since `from`, with their list. */
export const webhookFailuresView = (failed: { readonly count: number; readonly endpoints: number }, from: Instant) => ({
  ...failed,
  list: list(`webhook-deliveries?status=failed,parked&from=${toTimestamp(from)}`),
});

const STAGES_SHOWN = ["created", "opened", "started", "paid"] as const;

/** How many of some days' records reached each stage. */
const reached = (records: readonly FunnelDay[], { from, to }: Days) => {
  const within = records.filter(({ day }) => day >= from && day <= to);
  return Object.fromEntries(STAGES_SHOWN.map((stage) => [stage, within.reduce((all, one) => all + one[stage], 0)]));
};

/** The funnel of payment links and checkouts, whole and divided. */
export function funnelView(
  days: Days,
  by: Division,
  { links, checkouts }: { readonly links: readonly FunnelDay[]; readonly checkouts: readonly FunnelDay[] },
) {
  const span = (of: Days) => ({ ...of, paymentLinks: reached(links, of), checkouts: reached(checkouts, of) });
  return { object: "funnel_report", by, ...span(days), series: divided(days, by).map(span) };
}
