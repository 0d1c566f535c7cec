import { formatMoney } from "./money.ts";

/** The reason of the amount of a bill's line, as the API gives it. */
export interface LineReason {
  readonly quantity: number | null;
  readonly unitAmount: number | null;
  readonly replaces: string | null;
  readonly parts: readonly { readonly name: string; readonly quantity: number; readonly unitAmount: number }[] | null;
  readonly days: { readonly billed: number; readonly of: number } | null;
  readonly full: number;
  readonly less: readonly {
    readonly by: "coupon" | "discount" | "unused_days" | "credit" | "tax_terms";
    readonly name: string | null;
    readonly percent: number | null;
    readonly amount: number;
  }[];
}

const LESS: Readonly<Record<LineReason["less"][number]["by"], string>> = {
  coupon: "coupon",
  discount: "discount",
  unused_days: "unused days of",
  credit: "credit",
  tax_terms: "other VAT terms",
};

/** A line's reason as short sentences: what it counts, which days, and what is subtracted. */
export function explained(reason: LineReason, currency: string): string[] {
  const money = (amount: number) => formatMoney(amount, currency);
  const { quantity, unitAmount, parts, days, full, less, replaces } = reason;
  const counts =
    quantity !== null && unitAmount !== null && quantity !== 1 ? [`${quantity} × ${money(unitAmount)}`] : [];
  const consists = (parts ?? []).map((part) => `${part.name}: ${part.quantity} × ${money(part.unitAmount)}`);
  const part = days && days.billed !== days.of ? [`${days.billed} of ${days.of} days`] : [];
  const before = replaces === null ? [] : [`in place of ${replaces}`];
  const taken = less.map(({ by, name, percent, amount }) =>
    ["less", money(amount), percent === null ? "" : `(${percent} %)`, "by", LESS[by], name ?? ""]
      .filter(Boolean)
      .join(" "),
  );
  return [...counts, ...consists, ...before, ...part, ...(less.length > 0 ? [money(full)] : []), ...taken];
}
