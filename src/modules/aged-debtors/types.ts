import type { CustomerId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import type { Aged } from "./rules.ts";

/** As at the end of a South African day, in one currency. */
export interface AgedQuestion {
  readonly asAt: CalendarDay;
  readonly currency: string;
}

/** Open amounts of invoices in cents by days past due, their sum, and the customer's credit, which is not subtracted. */
export type AgedAmounts = Aged & { readonly total: Cents; readonly credit: Cents };

/** A customer who owed something or had credit. */
export interface AgedDebtor {
  readonly customerId: CustomerId;
  /** The company, else the person, else the address. */
  readonly name: string | null;
  readonly amounts: AgedAmounts;
}
