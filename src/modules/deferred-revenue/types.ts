import type { CustomerId, InvoiceId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";

/** A calendar month by its days, both included. */
export interface Month {
  readonly first: CalendarDay;
  readonly last: CalendarDay;
}

/** Revenue without VAT that is earned evenly on the days of a period, both included. */
export interface Service {
  readonly start: CalendarDay;
  readonly end: CalendarDay;
  readonly amount: Cents;
}

/** A line of an invoice that bills a period. */
export interface ServiceLine extends Service {
  /** Its position on the invoice, from 1. */
  readonly line: number;
  readonly description: string;
}

/** A credit note of the invoice, or its cancellation, which takes back everything: the amount without VAT. */
export interface TakenBack {
  readonly day: CalendarDay;
  readonly amount: Cents | "all";
}

/** An invoice that bills periods. Days are those of the books. */
export interface ServiceInvoice {
  readonly id: InvoiceId;
  readonly number: string;
  readonly customerId: CustomerId;
  /** The company, else the person, else the address. */
  readonly customerName: string | null;
  readonly posted: CalendarDay;
  readonly lines: readonly ServiceLine[];
  /** Oldest first. */
  readonly takenBack: readonly TakenBack[];
}

/** The movement of deferred revenue in a month, in cents: opening + deferred − recognised − reversed = closing. */
export interface Movement {
  readonly opening: Cents;
  /** Of the revenue posted in the month, the part for days after it. */
  readonly deferred: Cents;
  /** Of the revenue of earlier months, the part for days of this one. */
  readonly recognised: Cents;
  /** Of the revenue of earlier months, the part that credit notes and cancellations took back before it was earned. */
  readonly reversed: Cents;
  readonly closing: Cents;
}

/** A line with its movement in a month. */
export interface MovedLine extends ServiceLine {
  readonly moved: Movement;
}

/** An invoice with deferred revenue in a month: its lines, and their sum. */
export interface MovedInvoice extends Omit<ServiceInvoice, "lines"> {
  readonly lines: readonly MovedLine[];
  readonly moved: Movement;
}
