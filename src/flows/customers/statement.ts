import type { CustomerId } from "../../kernel/ids.ts";
import { type Cents, sum } from "../../kernel/money.ts";
import { addDays, type BusinessDay, businessDay, startOfDay } from "../../kernel/time.ts";
import { type BalanceMovement, balanceMovementsOf } from "../../modules/books/store.ts";
import type { Tx } from "../../platform/database.ts";

/** Which days of an account, both included, South African. */
export interface StatementPeriod {
  readonly start: BusinessDay;
  readonly end: BusinessDay;
}

/** A customer's account over some days, from the books: what was owed, what moved it, and what is owed. */
export interface Statement {
  readonly period: StatementPeriod;
  readonly currency: string;
  readonly opening: Cents;
  /** Oldest first; `amount` above zero is owed more, `balance` is what was owed after it. */
  readonly movements: readonly {
    readonly day: BusinessDay;
    readonly description: string;
    readonly amount: Cents;
    readonly balance: Cents;
  }[];
  readonly closing: Cents;
}

/** What a page or a PDF can hold. */
const MOVEMENTS_MAX = 2000;

/** Null when more happened in those days than a statement can hold. */
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
  const shown = movements.map((movement) => {
    closing = sum([closing, movement.amount]);
    const day = businessDay(movement.occurredAt);
    return { day, description: inWords(movement), amount: movement.amount, balance: closing };
  });
  return { period, currency, opening, movements: shown, closing };
}

/** The journal's own words, unless a customer would take them for something else. */
function inWords({ kind, description }: BalanceMovement): string {
  if (kind === "payment") return `Payment: ${description}`;
  if (kind === "refund_reversal") return "Refund that did not arrive";
  return description;
}
