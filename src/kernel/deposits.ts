import { requireWhole } from "./amount-in.ts";
import { unitOf } from "./currency.ts";
import type { Decimal } from "./decimal.ts";
import { invalidField } from "./errors.ts";
import { percentOf } from "./lines.ts";
import { type Cents, cents, subtract, toRand, ZERO } from "./money.ts";

/** A deposit as it is given (interface 2.6, `deposit`): a part of the total in percent, or an amount in cents with VAT. */
export type Deposit = { readonly percent: Decimal } | { readonly amount: Cents };

/** A deposit with what it comes to, in cents; 0 without one. */
export interface DepositTerms {
  readonly deposit: Deposit | null;
  readonly depositAmount: Cents;
}

/**
 * What a deposit of a document comes to, rounded once to the unit of its currency. Throws 400 for an amount above the total, or with
 * decimals that the currency has not, and for a percentage that comes to nothing.
 */
export function depositTerms(deposit: Deposit | null, total: Cents, currency: string): DepositTerms {
  if (deposit === null) return { deposit, depositAmount: ZERO };
  if ("amount" in deposit) {
    requireWhole(currency, deposit.amount, ["deposit", "amount"]);
    if (deposit.amount > total)
      throw invalidField(["deposit", "amount"], `A deposit must be at most the total, which is ${toRand(total)}.`);
    return { deposit, depositAmount: deposit.amount };
  }
  const depositAmount = percentOf(total, deposit.percent, unitOf(currency));
  if (depositAmount === 0) throw invalidField(["deposit", "percent"], "The deposit comes to 0.");
  return { deposit, depositAmount };
}

/** What is left to pay of an invoice's deposit, in cents: no more than what is due; 0 once it is paid. */
export const depositLeft = (deposit: Cents, { paid, total }: { readonly paid: Cents; readonly total: Cents }): Cents =>
  cents(Math.max(0, Math.min(deposit - paid, subtract(total, paid))));
