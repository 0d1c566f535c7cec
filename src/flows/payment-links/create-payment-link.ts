import { invalidField, noSuch } from "../../kernel/errors.ts";
import type { StatedVat } from "../../kernel/exemption.ts";
import type { CustomerId, ProductId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import { lockCustomerBalanceOfInvoice } from "../../modules/books/store.ts";
import { findCustomer, serialiseCreation } from "../../modules/customers/store.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import { isPayable } from "../../modules/invoices/states.ts";
import { findInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { PaymentLinkCreateBody } from "../../modules/payment-links/schema.ts";
import { insertPaymentLinks } from "../../modules/payment-links/store.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import { findProduct } from "../../modules/products/store.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import { newShortCode } from "../../platform/tokens.ts";
import { checkExpiresAt } from "../check-expires-at.ts";
import { checkReturnUrl } from "../check-return-url.ts";
import { type Ctx, DEFAULT_CURRENCY, issuerOf, requireFeature } from "../context.ts";
import { requireCustomer } from "../customers/identified-customer.ts";
import { matchCustomer } from "../customers/match-customer.ts";
import { checkoutGateways, hasManualTransfer } from "../gateways/accounts.ts";
import { vatStatedBy } from "../organisations/settings.ts";

/**
 * Creates a payment link (interface 4.2, POST /payment-links). With `customerEmail` locks the address, then with
 * `invoiceId` the balance of the invoice's customer. Throws 400 `invalid_request` for an invalid field, 403
 * `plan_restricted` (recurring) and `plan_limit` (a new customer).
 */
export async function createPaymentLink(tx: Tx, ctx: Ctx, body: PaymentLinkCreateBody): Promise<PaymentLink> {
  if (body.recurring) requireFeature(ctx.organisation, "recurring_card_billing");
  checkExpiresAt(ctx, body.expiresAt);
  // Locked before the balance: a transaction that has locked records of a customer waits for no name
  // (`lockAsGathered`).
  if (body.customerEmail) serialiseCreation(tx, "customer email", body.customerEmail);
  // Without this lock, a link could be created while its invoice is paid or cancelled, and stay active.
  if (body.invoiceId) lockCustomerBalanceOfInvoice(tx, body.invoiceId);
  const [accounts, product, customer, invoice, returnUrl] = await Promise.all([
    listGatewayAccounts(tx),
    body.productId ? findProduct(tx, body.productId) : null,
    body.customerId ? findCustomer(tx, body.customerId) : null,
    body.invoiceId ? findInvoice(tx, body.invoiceId) : null,
    checkReturnUrl(tx, ctx, body.returnUrl),
  ]);
  const currency = body.currency ?? DEFAULT_CURRENCY;
  const frequency = body.recurring?.frequency ?? product?.recurring?.frequency ?? null;
  if (product?.recurring) requireFeature(ctx.organisation, "recurring_card_billing");
  checkGateways(accounts, currency, frequency !== null, body);
  if (body.productId && !product) throw noSuch(["productId"], "product", body.productId);
  if (body.invoiceId) checkInvoice(invoice, body.invoiceId, currency);
  const later = laterAmount(body, invoice);
  const vat = await statedVatOf(tx, ctx, body);
  if (body.customerId) await requireCustomer(tx, customer, "customerId", body.customerId);
  const link: PaymentLink = {
    id: newId("plink"),
    shortCode: newShortCode(),
    title: body.title,
    description: body.description || null,
    amount: body.amount,
    currency,
    externalReference: body.externalReference,
    returnUrl,
    metadata: body.metadata ?? {},
    recurring: frequency && { frequency, amount: later },
    singleUse: body.singleUse,
    active: true,
    expiresAt: body.expiresAt,
    paidCount: 0,
    customerId: customer?.id ?? (await payerOf(tx, ctx, body)) ?? invoice?.customer.id ?? null,
    productId: (product?.id ?? null) as ProductId | null,
    vat,
    invoiceId: invoice?.id ?? null,
    collectsBalance: false,
    keepsCard: false,
    issuedBy: issuerOf(ctx),
    gatewaySubscriptionId: null,
    createdAt: ctx.now,
  };
  insertPaymentLinks(tx, [link]);
  return link;
}

/** Throws 400 unless the invoice can be paid and has the link's currency (interface 4.2, `invoiceId`). */
function checkInvoice(invoice: Invoice | null, named: string, currency: string): void {
  if (!invoice) throw noSuch(["invoiceId"], "invoice", named);
  if (!isPayable(invoice.status)) throw invalidField(["invoiceId"], `The invoice is ${invoice.status}.`);
  if (invoice.currency !== currency)
    throw invalidField(["currency"], `The invoice is in ${invoice.currency}; so must its link be.`);
}

/** What the body states of the VAT. Throws 400 beside an invoice, which has its own. */
function statedVatOf(tx: Tx, ctx: Ctx, body: PaymentLinkCreateBody): Promise<StatedVat> {
  if (body.invoiceId && (body.taxRate !== null || body.taxExempt))
    throw invalidField([body.taxExempt ? "taxExempt" : "taxRate"], "must be left out: the invoice has its own VAT");
  return vatStatedBy(tx, ctx, body);
}

/**
 * The amount of each later collection, in cents. For an invoice it is the invoice's total; throws 400 for another
 * amount (interface 4.7).
 */
function laterAmount({ amount, recurring }: PaymentLinkCreateBody, invoice: Invoice | null): Cents {
  const asked = recurring?.amount ?? null;
  if (!invoice) return asked ?? amount;
  if (recurring && asked !== null && asked !== invoice.total)
    throw invalidField(["recurring", "amount"], "A recurring link for an invoice collects the invoice's total.");
  return invoice.total;
}

/**
 * Throws 400 when no enabled gateway accepts the currency, or, when they are requested, recurring payments
 * (interface 4.2).
 */
function checkGateways(
  accounts: readonly GatewayAccount[],
  currency: string,
  recurring: boolean,
  body: PaymentLinkCreateBody,
): void {
  const gateways = checkoutGateways(accounts, currency);
  if (recurring && !gateways.some(({ adapter }) => adapter.subscriptions))
    throw invalidField(
      [body.recurring ? "recurring" : "productId"],
      `No enabled gateway of this account takes recurring payments in ${currency}.`,
    );
  if (gateways.length === 0 && !hasManualTransfer(accounts, currency))
    throw invalidField(
      ["currency"],
      `No enabled gateway accepts ${currency}. Enable one under Settings, Gateways, or use another currency.`,
    );
}

async function payerOf(tx: Tx, ctx: Ctx, body: PaymentLinkCreateBody): Promise<CustomerId | null> {
  if (!body.customerEmail) return null;
  const payer = { email: body.customerEmail, firstName: body.customerFirstName, lastName: body.customerLastName };
  return (await matchCustomer(tx, ctx, payer)).id;
}
