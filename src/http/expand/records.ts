import type { Ctx } from "../../flows/context.ts";
import { subscriptionObject } from "../../flows/customer-subscriptions/subscription-object.ts";
import { viewTimesOf } from "../../flows/documents/record-view.ts";
import { invoiceObject } from "../../flows/invoices/invoice-object.ts";
import { shownLinks } from "../../flows/payment-links/shown-links.ts";
import { recordsOf } from "../../flows/payments/transaction-record.ts";
import type { InvoiceId } from "../../kernel/ids.ts";
import { calendarDay } from "../../kernel/time.ts";
import { CheckoutSessionObject } from "../../modules/checkout-sessions/schema.ts";
import { CreditNoteObject } from "../../modules/credit-notes/schema.ts";
import { invoicesCorrectedBy } from "../../modules/credit-notes/store.ts";
import { CustomerSubscriptionObject } from "../../modules/customer-subscriptions/schema/subscriptions.ts";
import {
  findCustomerSubscriptions,
  subscriptionsOfInvoices,
} from "../../modules/customer-subscriptions/store/subscriptions.ts";
import { CustomerObject } from "../../modules/customers/schema.ts";
import { findIdentifiedCustomers } from "../../modules/customers/store.ts";
import { customerView } from "../../modules/customers/view.ts";
import { DisputeObject } from "../../modules/disputes/schema.ts";
import { EftOrderObject } from "../../modules/eft-orders/schema.ts";
import { InvoiceObject } from "../../modules/invoices/schema.ts";
import { findInvoices } from "../../modules/invoices/store/invoices.ts";
import { MandateObject } from "../../modules/mandates/schema.ts";
import { findMandates } from "../../modules/mandates/store.ts";
import { mandateView } from "../../modules/mandates/view.ts";
import { PlanObject } from "../../modules/packages/schema.ts";
import { findPlans } from "../../modules/packages/store.ts";
import { planView } from "../../modules/packages/view.ts";
import { PaymentLinkWithPayments, StaffPaymentLink } from "../../modules/payment-links/schema.ts";
import { findLinksWithPayments } from "../../modules/payment-links/store.ts";
import { TransactionObject } from "../../modules/payments/schema.ts";
import { findByReferences, paymentsOfInvoices } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { transactionView } from "../../modules/payments/view.ts";
import { QuoteObject } from "../../modules/quotes/schema.ts";
import type { Tx } from "../../platform/database.ts";
import type { Expandable, ReadShown, Relation, Shown } from "./expand.ts";

/* The kinds of records that `expand` knows: how they are read, as they are shown, and their relations. */

/** Payments of an invoice, and of a link, that are shown of each. */
const PAYMENTS_EACH = 50;

const byId = <One extends Shown & { readonly id: string | null }>(shown: readonly One[]): ReadonlyMap<string, One> =>
  new Map(shown.map((one) => [one.id ?? "", one]));

const transactions = async (tx: Tx, ctx: Ctx, payments: readonly Transaction[]) =>
  (await recordsOf(tx, ctx, payments)).map(transactionView);

/**
 * Reads in two steps, where a record does not show the id of a related one: the ids by the record's own, then what they
 * stand for.
 */
const through =
  (
    idsOf: (tx: Tx, keys: readonly string[]) => Promise<ReadonlyMap<string, string>>,
    kind: () => Expandable,
  ): ReadShown =>
  async (tx, ctx, keys) => {
    const ids = await idsOf(tx, keys);
    const found = ids.size === 0 ? null : await kind().read(tx, ctx, [...new Set(ids.values())]);
    return new Map(
      [...ids].flatMap(([key, id]): [string, Shown | readonly Shown[]][] => {
        const one = found?.get(id);
        return one ? [[key, one]] : [];
      }),
    );
  };

