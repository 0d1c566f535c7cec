import type { Decimal } from "../../kernel/decimal.ts";
import type { Exemption } from "../../kernel/exemption.ts";
import type { Cents } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";

/** Accounting software that imports our files. */
export const SOFTWARE = ["xero", "sage", "quickbooks"] as const;
export type Software = (typeof SOFTWARE)[number];

/** Ledger accounts as files name them: `bank_reconciled` is part of `bank`, since both are the merchant's bank account. */
export const FILED_ACCOUNTS = [
  "receivable",
  "revenue",
  "vat_output",
  "gateway_clearing",
  "gateway_fees",
  "customer_credit",
  "refunds",
  "bank",
  "bank_charges",
  "own_transfers",
] as const;
export type FiledAccount = (typeof FILED_ACCOUNTS)[number];

/** VAT of a line: 15%, 0%, exempt, another rate, and none for what is no supply. */
export const TAX_KINDS = ["standard", "zero", "exempt", "other", "none"] as const;
export type TaxKind = (typeof TAX_KINDS)[number];

/** The software's names of ledger accounts and VAT. `{rate}` in the code of another rate is replaced by the percentage. */
export interface Codes {
  readonly accounts: Readonly<Record<FiledAccount, string>>;
  readonly taxCodes: Readonly<Record<TaxKind, string>>;
}

/** A line of an invoice or a credit note, in cents; above zero in both. */
export interface DocumentLine extends Exemption {
  readonly kind: "invoice" | "credit_note";
  readonly number: string;
  /** Of its entry in the books. */
  readonly day: CalendarDay;
  readonly dueDay: CalendarDay;
  readonly reference: string | null;
  readonly customer: string;
  readonly accountCode: string;
  readonly email: string | null;
  readonly description: string;
  readonly net: Cents;
  readonly tax: Cents;
  /** Percent. */
  readonly taxRate: Decimal;
  readonly currency: string;
}

/** The sum that a day, or a month, posted to a ledger account, in cents; a debit is positive. */
export interface JournalSum {
  readonly day: CalendarDay;
  readonly account: FiledAccount;
  readonly amount: Cents;
  readonly currency: string;
}
