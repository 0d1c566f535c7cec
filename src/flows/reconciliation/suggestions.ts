import type { CustomerId } from "../../kernel/ids.ts";
import { type Cents, cents, sum, toRand } from "../../kernel/money.ts";
import { calendarDay } from "../../kernel/time.ts";
import { namesIn, referencesIn } from "../../modules/reconciliation/rules.ts";
import {
  type OpenTransfer,
  openTransfers,
  paymentsByReferences,
  paymentsOfAmount,
  returnsOfAmount,
} from "../../modules/reconciliation/store/candidates.ts";
import { customersWithWords, paymentsOfCustomers } from "../../modules/reconciliation/store/named-customers.ts";
import { type OpenInvoice, openInvoices, openInvoicesOf } from "../../modules/reconciliation/store/open-invoices.ts";
import { type PaymentByHand, paymentsByHand } from "../../modules/reconciliation/store/payments-by-hand.ts";
import type { Item, ItemId, PaymentFacts } from "../../modules/reconciliation/types.ts";
import type { Tx } from "../../platform/database.ts";
import { withNamed } from "../search/named-by.ts";
import { type ItemWithAllocations, readItem } from "./match-by-hand.ts";

/**
 * A candidate for the match of a line. `allocations` have the form that `POST …/match` accepts; empty when staff have
 * to do something else first.
 */
export interface Candidate {
  readonly title: string;
  /** Why it is a candidate, in words. */
  readonly reason: string;
  readonly date: string | null;
  /** The amount in major units. */
  readonly amount: number;
  readonly customerId: string | null;
  readonly eftOrderId: string | null;
  readonly allocations: readonly Readonly<Record<string, unknown>>[];
  /** The line names it, the amounts are the same, and nothing else fits so: staff may accept it unread. */
  readonly exact: boolean;
}

const NONE = { date: null, customerId: null, eftOrderId: null, exact: false };

/**
 * The candidates for an unmatched line, the most probable first. `search` names a customer or an invoice number. Throws
 * 404.
 */
export async function candidatesFor(tx: Tx, id: string, search: string | null): Promise<readonly Candidate[]> {
  const { item, run } = await readItem(tx, id);
  return item.status === "unmatched" ? candidatesOf(tx, { item, run }, search) : [];
}

type LineOfRun = Pick<ItemWithAllocations, "item" | "run">;

async function candidatesOf(tx: Tx, line: LineOfRun, search: string | null): Promise<readonly Candidate[]> {
  const { item, run } = line;
  const found = item.amount > 0 ? await incoming(tx, line, search) : await outgoing(tx, item, run.currency);
  const one = found.filter(({ exact }) => exact).length === 1 && found.every(({ eftOrderId }) => eftOrderId === null);
  const sure = one ? found : found.map((candidate) => ({ ...candidate, exact: false }));
  return sure.toSorted((first, second) => Number(second.exact) - Number(first.exact));
}

/** How many candidates a line of the list has: as many as there are keys to choose them by. */
const SUGGESTED = 9;

/** The best candidates of each of these unmatched lines, the most probable first. */
export async function suggestionsFor(
  tx: Tx,
  lines: readonly LineOfRun[],
): Promise<ReadonlyMap<ItemId, readonly Candidate[]>> {
  return new Map(
    await Promise.all(
      lines.map(async (line) => [line.item.id, (await candidatesOf(tx, line, null)).slice(0, SUGGESTED)] as const),
    ),
  );
}

