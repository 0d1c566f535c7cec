import { toDecimal } from "../../kernel/decimal.ts";
import { invalidField } from "../../kernel/errors.ts";
import type { LineItem } from "../../kernel/lines.ts";
import { findNamedCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import type { LineItemBody } from "../../modules/quotes/schema.ts";
import type { Tx } from "../../platform/database.ts";
import { currentSettings } from "../organisations/settings.ts";

interface CustomerName {
  readonly customerId: string | null;
  readonly customerExternalReference: string | null;
}

/** Whom the body names; null when it names nobody. 400 for a customer that does not exist (interface 4.6). */
export async function namedCustomer(tx: Tx, body: CustomerName): Promise<Customer | null> {
  const { customerId, customerExternalReference } = body;
  if (customerId === null && customerExternalReference === null) return null;
  const customer = await findNamedCustomer(tx, { id: customerId, externalReference: customerExternalReference });
  if (!customer)
    throw invalidField([customerId === null ? "customerExternalReference" : "customerId"], "No such customer.");
  return customer;
}

/** Lines as they were given, at the organisation's rate of VAT where they name none. */
export async function lineItemsOf(tx: Tx, items: readonly LineItemBody[]): Promise<LineItem[]> {
  const { vatRate } = await currentSettings(tx);
  return items.map((item) => ({ ...item, taxRate: toDecimal(item.taxRate ?? vatRate) }));
}
