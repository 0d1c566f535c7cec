import { invalidField } from "../../kernel/errors.ts";
import type { InvoiceId } from "../../kernel/ids.ts";
import { type Cents, cents, formatMoney, subtract, sum } from "../../kernel/money.ts";
import type { PaymentMethod } from "../../kernel/payment-methods.ts";
import { calendarDay, type Instant, startOfDay } from "../../kernel/time.ts";
import { lockCustomerBalance } from "../../modules/books/store.ts";
import { findCreditRefund } from "../../modules/credit-refunds/store.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { lockNumbers } from "../../modules/document-numbers/store.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import { amountDue } from "../../modules/invoices/rules.ts";
import { findInvoice, allocationsOf as paymentsOfInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { ShareBody } from "../../modules/reconciliation/schema.ts";
import { openOf, paymentsByReferences, returnsOf } from "../../modules/reconciliation/store/candidates.ts";
import type { Item, PaymentFacts, Run } from "../../modules/reconciliation/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import {
  lockSubscriptionsAwaiting,
  recordPaymentsOfInvoices,
} from "../customer-subscriptions/record-payment-of-invoice.ts";
import { refuseErased, requireActive } from "../customers/identified-customer.ts";
import { isManualTransfer } from "../gateways/accounts.ts";
import { invoicePaidSale, type PaidSale } from "../invoices/invoice-sale.ts";
import { paymentShare, plainShare, returnShare, type Share } from "./record-matches.ts";

type Body<Kind extends ShareBody["kind"]> = Extract<ShareBody, { kind: Kind }>;

/** A sale before its part of the line is known. */
type NewSale = Omit<PaidSale, "amount" | "currency" | "day"> & { readonly method: PaymentMethod };

/** A part whose amount may not be known yet: `amount` is null when it is the rest of the line. */
interface Draft {
  readonly amount: Cents | null;
  readonly reference?: string;
  /** The invoice whose payment is to be recorded. */
  readonly pays?: Invoice;
  /** A sale without an invoice, which gets one. */
  readonly sells?: NewSale;
  readonly share: (amount: Cents) => Share;
}

interface Asked {
  readonly tx: Tx;
  readonly item: Item;
  readonly run: Run;
}

/** A payment of an invoice, for the part of a line at `place`. */
interface Paying {
  readonly place: number;
  readonly invoice: Invoice;
  readonly amount: Cents;
  readonly method: PaymentMethod;
}

/**
 * The parts that staff give, with their amounts, after making the invoices of sales and recording the payments of
 * invoices among them. Locks the subscriptions that wait for these, the invoice numbers and the balances of customers
 * where these change. Throws 400 for a record that does not exist, has another currency, or has less open than the part.
 */
export async function sharesOf(
  tx: Tx,
  ctx: Ctx,
  { item, run }: Pick<Asked, "item" | "run">,
  bodies: readonly ShareBody[],
): Promise<{ readonly shares: readonly Share[]; readonly transactionReference: string | null }> {
  const asked = { tx, item, run };
  const drafts: Draft[] = [];
  for (const [place, body] of bodies.entries()) drafts.push(await draftOf(asked, body, ["allocations", place]));
  const amounts = withRest(item, drafts);
  const named = drafts.flatMap(({ pays }, place): Paying[] =>
    pays ? [{ place, invoice: pays, amount: amounts[place] as Cents, method: "eft" }] : [],
  );
  await lockSubscriptionsAwaiting(
    tx,
    named.map(({ invoice }) => invoice.id),
  );
  await lockCredits(asked, bodies);
  const sold: Paying[] = [];
  for (const [place, { sells }] of drafts.entries()) {
    const amount = amounts[place] as Cents;
    if (sells)
      sold.push({ place, amount, method: sells.method, invoice: await invoiceSale(ctx, asked, sells, amount) });
  }
  const recorded = await recordPayments(ctx, asked, [...named, ...sold]);
  const shares = drafts.map(({ share, sells }, place) => {
    const made = share(amounts[place] as Cents);
    const payment = recorded.get(place);
    return payment ? { ...made, ...payment, recorded: true, invoiced: sells !== undefined } : made;
  });
  return { shares, transactionReference: drafts.find(({ reference }) => reference)?.reference ?? null };
}

/**
 * The amount of each part; the part without an amount gets the rest of the line. Throws 400 when two parts have none.
 */
function withRest({ amount }: Item, drafts: readonly Draft[]): readonly Cents[] {
  const open = drafts.filter((draft) => draft.amount === null);
  if (open.length > 1) throw invalidField(["allocations"], "Give an amount for all of these parts but one.");
  const rest = subtract(amount, sum(drafts.flatMap((draft) => draft.amount ?? [])));
  if (open.length === 1 && rest === 0)
    throw invalidField(["allocations"], "Nothing of the line is left for the part without an amount.");
  return drafts.map((draft) => draft.amount ?? rest);
}

