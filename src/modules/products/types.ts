import type { Decimal } from "../../kernel/decimal.ts";
import type { Frequency } from "../../kernel/frequency.ts";
import type { ProductId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import type { Dated } from "../../kernel/vat-rates.ts";

/** Interface 14.2, `product`. */
export interface Product extends Dated {
  readonly id: ProductId;
  readonly name: string;
  readonly description: string | null;
  readonly amount: Cents;
  readonly currency: string;
  /** In percent, as decimal text: when it was saved, unless `datedRates` has others. */
  readonly taxRate: Decimal;
  /** Follows the standard rate of each day; else `taxRate` is its own. */
  readonly standardRate: boolean;
  /** Exempt from VAT: its rate is 0. */
  readonly taxExempt: boolean;
  readonly taxInclusive: boolean;
  readonly recurring: { readonly frequency: Frequency } | null;
  readonly enabled: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}
