import { OPEN_STATUSES } from "../../domain/invoices.ts";
import { type Cents, sum } from "../../kernel/money.ts";
import { calendarDay } from "../../kernel/time.ts";
import { balancesOf } from "../../modules/books/store.ts";
import { listCreditNotes } from "../../modules/credit-notes/store.ts";
import type { CreditNote } from "../../modules/credit-notes/types.ts";
import { listCustomerSubscriptions } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { isPastDue } from "../../modules/invoices/rules.ts";
import { invoicesOfCustomer } from "../../modules/invoices/store/invoices.ts";
import type { InvoiceHead } from "../../modules/invoices/types.ts";
import { listMandates } from "../../modules/mandates/store.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import { openLinksOfCustomer } from "../../modules/payment-links/store.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import { listTransactions } from "../../modules/payments/store/list.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { listQuotes } from "../../modules/quotes/store.ts";
import type { Quote } from "../../modules/quotes/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { currentSettings } from "../organisations/settings.ts";
import { payabilityNow } from "../payments/payability.ts";
import { readAsCustomer } from "../portal-access/portal-session.ts";
import type { Services } from "../services.ts";

const OPEN_SHOWN = 100;
const PAST_SHOWN = 20;

interface Sum {
  readonly amount: Cents;
  readonly currency: string;
}

/** The facts that the portal shows to a customer. */
export interface PortalFacts {
  readonly customer: Customer;
  readonly settings: Settings;
  /** Issued and open, by due date; `payable` when the invoice can be paid online now. */
  readonly open: readonly { readonly invoice: InvoiceHead; readonly overdue: boolean; readonly payable: boolean }[];
  /** Open links without an invoice, newest first. */
  readonly links: readonly { readonly link: PaymentLink; readonly payable: boolean }[];
  /** The total amount owed, including invoices that are not listed. */
  readonly totals: readonly Sum[];
  /** Sent quotes, newest first. */
  readonly quotes: readonly Quote[];
  readonly credits: readonly Sum[];
  readonly creditNotes: readonly CreditNote[];
  /** Paid and cancelled, newest first. */
  readonly settled: readonly InvoiceHead[];
  readonly payments: readonly Transaction[];
  /** Newest first. */
  readonly subscriptions: readonly ShownSubscription[];
  /** Whether the customer has debit orders. */
  readonly hasMandates: boolean;
}

/** Reads the facts of the portal. Null when the session is unknown, has expired, or belongs to another organisation. */
export const readPortal = (services: Services, ctx: Ctx, session: string): Promise<PortalFacts | null> =>
  readAsCustomer(services, ctx, session, async (tx, customer) => {
    const today = calendarDay(ctx.now);
    const [settings, owed, settled, quotes, balances, creditNotes, payments, subscriptions, mandates] =
      await Promise.all([
        currentSettings(tx),
        readOwed(tx, ctx, customer),
        invoicesOfCustomer(tx, customer.id, ["paid", "cancelled"], PAST_SHOWN),
        listQuotes(tx, { customerId: customer.id, status: "sent", limit: PAST_SHOWN }, today),
        balancesOf(tx, customer.id),
        listCreditNotes(tx, { customerId: customer.id, limit: PAST_SHOWN }),
        listTransactions(tx, { customerId: customer.id, limit: PAST_SHOWN }),
        listCustomerSubscriptions(
          tx,
          { customerId: customer.id, limit: PAST_SHOWN, startingAfter: undefined, endingBefore: undefined },
          today,
        ),
        listMandates(tx, { customerId: customer.id, limit: 1 }),
      ]);
    const of = (what: "balance" | "credit"): Sum[] =>
      balances.map(({ currency, [what]: amount }) => ({ currency, amount })).filter(({ amount }) => amount > 0);
    // Computed from the stored balances, since not every invoice is listed.
    const totals = totalsOf([...of("balance"), ...owed.links.map(({ link }) => link)]);
    return {
      customer,
      settings,
      ...owed,
      totals,
      settled,
      quotes,
      credits: of("credit"),
      creditNotes,
      payments,
      subscriptions,
      hasMandates: mandates.length > 0,
    };
  });

async function readOwed(tx: Tx, ctx: Ctx, customer: Customer): Promise<Pick<PortalFacts, "open" | "links">> {
  const [invoices, links] = await Promise.all([
    invoicesOfCustomer(tx, customer.id, OPEN_STATUSES, OPEN_SHOWN),
    openLinksOfCustomer(tx, customer.id, ctx.now),
  ]);
  const payabilityOf = await payabilityNow(tx, ctx, links);
  const payable = new Set(links.filter((link) => payabilityOf(link).unavailable === null).map(({ id }) => id));
  const other = links.filter(({ invoiceId }) => invoiceId === null);
  return {
    open: invoices
      .map((invoice) => ({
        invoice,
        overdue: isPastDue(invoice, ctx.now),
        payable: invoice.payLinkId !== null && payable.has(invoice.payLinkId),
      }))
      .sort((a, b) => sortKey(a.invoice).localeCompare(sortKey(b.invoice))),
    links: other.map((link) => ({ link, payable: payable.has(link.id) })),
  };
}

/** Invoices without a due date come last. */
const sortKey = ({ dueDate, id }: InvoiceHead): string => `${dueDate ?? "9999-12-31"} ${id}`;

const totalsOf = (items: readonly Sum[]): Sum[] =>
  [...Map.groupBy(items, ({ currency }) => currency)].map(([currency, of]) => ({
    currency,
    amount: sum(of.map(({ amount }) => amount)),
  }));
