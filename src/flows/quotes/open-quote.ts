import type { QuoteId } from "../../kernel/ids.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { findInvoice } from "../../modules/invoices/store.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import { organisationById } from "../../modules/organisations/store.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import { findQuote } from "../../modules/quotes/store.ts";
import type { Quote } from "../../modules/quotes/types.ts";
import { readToken, tokenHolds } from "../../platform/tokens.ts";
import type { Ctx } from "../context.ts";
import { invoicePayUrl } from "../invoices/invoice-object.ts";
import { linkKeyOf } from "../organisations/link-key.ts";
import { currentSettings } from "../organisations/settings.ts";
import type { Services } from "../services.ts";

/** Whose quote the token of its page opens; null for a token that this service did not make, whatever is wrong with it. */
export async function openQuoteLink(
  services: Services,
  token: string,
): Promise<{ organisation: Organisation; quoteId: QuoteId } | null> {
  const claim = readToken(token, "quo");
  const organisation = claim && (await organisationById(services.db, claim.organisation));
  if (!claim || !organisation || !tokenHolds(token, linkKeyOf(services, organisation), "quote")) return null;
  return { organisation, quoteId: claim.subject };
}

/** What a quote's page shows. */
export interface QuotePageFacts {
  readonly quote: Quote;
  readonly customer: Customer | null;
  readonly settings: Settings;
  /** Where the invoice that it became is paid, as long as it can be. */
  readonly payUrl: string | null;
}

/** Null when there is no such quote, or it is a draft, which is nobody's to see. */
export function readQuotePage(services: Services, ctx: Ctx, id: QuoteId): Promise<QuotePageFacts | null> {
  return services.db.read(ctx.organisation.id, async (tx) => {
    const [quote, settings] = await Promise.all([findQuote(tx, id), currentSettings(tx)]);
    if (!quote || quote.status === "draft") return null;
    const [customer, invoice] = await Promise.all([
      findCustomer(tx, quote.customer.id),
      quote.invoice && findInvoice(tx, quote.invoice.id),
    ]);
    return { quote, customer, settings, payUrl: invoice && invoicePayUrl(services, ctx.organisation, invoice) };
  });
}
