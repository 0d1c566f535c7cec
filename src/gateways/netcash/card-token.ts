import { z } from "zod";
import type { CardBrand, CardDetails } from "../facts.ts";
import type { CardOnFile } from "./batch-file.ts";

/** What a file needs of a card beside the vault's token; stored as one opaque text. */
const Kept = z.object({
  token: z.string(),
  masked: z.string(),
  holder: z.string(),
  month: z.int().nullable(),
  year: z.int().nullable(),
});

/** The networks that Netcash debits, with their codes in files. Sources contradict each other about which is which. */
const CARD_CODES: Readonly<Partial<Record<CardBrand, string>>> = { visa: "1", mastercard: "2" };

/** The networks whose saved cards can be debited. */
export const DEBITED_BRANDS = ["visa", "mastercard"] as const satisfies readonly CardBrand[];

/** The text that is stored of a saved card, `CardDetails.token`. */
export const cardToken = (
  card: Pick<CardDetails, "holderName" | "expiryMonth" | "expiryYear"> & { token: string; masked: string },
): string =>
  JSON.stringify({
    token: card.token,
    masked: card.masked,
    holder: card.holderName ?? "",
    month: card.expiryMonth,
    year: card.expiryYear,
  } satisfies z.infer<typeof Kept>);

/** The card as a file names it; null when the stored text is not enough to debit it. */
export function cardOnFile(kept: string, brand: CardBrand, payerName: string): CardOnFile | null {
  const { token, masked, holder, month, year } = Kept.parse(JSON.parse(kept));
  const code = CARD_CODES[brand];
  if (code === undefined || month === null || year === null) return null;
  return { token, masked, code, holder: holder || payerName, expiryMonth: month, expiryYear: year };
}
