import { addSeconds, startOfMonth } from "../../kernel/time.ts";
import { countPaidSince, countStartedSince, lockPaymentStarts } from "../../modules/payments/store/starts.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, quotaOf } from "../context.ts";

/** Whether the plan's monthly limit of payments is reached, as pages show it (decisions.md#monthly-limit-is-serial). */
export const monthlyLimitReached = (tx: Tx, ctx: Ctx): Promise<boolean> => reaches(tx, ctx, paidThisMonth);

/**
 * Like `monthlyLimitReached`, when a payment starts: pending payments that were started count too. Locks the
 * organisation's payment starts when the plan has a limit.
 */
export const monthlyLimitReachedAtStart = (tx: Tx, ctx: Ctx): Promise<boolean> => reaches(tx, ctx, paidOrStarted);

async function reaches(tx: Tx, ctx: Ctx, count: Count): Promise<boolean> {
  const limit = quotaOf(ctx.organisation, "monthlyTransactions");
  return limit !== null && (await count(tx, ctx, limit)) >= limit;
}

/** Counts payments towards the monthly limit, and stops at it. */
type Count = (tx: Tx, ctx: Ctx, limit: number) => Promise<number>;

const paidThisMonth: Count = (tx, { now }, limit) => countPaidSince(tx, startOfMonth(now), limit);

/** Seconds for which a started payment counts, because it may still be paid. */
const STARTED_COUNTS_SECONDS = 30 * 60;

const paidOrStarted: Count = async (tx, ctx, limit) => {
  lockPaymentStarts(tx, ctx.now);
  const [paid, started] = await Promise.all([
    paidThisMonth(tx, ctx, limit),
    countStartedSince(tx, addSeconds(ctx.now, -STARTED_COUNTS_SECONDS), limit),
  ]);
  return paid + started;
};
