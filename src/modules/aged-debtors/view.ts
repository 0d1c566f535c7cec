import { toRand } from "../../kernel/money.ts";
import type { AgedAmounts, AgedDebtor, AgedQuestion } from "./types.ts";

const amountsView = ({ current, days30, days60, days90, days120, older, total, credit }: AgedAmounts) => ({
  current: toRand(current),
  days30: toRand(days30),
  days60: toRand(days60),
  days90: toRand(days90),
  days120: toRand(days120),
  older: toRand(older),
  total: toRand(total),
  credit: toRand(credit),
});

/** Interface 18.5, totals. */
export const agedTotalsView = (
  totals: AgedAmounts & { readonly debtors: number },
  { asAt, currency }: AgedQuestion,
) => ({
  object: "aged_debtors" as const,
  asAt,
  currency,
  debtors: totals.debtors,
  ...amountsView(totals),
});

/** Interface 18.5, customer. `id` is the customer's. */
export const agedDebtorView = ({ customerId, name, amounts }: AgedDebtor, { currency }: AgedQuestion) => ({
  object: "aged_debtor" as const,
  id: customerId,
  name,
  currency,
  ...amountsView(amounts),
});
