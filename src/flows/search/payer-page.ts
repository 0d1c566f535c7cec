import type { InvoiceId } from "../../kernel/ids.ts";
import { businessDay } from "../../kernel/time.ts";
import { findCheckoutSession } from "../../modules/checkout-sessions/store.ts";
import { findCustomerSubscription } from "../../modules/customer-subscriptions/store.ts";
import { EFT_PAGE } from "../../modules/eft-orders/declarations.ts";
import { findEftOrder } from "../../modules/eft-orders/store.ts";
import { findInvoice } from "../../modules/invoices/store.ts";
import { AGREEMENT_PAGE } from "../../modules/mandate-agreements/declarations.ts";
import { stageOf } from "../../modules/mandates/states.ts";
import { findMandate } from "../../modules/mandates/store.ts";
import { findPackage } from "../../modules/packages/store.ts";
import { PAY_PAGE } from "../../modules/payment-links/declarations.ts";
import { findPaymentLink, newestPayLinkOf } from "../../modules/payment-links/store.ts";
import { findProduct } from "../../modules/products/store.ts";
import { QUOTE_PAGE } from "../../modules/quotes/declarations.ts";
import { findQuote } from "../../modules/quotes/store.ts";
import { checkoutPath, sessionUrl } from "../checkout/session-object.ts";
import { hostedUrl } from "../hosted-links.ts";
import { invoicePayUrl } from "../invoices/invoice-object.ts";
import type { RecordKind } from "./record-kind.ts";

/** The address of a record's hosted page; null while it has none, and for an unknown record. */
type PageOf = NonNullable<RecordKind["payerPage"]>;

/** The hosted pages of records, by the prefix of ids. */
export const PAYER_PAGES = {
  async inv(tx, ctx, id) {
    // Once the invoice is paid or cancelled, its page says so.
    const [invoice, link] = await Promise.all([findInvoice(tx, id), newestPayLinkOf(tx, id as InvoiceId)]);
    return invoice && invoice.status !== "draft" && link ? hostedUrl(ctx, PAY_PAGE, link.id) : null;
  },
  async quo(tx, ctx, id) {
    const quote = await findQuote(tx, id);
    return quote && quote.status !== "draft" ? hostedUrl(ctx, QUOTE_PAGE, quote.id) : null;
  },
  async plink(tx, ctx, id) {
    const link = await findPaymentLink(tx, id);
    return link && hostedUrl(ctx, PAY_PAGE, link.id);
  },
  async eft(tx, ctx, id) {
    const order = await findEftOrder(tx, id);
    return order && hostedUrl(ctx, EFT_PAGE, order.id);
  },
  async chk(tx, ctx, id) {
    const session = await findCheckoutSession(tx, id);
    return session && sessionUrl(ctx, session);
  },
  async pkg(tx, ctx, id) {
    const found = await findPackage(tx, id);
    return found?.enabled
      ? ctx.baseUrl + checkoutPath(ctx, { packageId: found.id, planId: null, productId: null })
      : null;
  },
  async prod(tx, ctx, id) {
    const found = await findProduct(tx, id);
    return found?.enabled
      ? ctx.baseUrl + checkoutPath(ctx, { packageId: null, planId: null, productId: found.id })
      : null;
  },
  /** For a subscription, the page on which its open invoice is paid; all else is in the portal, for the customer only. */
  async csub(tx, ctx, id) {
    const found = await findCustomerSubscription(tx, id, businessDay(ctx.now));
    return found?.openInvoice ? invoicePayUrl(ctx, found.openInvoice) : null;
  },
  /** The page with the text of its newest agreement, else the gateway's own page. */
  async man(tx, ctx, id) {
    const mandate = await findMandate(tx, id);
    if (!mandate) return null;
    if (mandate.latestAgreement) return hostedUrl(ctx, AGREEMENT_PAGE, mandate.latestAgreement.id);
    return stageOf(mandate) === "awaiting_signature" ? mandate.eMandateUrl : null;
  },
} as const satisfies Readonly<Record<string, PageOf>>;
