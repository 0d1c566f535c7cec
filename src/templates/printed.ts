import type { BankDetails } from "../kernel/bank-details.ts";
import type { Cents } from "../kernel/money.ts";
import type { CalendarDay, Instant } from "../kernel/time.ts";
import type { CreditNoteStatus } from "../modules/credit-notes/types.ts";
import type { InvoiceStatus } from "../modules/invoices/types.ts";
import type { QuoteStatus } from "../modules/quotes/types.ts";
import type { AgreementBlock } from "./agreement.ts";
import type { Period, PricedDocument } from "./document.ts";

/** The sender of a document, from the organisation's branding. */
export interface Supplier {
  /** The registered name, as on the VAT registration; the organisation's name when none is set. */
  readonly companyName: string;
  /** The name that customers know; null when it is the same. */
  readonly tradingName: string | null;
  /** May have several lines. */
  readonly address: string | null;
  readonly vatNumber: string | null;
  /** A result of `decodePicture`; other bytes are left out. */
  readonly logo: Uint8Array | null;
  /** `#rrggbb`; null: Tefo's colour. */
  readonly accentColour: string | null;
  readonly supportEmail: string | null;
}

/** The recipient of a document. */
export interface Recipient {
  readonly name: string | null;
  readonly company: string | null;
  /** May have several lines. */
  readonly address: string | null;
  readonly vatNumber: string | null;
  readonly email: string | null;
}

/** Details for a bank transfer to the supplier; `reference` is the text that the payer must give. */
export interface PaymentDetails extends BankDetails {
  readonly reference: string;
}

/** Sender and recipient of a PDF. */
export interface Parties {
  readonly supplier: Supplier;
  readonly recipient: Recipient;
  /** A sandbox organisation: every page says that it is a test. */
  readonly sandbox: boolean;
}

/** The common part of all PDFs. */
export interface DocumentHead extends Parties {
  readonly issueDate: CalendarDay;
  readonly currency: string;
}

/** A mandate's agreement for its PDF (interface 4.10). */
export interface AgreementDocument extends DocumentHead {
  readonly accountReference: string;
  readonly blocks: readonly AgreementBlock[];
  /** Of the text, hexadecimal. */
  readonly sha256: string;
  /** Null until it is signed. */
  readonly signature: {
    readonly signedAt: Instant;
    readonly name: string;
    readonly consent: string;
    readonly address: string | null;
    readonly userAgent: string | null;
  } | null;
}

/** An invoice for its PDF (interface 2.5). */
export interface InvoiceDocument extends Parties, PricedDocument {
  readonly status: InvoiceStatus;
  readonly externalReference: string | null;
  /** URL of the pay page, http(s); null when the invoice cannot be paid online. */
  readonly payUrl: string | null;
  readonly bank: PaymentDetails | null;
}

/** A quote for its PDF (interface 2.6). */
export interface QuoteDocument extends Parties, PricedDocument {
  readonly status: QuoteStatus;
  /** When it was accepted and by whom; null unless it is accepted or invoiced. `by` is null when no name was given. */
  readonly accepted: { readonly at: Instant; readonly by: string | null } | null;
  /** URL of the quote's page, http(s); null when there is none. */
  readonly quoteUrl: string | null;
}

/** A credit note for its PDF (interface 4.14). */
export interface CreditNoteDocument extends Parties, PricedDocument {
  readonly status: CreditNoteStatus;
  /** The invoice that it corrects; null when it corrects none. */
  readonly invoice: { readonly number: string; readonly issueDate: CalendarDay } | null;
  /** Reference of the payment that it credits; null when it credits none. */
  readonly transactionReference: string | null;
}

/** A VAT return for its PDF (interface 18.4). Its recipient is the revenue service. */
export interface VatReturnDocument extends DocumentHead {
  readonly period: Period;
  /** How VAT is accounted for, in words. */
  readonly basis: string;
  readonly figures: readonly { readonly field: string; readonly description: string; readonly amount: Cents }[];
  /** Currencies other than rand with revenue, which is not in the figures. */
  readonly otherCurrencies: readonly string[];
}

/** A line of a statement. `amount` is positive for a charge, negative for a payment or credit. */
export interface Movement {
  readonly day: CalendarDay;
  readonly description: string;
  readonly amount: Cents;
}

/** A statement for its PDF: opening balance and movements; the closing balance is computed from them. */
export interface StatementDocument extends DocumentHead {
  readonly period: Period;
  readonly opening: Cents;
  /** Oldest first. */
  readonly movements: readonly Movement[];
  /** Debit orders that were returned unpaid and that no invoice carries: they are in no balance. Oldest first. */
  readonly unpaidDebits: readonly Movement[];
  /** Open amounts by days past due: none, 1 to 30, 31 to 60, 61 to 90, 91 to 120, more. */
  readonly aging: {
    readonly current: Cents;
    readonly days30: Cents;
    readonly days60: Cents;
    readonly days90: Cents;
    readonly days120: Cents;
    readonly older: Cents;
  };
  readonly payUrl: string | null;
  readonly bank: PaymentDetails | null;
}
