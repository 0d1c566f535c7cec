import { discounted } from "../../kernel/discounts.ts";
import { exemption } from "../../kernel/exemption.ts";
import type { LineItem } from "../../kernel/lines.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { rateOfLine } from "../../modules/organisations/rules.ts";
import type { LineItemBody, QuoteCreateBody } from "../../modules/quotes/schema.ts";
import type { Tx } from "../../platform/database.ts";
import { identifiedCustomer } from "../customers/identified-customer.ts";
import { currentSettings } from "../organisations/settings.ts";

/** The customer that the body names; null when it names none. Throws 400 for an unknown customer (interface 4.6). */
export const customerNamedIn = (
  tx: Tx,
  { customerId: id, customerExternalReference: externalReference }: Pick<QuoteCreateBody, NameField>,
): Promise<Customer | null> =>
  id !== null
    ? identifiedCustomer(tx, { id }, "customerId")
    : identifiedCustomer(
        tx,
        externalReference === null ? null : { id, externalReference },
        "customerExternalReference",
      );

type NameField = "customerId" | "customerExternalReference";

/**
 * The lines of a quote that is issued on a day. A line without a rate gets the organisation's VAT rate of that day.
 * Throws 400 as `rateOfLine`.
 */
export async function lineItemsOf(tx: Tx, items: readonly LineItemBody[], day: CalendarDay): Promise<LineItem[]> {
  const settings = await currentSettings(tx);
  return items.map(({ taxRate, taxExempt, discount, ...item }, place) => ({
    ...item,
    taxRate: rateOfLine(settings, day, { taxRate, taxExempt }, ["lineItems", place]),
    ...exemption(taxExempt),
    ...discounted(discount),
  }));
}
