/** Interface 2.3: how often a recurring link or subscription collects. */
export const FREQUENCIES = ["monthly", "quarterly", "biannually", "annually"] as const;
export type Frequency = (typeof FREQUENCIES)[number];
