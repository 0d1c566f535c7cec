import { type Cents, cents, sum, toRand } from "../../kernel/money.ts";
import { businessDay } from "../../kernel/time.ts";
import { referencesIn } from "../../modules/reconciliation/rules.ts";
import {
  type OpenInvoice,
  openInvoices,
  openTransfers,
  paymentsByReferences,
  paymentsOfAmount,
  returnsOfAmount,
} from "../../modules/reconciliation/store/candidates.ts";
import type { Item } from "../../modules/reconciliation/types.ts";
import type { Tx } from "../../platform/database.ts";
import { type ItemWithAllocations, readItem } from "./match-by-hand.ts";

/** What a line may be. `allocations` are as `POST …/match` takes them; empty when staff have to do something else first. */
export interface Candidate {
  readonly title: string;
  /** For people. */
  readonly reason: string;
  readonly date: string | null;
  /** In major units. */
  readonly amount: number;
  readonly customerId: string | null;
  readonly eftOrderId: string | null;
  readonly allocations: readonly Readonly<Record<string, unknown>>[];
}

const NONE = { date: null, customerId: null, eftOrderId: null };

/** What an unmatched line may be, the likeliest first. `search` names a customer. Throws 404. */
export async function candidatesFor(tx: Tx, id: string, search: string | null): Promise<readonly Candidate[]> {
  const { item, run } = await readItem(tx, id);
  if (item.status !== "unmatched") return [];
  return item.amount > 0 ? incoming(tx, { item, run }, search) : outgoing(tx, item, run.currency);
}

async function incoming(
  tx: Tx,
  { item, run: { currency, source } }: Pick<ItemWithAllocations, "item" | "run">,
  search: string | null,
): Promise<readonly Candidate[]> {
  const references = referencesIn(item);
  const [named, ofAmount, transfers, invoices] = await Promise.all([
    paymentsByReferences(tx, references, currency),
    paymentsOfAmount(tx, item, currency),
    openTransfers(tx, references),
    // A line of a gateway's own statement pays no invoice (interface 14.5).
    source === "statement_feed" ? [] : openInvoices(tx, { numbers: references, amount: item.amount, search, currency }),
  ]);
  const payment = (reference: string, open: Cents, reason: string, date: string | null): Candidate => ({
    ...NONE,
    title: `Payment ${reference}`,
    reason,
    date,
    amount: toRand(open),
    allocations: [
      { kind: "payment", transactionReference: reference, amount: toRand(cents(Math.min(open, item.amount))) },
    ],
  });
  return [
    ...[...named.values()]
      .filter(({ open }) => open > 0)
      .map(({ reference, open }) => payment(reference, open, "The line names its reference", null)),
    ...transfers.map(({ id, reference, amount }) => ({
      ...NONE,
      title: `Bank transfer ${reference}`,
      reason: "The line names its reference; approve it first",
      amount: toRand(amount),
      eftOrderId: id,
      allocations: [],
    })),
    ...invoiceSets(item, invoices),
    ...invoices.map((invoice) => invoiceCandidate(item, invoice, references)),
    ...ofAmount
      .filter(({ reference }) => !named.has(reference))
      .map(({ reference, open, paidOn }) => payment(reference, open, "The amount is the same", paidOn)),
  ];
}

const invoiceCandidate = (item: Item, invoice: OpenInvoice, references: readonly string[]): Candidate => ({
  ...NONE,
  title: `Invoice ${invoice.number} of ${invoice.name}`,
  reason: references.includes(invoice.number)
    ? "The line names its number"
    : invoice.due === item.amount
      ? "The amount is what is due"
      : "The customer that was searched for",
  date: invoice.dueDate,
  amount: toRand(invoice.due),
  customerId: invoice.customerId,
  allocations: [pays(invoice, cents(Math.min(invoice.due, item.amount)))],
});

const pays = ({ id }: OpenInvoice, amount: Cents) => ({ kind: "invoice", invoiceId: id, amount: toRand(amount) });

/** Of a customer with more open invoices, only the oldest are added up in all ways. */
const SET_MAX = 12;

/** Several invoices of one customer that add up to the line: for each customer, the first such set, the oldest invoices first. */
function invoiceSets({ amount }: Item, invoices: readonly OpenInvoice[]): readonly Candidate[] {
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
  return returns
    .map(({ kind, id, reference, at }) => ({
      ...NONE,
      title: `${RETURN_TITLES[kind]}${reference ? ` ${reference}` : ""}`,
      reason: reference && named.includes(reference) ? "The line names its payment" : "The amount is the same",
      date: businessDay(at),
      amount: toRand(item.amount),
      allocations: [
        kind === "credit_refund"
          ? { kind, creditRefundId: id }
          : { kind, transactionReference: reference, amount: toRand(item.amount) },
      ],
    }))
    .toSorted((one, other) => Number(other.reason.includes("names")) - Number(one.reason.includes("names")));
}
