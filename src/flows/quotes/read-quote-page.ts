import type { QuoteId } from "../../kernel/ids.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { findInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import { QUOTE_PAGE } from "../../modules/quotes/declarations.ts";
import { findQuote } from "../../modules/quotes/store.ts";
import type { Quote } from "../../modules/quotes/types.ts";
import type { Ctx } from "../context.ts";
import { isErased } from "../customers/identified-customer.ts";
import { hostedUrl } from "../hosted-links.ts";
import { invoicePayUrl } from "../invoices/invoice-object.ts";
import { currentSettings } from "../organisations/settings.ts";
import type { PayerPage } from "../search/record-kind.ts";
import type { Services } from "../services.ts";

/** The facts on a quote's page. */
export interface QuotePageFacts {
  readonly quote: Quote;
  readonly customer: Customer | null;
  /** Whether the customer was erased; the quote then accepts no answer. */
  readonly erased: boolean;
  readonly settings: Settings;
  /** The pay page of the invoice that the quote was converted into; null when it cannot be paid. */
  readonly payUrl: string | null;
}

/** Reads the page's facts. Null when there is no such quote, or it is a draft, which has no page. */
export function readQuotePage(services: Services, ctx: Ctx, id: QuoteId): Promise<QuotePageFacts | null> {
  return services.db.read(ctx.organisation.id, async (tx) => {
    const [quote, settings] = await Promise.all([findQuote(tx, id), currentSettings(tx)]);
    if (!quote || quote.status === "draft") return null;
    const [customer, invoice] = await Promise.all([
      findCustomer(tx, quote.customer.id),
      quote.invoice && findInvoice(tx, quote.invoice.id),
    ]);
    const erased = customer !== null && (await isErased(tx, customer));
    return { quote, customer, erased, settings, payUrl: invoice && invoicePayUrl(ctx, invoice) };
  });
}

/** The page of an issued quote. */
export const quotePage: PayerPage = async (tx, ctx, id) => {
  const quote = await findQuote(tx, id);
  return quote && quote.status !== "draft" ? hostedUrl(ctx, QUOTE_PAGE, quote.id) : null;
};
