import { exemption } from "../../kernel/exemption.ts";
import { toRand } from "../../kernel/money.ts";
import { type CalendarDay, toTimestamp } from "../../kernel/time.ts";
import { taxedOn } from "../../kernel/vat-rates.ts";
import type { Product } from "./types.ts";

/** Interface 14.2; its VAT rate is that of today. */
export const productView = (product: Product, today: CalendarDay) => ({
  id: product.id,
  name: product.name,
  description: product.description,
  amount: toRand(product.amount),
  currency: product.currency,
  taxRate: Number(taxedOn(product, today).taxRate),
  standardRate: product.standardRate,
  ...exemption(product.taxExempt),
  taxInclusive: product.taxInclusive,
  recurring: product.recurring,
  enabled: product.enabled,
  createdAt: toTimestamp(product.createdAt),
  updatedAt: toTimestamp(product.updatedAt),
});
