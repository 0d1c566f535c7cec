/** Interface 2.9: networks of cards; `card` is any other. */
export const CARD_BRANDS = ["visa", "mastercard", "amex", "diners", "card"] as const;
export type CardBrand = (typeof CARD_BRANDS)[number];

/** What names a card to people. */
export interface NamedCard {
  readonly brand: CardBrand;
  readonly last4: string;
}
