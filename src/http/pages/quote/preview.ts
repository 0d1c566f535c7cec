import type { Ctx } from "../../../flows/context.ts";
import type { QuotePreview } from "../../../flows/documents/preview-quote.ts";
import { customerName } from "../../../modules/customers/rules.ts";
import { documentOfQuote } from "../../../templates/document.ts";
import { quotePage } from "../../../templates/pages/quote.ts";
import { brandOf } from "../brand.ts";

/** The page of a quote that is not saved, as HTML. Its form has no token, so it accepts no answer. */
export const quotePagePreview = (
  { organisation }: Ctx,
  { quote, customer, settings }: Pick<QuotePreview, "quote" | "customer" | "settings">,
): string =>
  quotePage({
    brand: brandOf(organisation, settings),
    vatNumber: settings.branding.vatNumber,
    customerName: customer && customerName(customer),
    quote: documentOfQuote(quote),
    pdf: `/portal/${organisation.slug}`,
    state: { kind: "open", formToken: "" },
    problems: [],
    acceptedBy: { value: "", error: null },
  }).toString();