async function incoming(
  tx: Tx,
  { item, run: { currency, source } }: LineOfRun,
  search: string | null,
): Promise<readonly Candidate[]> {
  const references = referencesIn(item);
  const meant = search === null ? await meantByWords(tx, item) : await meantBySearch(tx, search);
  const numbers = [...references, ...meant.numbers];
  const few = meant.customers.slice(0, CUSTOMERS_MAX);
  // A line of a gateway's own statement pays no invoice (interface 14.5).
  const ofBank = source === "statement_feed" ? null : { numbers, customers: few, currency };
  const [named, ofAmount, transfers, found, theirs, ofCustomers, byHand] = await Promise.all([
    paymentsByReferences(tx, references, currency),
    paymentsOfAmount(tx, item, currency),
    openTransfers(tx, references),
    ofBank === null ? [] : openInvoices(tx, { numbers, amount: item.amount, currency }),
    ofBank === null ? [] : openInvoicesOf(tx, meant.customers, currency),
    paymentsOfCustomers(tx, few, item, currency),
    ofBank === null ? [] : paymentsByHand(tx, item, ofBank),
  ]);
  // Results of the staff's search come before candidates that match by amount only.
  const first = search === null ? found : [...found.filter(({ number }) => numbers.includes(number)), ...theirs];
  const invoices = [...new Map([...first, ...found, ...theirs].map((one) => [one.id, one])).values()];
  const names = ({ number }: { readonly number: string }) => references.includes(number);
  const places = new Set(first.map(({ id }) => id)).size;
  const offered = invoices.map((invoice) => {
    const why = reasonOf(item, invoice, { references, numbers }) ?? meant.why(invoice.customerId);
    return { ...invoiceCandidate(item, invoice, why), exact: names(invoice) && invoice.due === item.amount };
  });
  const [fitting = [], others = []] = [true, false].map((fits) =>
    byHand
      .filter(({ number, amount }) => (numbers.includes(number) || amount === item.amount) === fits)
      .map((one) => ({
        ...byHandCandidate(item, one, reasonByHand(item, one, { references, numbers }) ?? meant.why(one.customerId)),
        exact: names(one) && one.amount === item.amount,
      })),
  );
  return [
    ...[...named.values()]
      .filter(({ open }) => open > 0)
      .map((one) => ({
        ...paymentCandidate(item, one, "The line names its reference", null),
        exact: one.open === item.amount,
      })),
    ...transfers.map(transferCandidate),
    ...invoiceSets(item, invoices, names),
    ...offered.slice(0, places),
    ...ofAmount
      .filter(({ reference }) => !named.has(reference))
      .map((one) => paymentCandidate(item, one, "The amount is the same", one.paidOn)),
    ...fitting,
    ...offered.slice(places),
    ...ofCustomers
      .filter(({ reference }) => !named.has(reference) && ofAmount.every((one) => one.reference !== reference))
      .map((one) => paymentCandidate(item, one, meant.why(one.customerId), one.paidOn)),
    ...others,
  ];
}

/** When a line may mean more customers than this, only the payments of the first ones are read. */
const CUSTOMERS_MAX = 10;

/** The customers that a line may mean, the most probable first, and the invoice numbers that staff searched for. */
interface Meant {
  readonly customers: readonly string[];
  readonly numbers: readonly string[];
  why(customer: CustomerId): string;
}

/** Customers whom the line may name by words of their names. Staff decide; they are never matched automatically. */
async function meantByWords(tx: Tx, item: Item): Promise<Meant> {
  const words = await customersWithWords(tx, namesIn(item));
  const why = (customer: CustomerId) => `The line names the customer: ${words.get(customer)?.join(" ") ?? ""}`;
  return { customers: [...words.keys()], numbers: [], why };
}

/** The results of the staff's search. */
async function meantBySearch(tx: Tx, search: string): Promise<Meant> {
  const { named } = await withNamed(tx, { q: search });
  const { customers, references: numbers } = named ?? { customers: [], references: [] };
  return { customers, numbers, why: () => "The customer that was searched for" };
}

interface Numbers {
  /** The names in the line. */
  readonly references: readonly string[];
  /** The names in the line, and the results of the search. */
  readonly numbers: readonly string[];
}

/** Why an invoice itself is a candidate; null when only its customer matches. */
function reasonOf(item: Item, { number, due }: OpenInvoice, { references, numbers }: Numbers): string | null {
  if (references.includes(number)) return "The line names its number";
  if (due === item.amount) return "The amount is what is due";
  return numbers.includes(number) ? "The number that was searched for" : null;
}

/** Why a payment that was recorded manually is itself a candidate; null when only its customer matches. */
function reasonByHand(item: Item, { number, amount }: PaymentByHand, { references, numbers }: Numbers): string | null {
  if (references.includes(number)) return "The line names its invoice";
  if (amount === item.amount) return "The amount is the same";
  return numbers.includes(number) ? "The number that was searched for" : null;
}