async function lockCredits({ tx, run }: Asked, bodies: readonly ShareBody[]): Promise<void> {
  const customers = bodies.flatMap((body) => (body.kind === "customer_credit" ? body.customerId : []));
  if (customers.length === 0) return;
  lockNumbers(tx, "invoice");
  for (const id of [...new Set(customers)].sort()) {
    const customer = await findCustomer(tx, id);
    if (customer) lockCustomerBalance(tx, customer.id, run.currency);
  }
}

/** Records the payments of invoices; returns them with their invoices by the positions of their parts. */
async function recordPayments(
  ctx: Ctx,
  { tx, item }: Asked,
  paying: readonly Paying[],
): Promise<ReadonlyMap<number, { readonly subject: string; readonly invoiceId: InvoiceId }>> {
  if (paying.length === 0) return new Map();
  const paidAt = paidAtOf(ctx, item);
  const reference = (item.reference ?? item.description).slice(0, 190);
  const payments = paying.map(({ invoice, amount, method }) => ({
    invoiceId: invoice.id,
    body: { amount, method, reference, paidAt },
  }));
  const recorded = await recordPaymentsOfInvoices(tx, ctx, payments);
  return new Map(
    paying.map(({ place, invoice }, n) => [
      place,
      { subject: recorded[n]?.paymentId as string, invoiceId: invoice.id },
    ]),
  );
}

/** The day of the line, but no time to come. */
const paidAtOf = (ctx: Ctx, item: Item): Instant => earlier(startOfDay(item.date), ctx.now);

async function invoiceSale(ctx: Ctx, { tx, item, run }: Asked, sale: NewSale, amount: Cents): Promise<Invoice> {
  if (amount < 0) throw invalidField([...sale.path, "amount"], "A sale is money that came in.");
  const { method: _, ...rest } = sale;
  return invoicePaidSale(tx, ctx, { ...rest, amount, currency: run.currency, day: calendarDay(paidAtOf(ctx, item)) });
}

const earlier = (one: Instant, other: Instant): Instant => {
  if (one < other) return one;
  return other;
};

type Path = readonly (string | number)[];

function draftOf(asked: Asked, body: ShareBody, path: Path): Promise<Draft> | Draft {
  switch (body.kind) {
    case "payment":
      return paymentDraft(asked, body, path);
    case "refund":
    case "reversal":
      return returnDraft(asked, body, path);
    case "invoice":
      return invoiceDraft(asked, body, path);
    case "sale":
      return saleDraft(asked, body, path);
    case "invoice_payment":
      return invoicePaymentDraft(asked, body, path);
    case "credit_refund":
      return creditRefundDraft(asked, body, path);
    case "customer_credit":
      return creditDraft(asked, body, path);
    case "payout":
      return payoutDraft(asked, body, path);
    default:
      return { amount: body.amount ?? null, share: (amount) => plainShare(body.kind, null, amount) };
  }
}

async function paymentNamed({ tx, run }: Asked, reference: string, path: Path): Promise<PaymentFacts> {
  const payment = (await paymentsByReferences(tx, [reference], run.currency)).get(reference);
  if (!payment)
    throw invalidField(
      [...path, "transactionReference"],
      `No completed payment in ${run.currency} has the reference ${reference}.`,
    );
  return payment;
}

/** The given amount, with the sign of the open amount and at most as large; the open amount by default. Throws 400. */
function within({ run }: Asked, given: Cents | undefined, open: Cents, path: Path): Cents {
  const amount = given ?? open;
  const fits = open > 0 ? amount > 0 && amount <= open : amount < 0 && amount >= open;
  if (open !== 0 && fits) return amount;
  const left =
    open === 0
      ? "Statements have shown all of it already."
      : `At most ${formatMoney(open, run.currency)} of it is open.`;
  throw invalidField([...path, "amount"], left);
}

async function paymentDraft(
  asked: Asked,
  { transactionReference, amount }: Body<"payment">,
  path: Path,
): Promise<Draft> {
  const payment = await paymentNamed(asked, transactionReference, path);
  return {
    amount: within(asked, amount, payment.open, path),
    reference: payment.reference,
    share: (part) => paymentShare(payment, part),
  };
}

