/** Interface 2.3: how often a recurring link or subscription collects. */
export const FREQUENCIES = ["monthly", "quarterly", "biannually", "annually"] as const;
export type Frequency = (typeof FREQUENCIES)[number];

/** Calendar months from one collection to the next. */
export const MONTHS: Readonly<Record<Frequency, number>> = { monthly: 1, quarterly: 3, biannually: 6, annually: 12 };
