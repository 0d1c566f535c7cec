import type { Shape } from "../../api/client.ts";
import { formatMoney } from "../../lib/money.ts";
import { counted } from "../../lib/words.ts";

type Coupon = Pick<Shape<"Coupon">, "percent" | "amount" | "currency" | "duration" | "cycles">;

/** The reduction by a coupon: `10 %`, `R 50,00`. */
export const reductionOf = ({ percent, amount, currency }: Coupon): string =>
  percent === null ? formatMoney(amount ?? 0, currency) : `${percent} %`;

/** The charges that it lowers: `The first charge`, `3 charges`, `Every charge`. */
export const durationOf = ({ duration, cycles }: Coupon): string => {
  if (duration === "every") return "Every charge";
  return duration === "first" ? "The first charge" : counted(cycles ?? 1, "charge");
};