async function returnDraft(asked: Asked, body: Body<"refund"> | Body<"reversal">, path: Path): Promise<Draft> {
  const payment = await paymentNamed(asked, body.transactionReference, path);
  const open = (await returnsOf(asked.tx, [payment])).filter(({ kind, open: left }) => kind === body.kind && left > 0);
  const wanted = body.amount ?? asked.item.amount;
  const found = open.find(({ open: left }) => cents(-left) === wanted) ?? open[0];
  if (!found) throw invalidField([...path, "transactionReference"], `The payment has no ${body.kind} that is open.`);
  return {
    amount: within(asked, body.amount, cents(-found.open), path),
    reference: payment.reference,
    share: (part) => returnShare(found, cents(-part)),
  };
}

async function invoiceDraft(asked: Asked, { invoiceId, amount }: Body<"invoice">, path: Path): Promise<Draft> {
  const { tx, run } = asked;
  const invoice = await findInvoice(tx, invoiceId);
  if (!invoice?.issuedAt || invoice.currency !== run.currency)
    throw invalidField([...path, "invoiceId"], `No issued invoice in ${run.currency} has this id.`);
  if (run.source === "statement_feed")
    throw invalidField([...path, "kind"], "A line of a gateway's own statement pays no invoice: match the payment.");
  return {
    amount: within(asked, amount, invoice.status === "cancelled" ? cents(0) : amountDue(invoice), path),
    pays: invoice,
    share: (part) => ({ kind: "invoice_payment", subject: null, amount: part, from: "bank" }),
  };
}

async function saleDraft(asked: Asked, body: Body<"sale">, path: Path): Promise<Draft> {
  const { run } = asked;
  const customer = await customerOf(asked, body.customerId, path);
  requireActive(customer, [...path, "customerId"]);
  if (run.source === "statement_feed")
    throw invalidField([...path, "kind"], "A line of a gateway's own statement is no sale: match the payment.");
  const { description, taxRate, taxExempt, method } = body;
  return {
    amount: body.amount ?? null,
    sells: { customer, description, taxRate, taxExempt, method, path },
    share: (part) => ({ kind: "invoice_payment", subject: null, amount: part, from: "bank" }),
  };
}

async function customerOf({ tx }: Asked, id: string, path: Path): Promise<Customer> {
  const customer = await findCustomer(tx, id);
  if (!customer) throw invalidField([...path, "customerId"], "No customer has this id.");
  return refuseErased(tx, customer);
}

async function invoicePaymentDraft(
  asked: Asked,
  { invoiceId, paymentId, amount }: Body<"invoice_payment">,
  path: Path,
): Promise<Draft> {
  const payments = await paymentsOfInvoice(asked.tx, invoiceId as InvoiceId);
  const payment = payments.find(({ id, source }) => id === paymentId && source === "offline");
  if (!payment)
    throw invalidField([...path, "paymentId"], "The invoice has no such payment that was recorded by hand.");
  const open = await openOf(asked.tx, payment.id, payment.amount);
  return {
    amount: within(asked, amount, open, path),
    share: (part) => ({ kind: "invoice_payment", subject: payment.id, amount: part, from: "bank" }),
  };
}

async function creditRefundDraft(
  asked: Asked,
  { creditRefundId, amount }: Body<"credit_refund">,
  path: Path,
): Promise<Draft> {
  const refund = await findCreditRefund(asked.tx, creditRefundId);
  if (!refund || refund.currency !== asked.run.currency)
    throw invalidField([...path, "creditRefundId"], `No credit in ${asked.run.currency} was paid out under this id.`);
  const open = await openOf(asked.tx, refund.id, cents(-refund.amount));
  return {
    amount: within(asked, amount, open, path),
    share: (part) => ({ kind: "credit_refund", subject: refund.id, amount: part, from: "bank" }),
  };
}

async function creditDraft(asked: Asked, { customerId, amount }: Body<"customer_credit">, path: Path): Promise<Draft> {
  const { run } = asked;
  const customer = await customerOf(asked, customerId, path);
  if (amount !== undefined && amount < 0) throw invalidField([...path, "amount"], "amount must be greater than 0.");
  if (run.source === "statement_feed")
    throw invalidField([...path, "kind"], "A line of a gateway's own statement is no credit: match the payment.");
  const share = (part: Cents): Share => {
    if (part < 0) throw invalidField([...path, "amount"], "Credit is money that came in.");
    return {
      kind: "customer_credit",
      subject: customer.id,
      amount: part,
      from: "customer_credit",
      customerId: customer.id,
    };
  };
  return { amount: amount ?? null, share };
}

async function payoutDraft({ tx }: Asked, { gatewayId, amount }: Body<"payout">, path: Path): Promise<Draft> {
  const account = await findGatewayAccount(tx, gatewayId);
  if (!account || isManualTransfer(account.type))
    throw invalidField([...path, "gatewayId"], "No gateway account that pays out has this id.");
  return { amount: amount ?? null, share: (part) => plainShare("payout", account.id, part) };
}
