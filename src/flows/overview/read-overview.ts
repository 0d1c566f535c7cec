import { toTimestamp } from "../../kernel/time.ts";
import { MANDATE_CURRENCY } from "../../modules/mandates/rules.ts";
import { debitSpan } from "../../modules/payments/rules.ts";
import { collectedDebits } from "../../modules/payments/store.ts";
import { moneyAtRiskView } from "../../modules/payments/view.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";

/** The figures of the dashboard's home page at this moment (interface 14.4), each with the list that it adds up. */
export async function readOverview(tx: Tx, ctx: Ctx) {
  return { asOf: toTimestamp(ctx.now), moneyAtRisk: await moneyAtRisk(tx, ctx) };
}

/** One entry for each currency in which debits were collected, and always one for that of mandates. */
async function moneyAtRisk(tx: Tx, { now }: Ctx): Promise<ReturnType<typeof moneyAtRiskView>[]> {
  const [atRisk, safe] = await Promise.all([
    collectedDebits(tx, debitSpan("at_risk", now)),
    collectedDebits(tx, debitSpan("safe", now)),
  ]);
  const currencies = new Set([MANDATE_CURRENCY, ...[...atRisk, ...safe].map(({ currency }) => currency)]);
  return [...currencies].map((currency) =>
    moneyAtRiskView(currency, {
      at_risk: atRisk.filter((debits) => debits.currency === currency),
      safe: safe.filter((debits) => debits.currency === currency),
    }),
  );
}
