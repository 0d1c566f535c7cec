import type { BankDetails } from "../../kernel/bank-details.ts";
import type { Decimal } from "../../kernel/decimal.ts";
import type { Cents } from "../../kernel/money.ts";
import type { BusinessDay } from "../../kernel/time.ts";

/** Who sends the document, from the organisation's branding. */
export interface Supplier {
  /** The name by law, as on the VAT registration; the organisation's own when none is set. */
  readonly companyName: string;
  /** What customers know it by; null when it is the same. */
  readonly tradingName: string | null;
  /** May have several lines. */
  readonly address: string | null;
  readonly vatNumber: string | null;
  /** As `preparePicture` gives it; anything else is left out. */
  readonly logo: Uint8Array | null;
  /** `#rrggbb`; null is Tefo's. */
  readonly accentColour: string | null;
  readonly supportEmail: string | null;
}

/** Who the document is for. */
export interface Recipient {
  readonly name: string | null;
  readonly company: string | null;
  /** May have several lines. */
  readonly address: string | null;
  readonly vatNumber: string | null;
  readonly email: string | null;
}

/** Who an issued document names, whatever has changed since; null is what was not known. */
export interface KeptParties {
  readonly supplier: {
    readonly companyName: string | null;
    readonly address: string | null;
    readonly vatNumber: string | null;
  };
  readonly customer: {
    readonly firstName: string | null;
    readonly lastName: string | null;
    readonly company: string | null;
    readonly address: string | null;
    readonly vatNumber: string | null;
    readonly email: string | null;
  };
}

/** Inclusive days. */
export interface Period {
  readonly start: BusinessDay;
  readonly end: BusinessDay;
}

/** A priced line. `unitPrice`, in major units, and `amount` are with VAT when the document is tax-inclusive, else without. */
export interface DocumentLine {
  readonly description: string;
  readonly details: string | null;
  readonly quantity: Decimal;
  readonly unitPrice: Decimal;
  /** Percent. */
  readonly taxRate: Decimal;
  readonly amount: Cents;
  readonly tax: Cents;
  readonly period: Period | null;
}

/** How money reaches the supplier by bank transfer; `reference` is what the payer must write. */
export interface PaymentDetails extends BankDetails {
  readonly reference: string;
}

/** What every document has. */
export interface DocumentHead {
  readonly supplier: Supplier;
  readonly recipient: Recipient;
  readonly issueDate: BusinessDay;
  readonly currency: string;
  /** Of a sandbox organisation: every page says that no money is meant. */
  readonly sandbox: boolean;
}

interface Priced extends DocumentHead {
  readonly number: string;
  readonly period: Period | null;
  readonly lines: readonly DocumentLine[];
  readonly taxInclusive: boolean;
  /** Without VAT. */
  readonly subtotal: Cents;
  readonly tax: Cents;
  /** With VAT: `subtotal` and `tax` together. */
  readonly total: Cents;
  readonly notes: string | null;
}

/** Interface 2.5. */
export interface InvoiceDocument extends Priced {
  readonly status: "draft" | "sent" | "overdue" | "partially_paid" | "paid" | "cancelled";
  readonly dueDate: BusinessDay | null;
  readonly externalReference: string | null;
  readonly amountPaid: Cents;
  readonly amountDue: Cents;
  /** The organisation's terms, printed under the notes. */
  readonly terms: string | null;
  /** http(s); null where nothing can be paid online. */
  readonly payUrl: string | null;
  readonly bank: PaymentDetails | null;
}

/** Interface 2.6. */
export interface QuoteDocument extends Priced {
  readonly status: "draft" | "sent" | "expired" | "accepted" | "declined" | "invoiced";
  /** The last day it can be accepted. */
  readonly expiryDate: BusinessDay | null;
  /** http(s): where the customer answers; null when there is no such page. */
  readonly quoteUrl: string | null;
}

/** Interface 4.14; amounts are what the supply is reduced by. */
export interface CreditNoteDocument extends DocumentHead {
  readonly number: string;
  readonly status: "issued" | "partially_applied" | "applied";
  readonly reason: string;
  /** The invoice it corrects; null for a credit that corrects none. */
  readonly invoice: { readonly number: string; readonly issueDate: BusinessDay } | null;
  /** The payment it credits. */
  readonly transactionReference: string | null;
  readonly taxRate: Decimal;
  /** Without VAT. */
  readonly subtotal: Cents;
  readonly tax: Cents;
  readonly total: Cents;
  /** Of `total`, what no invoice has used yet. */
  readonly remaining: Cents;
}

/** A line of a statement: `amount` is above zero for what is owed, below for what was paid or credited. */
export interface Movement {
  readonly day: BusinessDay;
  readonly description: string;
  readonly amount: Cents;
}

/** What a customer owed at the beginning, what happened since, and what they owe; the closing balance follows from the rest. */
export interface StatementDocument extends DocumentHead {
  readonly period: Period;
  readonly opening: Cents;
  /** Oldest first. */
  readonly movements: readonly Movement[];
  /** Open amounts by the days they are past due: none, 1 to 30, 31 to 60, 61 to 90, more. */
  readonly aging: {
    readonly current: Cents;
    readonly days30: Cents;
    readonly days60: Cents;
    readonly days90: Cents;
    readonly older: Cents;
  };
  readonly payUrl: string | null;
  readonly bank: PaymentDetails | null;
}
