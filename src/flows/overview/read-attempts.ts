import { addDays, startOfDay } from "../../kernel/time.ts";
import { type Days, type Division, divided } from "../../modules/overview/rules.ts";
import { attemptsIn } from "../../modules/payments/store/attempts.ts";
import type { AttemptMethod } from "../../modules/payments/types.ts";
import { attemptMethodsView, attemptsView, declineReasonsView } from "../../modules/payments/view.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { type DaysAsked, daysAsked } from "./read-received.ts";

/** How attempts to pay that began in some days ended, whole, divided, and by method and gateway (interface 14.4). Throws 400. */
export async function readAttempts(
  tx: Tx,
  ctx: Ctx,
  {
    by = "day",
    method,
    gateway,
    ...query
  }: DaysAsked & {
    readonly by?: Division | undefined;
    readonly method?: AttemptMethod | undefined;
    readonly gateway?: string | undefined;
  },
) {
  const { currency, ...days } = daysAsked(ctx, query);
  const all = await attemptsIn(tx, {
    currency,
    createdFrom: startOfDay(days.from),
    createdTo: startOfDay(addDays(days.to, 1)),
    inRealTime: !ctx.organisation.sandbox,
  });
  const attempts = all.filter((one) => (!method || one.method === method) && (!gateway || one.gateway === gateway));
  const span = (of: Days) => ({
    ...of,
    ...attemptsView(attempts.filter(({ day }) => day >= of.from && day <= of.to)),
  });
  return {
    object: "attempts_report",
    currency,
    by,
    ...span(days),
    reasons: declineReasonsView(attempts),
    methods: attemptMethodsView(attempts),
    series: divided(days, by).map(span),
  };
}
