import { discounted } from "../../kernel/discounts.ts";
import { exemption } from "../../kernel/exemption.ts";
import { type LineItem, requirePeriod } from "../../kernel/lines.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import type { InvoiceLineBody } from "../../modules/invoices/schema.ts";
import { rateOfLine } from "../../modules/organisations/rules.ts";
import type { Settings } from "../../modules/organisations/schema.ts";

/**
 * The lines of a body, for an invoice that is issued on a day; a line without a rate gets the organisation's of that day.
 * Throws 400 as `rateOfLine`, and for a period with one date, or that ends before it begins.
 */
export const invoiceItems = (settings: Settings, lines: readonly InvoiceLineBody[], day: CalendarDay): LineItem[] =>
  lines.map(({ taxRate, taxExempt, discount, ...line }, place) => {
    requirePeriod(line, ["lines", place]);
    return {
      ...line,
      taxRate: rateOfLine(settings, day, { taxRate, taxExempt }, ["lines", place]),
      ...exemption(taxExempt),
      ...discounted(discount),
    };
  });
