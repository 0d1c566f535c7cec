import { addDays } from "../../kernel/time.ts";
import { decidedDebits } from "../../modules/debit-batches/store/returned.ts";
import { LIMITS, unpaidReasonsView, unpaidSpanView } from "../../modules/debit-batches/view.ts";
import { MANDATE_CURRENCY } from "../../modules/mandates/rules.ts";
import { type Days, divided } from "../../modules/overview/rules.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { type DaysAsked, daysAsked } from "./read-received.ts";

/** The days by which the scheme judges. */
const DAYS = 90;

/** How many debits were returned unpaid in some days, whole and by week, beside the scheme's limits (interface 14.4). Throws 400. */
export async function readUnpaidDebits(tx: Tx, ctx: Ctx, query: Pick<DaysAsked, "from" | "to">) {
  const { currency: _currency, ...days } = daysAsked(ctx, query, (last) => addDays(last, 1 - DAYS));
  const decided = await decidedDebits(tx, days);
  const span = (of: Days) => ({
    ...of,
    ...unpaidSpanView(decided.filter(({ day }) => day >= of.from && day <= of.to)),
  });
  return {
    object: "unpaid_debits_report",
    currency: MANDATE_CURRENCY,
    ...span(days),
    ...LIMITS,
    reasons: unpaidReasonsView(decided),
    series: divided(days, "week").map(span),
  };
}
