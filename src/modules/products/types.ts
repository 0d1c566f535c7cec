import type { Decimal } from "../../kernel/decimal.ts";
import type { Frequency } from "../../kernel/frequency.ts";
import type { ProductId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";

/** Interface 14.2, `product`. */
export interface Product {
  readonly id: ProductId;
  readonly name: string;
  readonly description: string | null;
  readonly amount: Cents;
  readonly currency: string;
  /** In percent, as decimal text. */
  readonly taxRate: Decimal;
  /** Exempt from VAT: its rate is 0. */
  readonly taxExempt: boolean;
  readonly taxInclusive: boolean;
  readonly recurring: { readonly frequency: Frequency } | null;
  readonly enabled: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}