/** The ids that records have, by the records' own keys; those without one are left out. */
const held = (pairs: readonly (readonly [string, string | null])[]): ReadonlyMap<string, string> =>
  new Map(pairs.flatMap(([key, id]): [string, string][] => (id === null ? [] : [[key, id]])));

const linkedTo =
  (name: "customerId" | "invoiceId") =>
  async (tx: Tx, links: readonly string[]): Promise<ReadonlyMap<string, string>> =>
    held((await findLinksWithPayments(tx, links, 0)).map((link) => [link.id, link[name]]));

const payersOf = async (tx: Tx, references: readonly string[]): Promise<ReadonlyMap<string, string>> =>
  held([...(await findByReferences(tx, references))].map(([reference, { customerId }]) => [reference, customerId]));

const idIn =
  (field: string) =>
  (record: Shown): unknown =>
    (record[field] as Shown | null)?.["id"];

const customer = (key: Relation["key"], read?: ReadShown): Relation => ({
  to: () => CUSTOMER,
  about: "The customer.",
  key,
  ...(read && { read }),
});
const invoice = (key: Relation["key"], read?: ReadShown): Relation => ({
  to: () => INVOICE,
  about: "The invoice.",
  key,
  ...(read && { read }),
});
const subscription = (key: Relation["key"], read?: ReadShown): Relation => ({
  to: () => CUSTOMER_SUBSCRIPTION,
  about: "The customer subscription.",
  key,
  ...(read && { read }),
});
const transaction = (key: Relation["key"]): Relation => ({ to: () => TRANSACTION, about: "The payment.", key });
const plan = (key: Relation["key"]): Relation => ({ to: () => PLAN, about: "The plan.", key });

const CUSTOMER: Expandable = {
  permission: "customers:read",
  object: CustomerObject,
  read: async (tx, _ctx, ids) => {
    const found = await findIdentifiedCustomers(
      tx,
      ids.map((id) => ({ id })),
    );
    return byId(found.map(customerView));
  },
  relations: {},
};

const PLAN: Expandable = {
  permission: "packages:read",
  object: PlanObject,
  read: async (tx, { now }, ids) => byId((await findPlans(tx, ids)).map((one) => planView(one, calendarDay(now)))),
  relations: {},
};

/** Invoices; the subscription and the payments are found by the invoice. */
export const INVOICE: Expandable = {
  permission: "invoices:read",
  feature: "invoicing",
  object: InvoiceObject,
  read: async (tx, ctx, ids) => {
    const found = await findInvoices(tx, ids as readonly InvoiceId[]);
    const times = await viewTimesOf(tx, ctx, found);
    return byId(found.map((one) => ({ ...invoiceObject(ctx, one), ...times(one) })));
  },
  relations: {
    customer: customer(idIn("customer")),
    subscription: subscription(
      ({ id }) => id,
      through(subscriptionsOfInvoices, () => CUSTOMER_SUBSCRIPTION),
    ),
    transactions: {
      to: () => TRANSACTION,
      about: `Its newest payments, at most ${PAYMENTS_EACH}.`,
      key: ({ id }) => id,
      many: true,
      read: async (tx, ctx, ids) => {
        const payments = await paymentsOfInvoices(tx, ids, PAYMENTS_EACH);
        const shown = await transactions(tx, ctx, payments);
        return Map.groupBy(shown, (_one, place) => payments[place]?.invoiceId ?? "");
      },
    },
  },
};

/** Payments, by their references. */
export const TRANSACTION: Expandable = {
  permission: "transactions:read",
  object: TransactionObject,
  read: async (tx, ctx, references) => {
    const found = [...(await findByReferences(tx, references)).values()];
    return new Map((await transactions(tx, ctx, found)).map((one) => [one.reference, one]));
  },
  relations: {
    customer: customer(
      ({ reference }) => reference,
      through(payersOf, () => CUSTOMER),
    ),
    invoice: invoice(idIn("invoice")),
    paymentLink: {
      to: () => PAYMENT_LINK,
      about: "The payment link.",
      key: ({ paymentLinkId }) => paymentLinkId,
    },
  },
};

