import { toDecimal } from "../../kernel/decimal.ts";
import { exemption, rateAsked } from "../../kernel/exemption.ts";
import type { LineItem } from "../../kernel/lines.ts";
import type { Customer } from "../../modules/customers/types.ts";
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

/** The body's lines, with the organisation's VAT rate where they give none. */
export async function lineItemsOf(tx: Tx, items: readonly LineItemBody[]): Promise<LineItem[]> {
  const { vatRate } = await currentSettings(tx);
  return items.map(({ taxRate, taxExempt, ...item }) => ({
    ...item,
    taxRate: toDecimal(rateAsked({ taxRate, taxExempt }) ?? vatRate),
    ...exemption(taxExempt),
  }));
}
