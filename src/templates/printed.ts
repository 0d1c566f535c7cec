import type { BankDetails } from "../kernel/bank-details.ts";
import type { Cents } from "../kernel/money.ts";
import type { BusinessDay } from "../kernel/time.ts";
import type { CreditNoteStatus } from "../modules/credit-notes/types.ts";
import type { InvoiceStatus } from "../modules/invoices/types.ts";
import type { QuoteStatus } from "../modules/quotes/types.ts";
import type { Period, PricedDocument } from "./document.ts";

/** Who sends the document, from the organisation's branding. */
export interface Supplier {
  /** The name by law, as on the VAT registration; the organisation's own when none is set. */
  readonly companyName: string;
  /** What customers know it by; null when it is the same. */
  readonly tradingName: string | null;
  /** May have several lines. */
  readonly address: string | null;
  readonly vatNumber: string | null;
  /** As `decodePicture` gives it; anything else is left out. */
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

/** How money reaches the supplier by bank transfer; `reference` is what the payer must write. */
export interface PaymentDetails extends BankDetails {
  readonly reference: string;
}

/** Who a PDF is from and to. */
export interface Parties {
  readonly supplier: Supplier;
  readonly recipient: Recipient;
  /** Of a sandbox organisation: every page says that no money is meant. */
  readonly sandbox: boolean;
}

/** What every PDF has. */
export interface DocumentHead extends Parties {
  readonly issueDate: BusinessDay;
  readonly currency: string;
}

/** Interface 2.5. */
export interface InvoiceDocument extends Parties, PricedDocument {
  readonly status: InvoiceStatus;
  readonly externalReference: string | null;
  /** http(s); null where nothing can be paid online. */
  readonly payUrl: string | null;
  readonly bank: PaymentDetails | null;
}

/** Interface 2.6. */
export interface QuoteDocument extends Parties, PricedDocument {
  readonly status: QuoteStatus;
  /** http(s): where the customer answers; null when there is no such page. */
  readonly quoteUrl: string | null;
}

/** Interface 4.14. */
export interface CreditNoteDocument extends Parties, PricedDocument {
  readonly status: CreditNoteStatus;
  /** The invoice it corrects; null for a credit that corrects none. */
  readonly invoice: { readonly number: string; readonly issueDate: BusinessDay } | null;
  /** The payment it credits. */
  readonly transactionReference: string | null;
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
