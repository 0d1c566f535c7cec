import type { DeclinedFact, PaidFact, UndecidedFact } from "../../gateways/facts.ts";
import type { CustomerId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Lockable } from "../../platform/locks.ts";

/** What happens to a payment; `refunded` for each change of what is given back of it. */
export type PaymentMove = "complete" | "failed" | "cancelled" | "refunded";

/** Where the money of a completed payment goes; what is left of it is revenue. */
export interface PaymentSplit {
  /** Taken off what the customer owes. */
  readonly applied: Cents;
  /** Owed by nobody: the customer's credit, flagged for staff. */
  readonly overpaid: Cents;
  /** Output VAT within the revenue. */
  readonly vat: Cents;
}

/** What ended a payment without money. */
export type UnpaidFact = DeclinedFact | UndecidedFact;

/** A purpose of one payment, its records locked. What it does gets the payment as it is after the move. */
export interface LockedPurpose {
  /** On whose balance the payment is; left out: the payer's. */
  readonly customerId?: CustomerId;
  /** At most one purpose of a payment says where its money goes; without any all of it is revenue without VAT. */
  readonly split?: () => Promise<PaymentSplit>;
  /** After the payment has completed and its money is in the books; `fact` is what the gateway reported, such as the card. */
  readonly complete?: (payment: Transaction, split: PaymentSplit, fact: PaidFact) => Promise<void> | void;
  /** After the payment has failed or was cancelled; `fact` says why. */
  readonly fail?: (payment: Transaction, fact: UnpaidFact) => Promise<void> | void;
}

/**
 * What payments can be for, such as an invoice; listed by the catalogue. A payment may have several purposes at once. `Context` is the `Ctx`
 * that carries the list.
 */
export interface Purpose<Context> {
  /** What it locks first. */
  readonly locks: Lockable;
  /** Locks what changes with the payment, before the payment itself; null when it is not for this, or nothing changes. */
  lock(tx: Tx, ctx: Context, payment: Transaction, move: PaymentMove): Promise<LockedPurpose | null>;
}
