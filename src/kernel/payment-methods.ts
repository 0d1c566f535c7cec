/** How a payment outside of any gateway was made (interface 4.5). */
export const PAYMENT_METHODS = ["eft", "cash", "card", "wallet", "other"] as const;
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];
