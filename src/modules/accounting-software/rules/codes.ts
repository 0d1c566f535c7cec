import type { Codes, DocumentLine, FiledAccount, Software, TaxKind } from "../types.ts";

/**
 * The defaults of each software: the accounts of its own chart of accounts where these are known, else numbers and
 * names that its chart does not use.
 */
const DEFAULT_CODES: Readonly<Record<Software, Codes>> = {
  xero: {
    accounts: {
      receivable: "611",
      revenue: "200",
      vat_output: "820",
      gateway_clearing: "612",
      gateway_fees: "404",
      customer_credit: "821",
      refunds: "205",
      bank: "613",
      bank_charges: "404",
      own_transfers: "614",
    },
    taxCodes: {
      standard: "Standard Rate Sales",
      zero: "Zero Rate Sales",
      exempt: "Exempt Sales",
      other: "VAT {rate}%",
      none: "No VAT",
    },
  },
  sage: {
    accounts: {
      receivable: "1105",
      revenue: "4000",
      vat_output: "2200",
      gateway_clearing: "1210",
      gateway_fees: "7900",
      customer_credit: "2105",
      refunds: "4010",
      bank: "1200",
      bank_charges: "7900",
      own_transfers: "1220",
    },
    taxCodes: { standard: "Standard", zero: "Zero", exempt: "Exempt", other: "VAT {rate}%", none: "No VAT" },
  },
  quickbooks: {
    accounts: {
      receivable: "Receivables by Tefo",
      revenue: "Sales",
      vat_output: "VAT Control",
      gateway_clearing: "Payment gateways",
      gateway_fees: "Gateway fees",
      customer_credit: "Customer credit",
      refunds: "Refunds",
      bank: "Bank",
      bank_charges: "Bank charges",
      own_transfers: "Own transfers",
    },
    taxCodes: { standard: "Standard", zero: "Zero", exempt: "Exempt", other: "VAT {rate}%", none: "No VAT" },
  },
};

/** Codes that were chosen in place of defaults; null and what is left out is the default. */
export interface ChosenCodes {
  readonly accounts?: { readonly [Account in FiledAccount]?: string | null | undefined } | undefined;
  readonly taxCodes?: { readonly [Kind in TaxKind]?: string | null | undefined } | undefined;
}

const chosen = <Name extends string>(of: { readonly [N in Name]?: string | null | undefined } = {}) =>
  Object.fromEntries(Object.entries(of).filter(([, code]) => typeof code === "string")) as Partial<
    Record<Name, string>
  >;

/** The software's codes, with defaults for what was not chosen. */
export const codesOf = (software: Software, { accounts, taxCodes }: ChosenCodes): Codes => ({
  accounts: { ...DEFAULT_CODES[software].accounts, ...chosen(accounts) },
  taxCodes: { ...DEFAULT_CODES[software].taxCodes, ...chosen(taxCodes) },
});

/** The codes chosen before, with the given changes; null restores the default, which is not stored. */
export const changedCodes = (before: ChosenCodes, change: ChosenCodes): ChosenCodes => ({
  accounts: chosen({ ...before.accounts, ...change.accounts }),
  taxCodes: chosen({ ...before.taxCodes, ...change.taxCodes }),
});

/** The code of a line's VAT. */
export function taxCodeOf(
  { taxCodes }: Codes,
  { taxRate, taxExempt }: Pick<DocumentLine, "taxRate" | "taxExempt">,
): string {
  if (taxExempt) return taxCodes.exempt;
  const percent = Number(taxRate);
  if (percent === 0) return taxCodes.zero;
  return percent === 15 ? taxCodes.standard : taxCodes.other.replaceAll("{rate}", String(percent));
}
