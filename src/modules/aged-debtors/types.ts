import type { CustomerId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { BusinessDay } from "../../kernel/time.ts";

/** Age groups of what is owed, by days past due, with the last day of each; the last group has no end. */
export const AGES = [
  ["current", 0],
  ["days30", 30],
  ["days60", 60],
  ["days90", 90],
  ["days120", 120],
  ["older", null],
] as const;
type Age = (typeof AGES)[number][0];

/** As at the end of a South African day, in one currency. */
export interface AgedQuestion {
  readonly asAt: BusinessDay;
  readonly currency: string;
}

/** Open amounts of invoices in cents by days past due, their sum, and the customer's credit, which is not subtracted. */
export type AgedAmounts = Readonly<Record<Age | "total" | "credit", Cents>>;

/** A customer who owed something or had credit. */
export interface AgedDebtor {
  readonly customerId: CustomerId;
  /** The company, else the person, else the address. */
  readonly name: string | null;
  readonly amounts: AgedAmounts;
}
