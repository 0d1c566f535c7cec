import { type Item, useList } from "../../api/lists.ts";

/** Accounting software with its codes (interface 18.8). */
export type Software = Item<"/accounting/software">;

/** The name of each software. */
export const SOFTWARE_NAMES: Readonly<Record<Software["software"], string>> = {
  xero: "Xero",
  sage: "Sage",
  quickbooks: "QuickBooks",
};

const TAX_WORDS: Readonly<Record<string, string>> = {
  standard: "15 %",
  zero: "0 %, not exempt",
  exempt: "Exempt from VAT",
  other: "Any other rate",
  none: "No supply, so no VAT",
};

/** The label of a kind of VAT. */
export const taxInWords = (kind: string): string => TAX_WORDS[kind] ?? kind;

/** Reads every software with its codes. */
export const useSoftware = () => useList("/accounting/software", {});
