import { exemption } from "../../kernel/exemption.ts";
import { toRand } from "../../kernel/money.ts";
import { toTimestamp } from "../../kernel/time.ts";
import type { Product } from "./types.ts";

/** Interface 14.2. */
export const productView = (product: Product) => ({
  id: product.id,
  name: product.name,
  description: product.description,
  amount: toRand(product.amount),
  currency: product.currency,
  taxRate: Number(product.taxRate),
  ...exemption(product.taxExempt),
  taxInclusive: product.taxInclusive,
  recurring: product.recurring,
  enabled: product.enabled,
  createdAt: toTimestamp(product.createdAt),
  updatedAt: toTimestamp(product.updatedAt),
});
