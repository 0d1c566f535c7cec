/** How a payment outside of any gateway was made. */
export const METHODS = ["eft", "cash", "card", "wallet", "other"] as const;
export type Method = (typeof METHODS)[number];
