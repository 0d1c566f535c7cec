import type { CustomerId } from "../../kernel/ids.ts";
import { type Cents, sum } from "../../kernel/money.ts";
import { addDays, type CalendarDay, calendarDay, startOfDay } from "../../kernel/time.ts";
import { type BalanceMovement, balanceMovementsOf, balancesOf } from "../../modules/books/store.ts";
import { listReturnedDebits } from "../../modules/debit-batches/store/returned.ts";
import { MANDATE_CURRENCY } from "../../modules/mandates/rules.ts";
import type { Tx } from "../../platform/database.ts";
import { dayInWords } from "../../templates/wording.ts";
import { DEFAULT_CURRENCY } from "../context.ts";

/** The days of a statement, both inclusive, South African. */
export interface StatementPeriod {
  readonly start: CalendarDay;
  readonly end: CalendarDay;
}

/**
 * A statement of a customer's balance in one currency, from the journal: opening balance, movements, closing balance.
 */
export interface Statement {
  readonly period: StatementPeriod;
  readonly currency: string;
  readonly opening: Cents;
  /**
   * Oldest first; within a day the invoices come first. A positive `amount` increases what is owed; `balance` is what
   * is owed after it.
   */
  readonly movements: readonly {
    readonly day: CalendarDay;
    readonly description: string;
    readonly amount: Cents;
    readonly balance: Cents;
  }[];
  readonly closing: Cents;
  /** Debits returned unpaid that no invoice carries and that are owed today: they are in no balance. Oldest first. */
  readonly unpaidDebits: readonly UnpaidDebit[];
}

/** A debit order that was returned unpaid. `day`: when it should have been collected. */
export interface UnpaidDebit {
  readonly day: CalendarDay;
  readonly description: string;
  readonly amount: Cents;
}

/** The currencies in which something was posted for a customer; rand when there is none. */
export async function statementCurrencies(tx: Tx, customer: CustomerId): Promise<readonly string[]> {
  const known = (await balancesOf(tx, customer)).map(({ currency }) => currency);
  return known.length === 0 ? [DEFAULT_CURRENCY] : known;
}

/** The largest number of movements that a page or a PDF can show. */
const MOVEMENTS_MAX = 2000;

/** Reads a statement. Null when the period has more than 2 000 movements. */
export async function readStatement(
  tx: Tx,
  customer: CustomerId,
  currency: string,
  period: StatementPeriod,
): Promise<Statement | null> {
  const { opening, movements } = await balanceMovementsOf(tx, customer, currency, {
    from: startOfDay(period.start),
    until: startOfDay(addDays(period.end, 1)),
    limit: MOVEMENTS_MAX + 1,
  });
  if (movements.length > MOVEMENTS_MAX) return null;
  let closing = opening;
  const dated = movements.map((movement) => ({ ...movement, day: calendarDay(movement.occurredAt) }));
  const shown = dated.toSorted(byDay).map(({ day, ...movement }) => {
    closing = sum([closing, movement.amount]);
    return { day, description: descriptionFor(movement), amount: movement.amount, balance: closing };
  });
  const unpaidDebits = currency === MANDATE_CURRENCY ? await unpaidDebitsOf(tx, customer) : [];
  return { period, currency, opening, movements: shown, closing, unpaidDebits };
}

/** The largest number of unpaid debits that a statement names. */
const UNPAID_MAX = 100;

/** What a customer owes for debits that were returned unpaid and that no invoice carries, oldest first. */
async function unpaidDebitsOf(tx: Tx, customerId: CustomerId): Promise<UnpaidDebit[]> {
  const returned = await listReturnedDebits(tx, { customerId, open: "true", limit: UNPAID_MAX });
  return returned
    .filter(({ invoiceId }) => invoiceId === null)
    .toReversed()
    .map(({ actionDate, amount }) => ({
      day: actionDate,
      description: `Debit order of ${dayInWords(actionDate)}, returned unpaid`,
      amount,
    }));
}

type Dated = Pick<BalanceMovement, "kind"> & { readonly day: CalendarDay };

/**
 * The order within a day. A payment of which only the day is known has the day's first moment, and may pay an invoice
 * of that day. Otherwise the order of time applies.
 */
function byDay(one: Dated, other: Dated): number {
  if (one.day !== other.day) return one.day < other.day ? -1 : 1;
  return Number(one.kind !== "invoice") - Number(other.kind !== "invoice");
}

/** The description in the journal, changed where a customer would not understand it. */
function descriptionFor({ kind, description, amount }: BalanceMovement): string {
  if (kind === "payment") return `Payment: ${description}`;
  if (kind === "refund_reversal") return "Refund that did not arrive";
  if (kind === "reversal") return amount < 0 ? "Payment that the bank paid again" : "Payment that the bank took back";
  return description;
}
