import { toNumber } from "../kernel/decimal.ts";
import type { Deposit } from "../kernel/deposits.ts";
import { type Discount, type Discounted, discountTotal, type TakenFrom } from "../kernel/discounts.ts";
import { toRand } from "../kernel/money.ts";

/** A discount or a deposit as the API shows it. */
export const partShown = (given: Discount | Deposit) =>
  "percent" in given ? { percent: toNumber(given.percent) } : { amount: toRand(given.amount) };

/** The field `discount` of an object that has one. */
export const discountFields = (given: Discount | null | undefined) => (given ? { discount: partShown(given) } : {});

/** The fields `discount` and `discountTotal` of a document that has discounts. */
export function documentDiscountFields(document: {
  readonly discount: Discount | null;
  readonly lines: readonly (Discounted & TakenFrom)[];
}) {
  const total = discountTotal(document);
  return { ...discountFields(document.discount), ...(total === null ? {} : { discountTotal: toRand(total) }) };
}