const paymentCandidate = (
  item: Item,
  { reference, open }: PaymentFacts,
  reason: string,
  date: string | null,
): Candidate => ({
  ...NONE,
  title: `Payment ${reference}`,
  reason,
  date,
  amount: toRand(open),
  allocations: [
    { kind: "payment", transactionReference: reference, amount: toRand(cents(Math.min(open, item.amount))) },
  ],
});

const transferCandidate = ({ id, reference, amount }: OpenTransfer): Candidate => ({
  ...NONE,
  title: `Bank transfer ${reference}`,
  reason: "The line names its reference; approve it first",
  amount: toRand(amount),
  eftOrderId: id,
  allocations: [],
});

const byHandCandidate = (item: Item, payment: PaymentByHand, reason: string): Candidate => {
  const { id, invoiceId, number, name, amount, paidOn, customerId } = payment;
  const part = toRand(cents(Math.min(amount, item.amount)));
  return {
    ...NONE,
    title: `Payment of ${number} of ${name}, recorded by hand`,
    reason,
    date: paidOn,
    amount: toRand(amount),
    customerId,
    allocations: [{ kind: "invoice_payment", invoiceId, paymentId: id, amount: part }],
  };
};

const invoiceCandidate = (item: Item, invoice: OpenInvoice, reason: string): Candidate => ({
  ...NONE,
  title: `Invoice ${invoice.number} of ${invoice.name}`,
  reason,
  date: invoice.dueDate,
  amount: toRand(invoice.due),
  customerId: invoice.customerId,
  allocations: [pays(invoice, cents(Math.min(invoice.due, item.amount)))],
});

const pays = ({ id }: OpenInvoice, amount: Cents) => ({ kind: "invoice", invoiceId: id, amount: toRand(amount) });

/** For a customer with more open invoices, only sums of the oldest are tried. */
const SET_MAX = 12;

/**
 * Sets of several invoices of one customer whose sum is the line's amount: for each customer the first such set, oldest
 * invoices first.
 */
function invoiceSets(
  { amount }: Item,
  invoices: readonly OpenInvoice[],
  names: (invoice: OpenInvoice) => boolean,
): readonly Candidate[] {
  return [...Map.groupBy(invoices, ({ customerId }) => customerId).values()].flatMap((all) => {
    const few = all.slice(0, SET_MAX);
    for (let chosen = 3; chosen < 2 ** few.length; chosen++) {
      const set = few.filter((_, place) => (chosen >> place) & 1);
      if (set.length < 2 || sum(set.map(({ due }) => due)) !== amount) continue;
      const title = `Invoices ${set.map(({ number }) => number).join(", ")} of ${set[0]?.name}`;
      const customerId = set[0]?.customerId ?? null;
      const reason = "They add up to the line";
      return [
        {
          ...NONE,
          title,
          reason,
          amount: toRand(amount),
          customerId,
          allocations: set.map((one) => pays(one, one.due)),
          exact: set.every(names),
        },
      ];
    }
    return [];
  });
}

const RETURN_TITLES = { refund: "Refund of", reversal: "Reversal of", credit_refund: "Credit paid out" } as const;

async function outgoing(tx: Tx, item: Item, currency: string): Promise<readonly Candidate[]> {
  const returns = await returnsOfAmount(tx, { amount: cents(-item.amount), date: item.date }, currency);
  const named = referencesIn(item);
  const names = (reference: string | null) => reference !== null && named.includes(reference);
  return returns
    .map(({ kind, id, reference, at }) => ({
      ...NONE,
      title: `${RETURN_TITLES[kind]}${reference ? ` ${reference}` : ""}`,
      reason: names(reference) ? "The line names its payment" : "The amount is the same",
      exact: names(reference),
      date: calendarDay(at),
      amount: toRand(item.amount),
      allocations: [
        kind === "credit_refund"
          ? { kind, creditRefundId: id }
          : { kind, transactionReference: reference, amount: toRand(item.amount) },
      ],
    }))
    .toSorted((one, other) => Number(other.reason.includes("names")) - Number(one.reason.includes("names")));
}