/** Payment links. */
export const PAYMENT_LINK: Expandable = {
  permission: "payment_links:read",
  feature: "payment_links",
  object: PaymentLinkWithPayments,
  toStaff: StaffPaymentLink,
  read: async (tx, ctx, ids) => byId(await shownLinks(tx, ctx, await findLinksWithPayments(tx, ids, PAYMENTS_EACH))),
  relations: {
    customer: customer(
      ({ id }) => id,
      through(linkedTo("customerId"), () => CUSTOMER),
    ),
    invoice: invoice(
      ({ id }) => id,
      through(linkedTo("invoiceId"), () => INVOICE),
    ),
  },
};

/** Customer subscriptions. */
export const CUSTOMER_SUBSCRIPTION: Expandable = {
  permission: "subscriptions:read",
  feature: "invoicing",
  object: CustomerSubscriptionObject,
  read: async (tx, ctx, ids) => {
    const found = await findCustomerSubscriptions(tx, ids, calendarDay(ctx.now));
    return byId(found.map((one) => subscriptionObject(ctx, one)));
  },
  relations: {
    customer: customer(idIn("customer")),
    plan: plan(idIn("plan")),
    lastInvoice: { ...invoice(idIn("lastInvoice")), about: "The newest invoice." },
    mandate: { to: () => MANDATE, about: "The mandate.", key: ({ mandateId }) => mandateId },
  },
};

/** Mandates. */
export const MANDATE: Expandable = {
  permission: "mandates:read",
  feature: "debit_orders",
  object: MandateObject,
  read: async (tx, { now }, ids) => {
    const found = await findMandates(tx, ids);
    return byId([...found.values()].map((one) => mandateView(one, now)));
  },
  relations: {
    customer: customer(idIn("customer")),
    subscription: subscription(({ subscriptionId }) => subscriptionId),
  },
};

/** Records that only have relations: nothing expands to them, so nothing reads them here. */
const readNone: ReadShown = async () => new Map();

/** Credit notes; the invoice is the one that they correct. */
export const CREDIT_NOTE: Expandable = {
  permission: "credit_notes:read",
  object: CreditNoteObject,
  read: readNone,
  relations: {
    customer: customer(({ customerId }) => customerId),
    invoice: {
      ...invoice(
        ({ id }) => id,
        through(invoicesCorrectedBy, () => INVOICE),
      ),
      about: "The invoice that it corrects.",
    },
    transaction: transaction(({ transactionReference }) => transactionReference),
  },
};

/** Quotes. */
export const QUOTE: Expandable = {
  permission: "quotes:read",
  object: QuoteObject,
  read: readNone,
  relations: { customer: customer(idIn("customer")), invoice: invoice(idIn("invoice")) },
};

/** EFT orders, whose reference is that of their payment. */
export const EFT_ORDER: Expandable = {
  permission: "eft_orders:read",
  object: EftOrderObject,
  read: readNone,
  relations: { customer: customer(idIn("customer")), transaction: transaction(({ reference }) => reference) },
};

/** Disputes. */
export const DISPUTE: Expandable = {
  permission: "transactions:read",
  object: DisputeObject,
  read: readNone,
  relations: {
    customer: customer(({ customerId }) => customerId),
    invoice: invoice(({ invoiceId }) => invoiceId),
    transaction: transaction(({ transactionReference }) => transactionReference),
  },
};

/** Checkout sessions. */
export const CHECKOUT_SESSION: Expandable = {
  permission: "checkout_sessions:read",
  object: CheckoutSessionObject,
  read: readNone,
  relations: {
    customer: customer(({ customerId }) => customerId),
    plan: plan(({ planId }) => planId),
    subscription: subscription(({ subscriptionId }) => subscriptionId),
    transaction: transaction(({ transaction: payment }) => (payment as Shown | null)?.["reference"]),
  },
};
