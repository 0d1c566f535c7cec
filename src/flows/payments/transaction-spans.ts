import { addDays, type BusinessDay, startOfDay } from "../../kernel/time.ts";
import { debitSpan } from "../../modules/payments/rules.ts";
import type { TransactionSpans } from "../../modules/payments/store/payments.ts";
import type { Ctx } from "../context.ts";

/** What the list and the export of payments are asked for, as times; days are South African and included. */
export const transactionSpans = (
  { now }: Ctx,
  asked: {
    readonly risk?: Parameters<typeof debitSpan>[0] | undefined;
    readonly paidFrom?: BusinessDay | undefined;
    readonly paidTo?: BusinessDay | undefined;
  },
): TransactionSpans => ({
  debits: asked.risk === undefined ? null : debitSpan(asked.risk, now),
  paid: {
    from: asked.paidFrom && startOfDay(asked.paidFrom),
    until: asked.paidTo && startOfDay(addDays(asked.paidTo, 1)),
  },
});
