import { inLockOrder, type Lockable } from "../../domain/locks.ts";
import type { Refund } from "../../domain/refunds.ts";
import type { Reversal } from "../../domain/reversal.ts";
import type { DeclinedFact, PaidFact, PaymentFact, UndecidedFact } from "../../gateways/facts.ts";
import type { Exemption } from "../../kernel/exemption.ts";
import type { CustomerId, TransactionId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import { ExtensionPoint } from "../../platform/extension-point.ts";
import type { Ctx } from "../context.ts";

/**
 * A change of a payment; `refunded` stands for each change of its refunded amount, `reversed` for each reversal by a
 * bank, `given_back` for the return of what a reversal took.
 */
export type PaymentMove = "complete" | "failed" | "cancelled" | "refunded" | "reversed" | "given_back";

/** Whether the move ends a pending payment; the others change one that has completed. */
export const endsPayment = (move: PaymentMove): boolean =>
  move === "complete" || move === "failed" || move === "cancelled";

/** How a completed payment is divided, in cents; the rest is revenue, which may be exempt from VAT. */
export interface PaymentSplit extends Exemption {
  /** The part that reduces what the customer owes. */
  readonly applied: Cents;
  /** The part above what was owed: it becomes the customer's credit and is flagged for staff. */
  readonly overpaid: Cents;
  /** Output VAT included in the revenue. */
  readonly vat: Cents;
}

/** A fact that ends a payment without money. */
export type UnpaidFact = DeclinedFact | UndecidedFact;

/** A purpose of one payment, with its records locked. Its functions receive the payment as it is after the change. */
export interface LockedPurpose {
  /** The customer whose balance the payment belongs to; when absent, the payment's own customer. */
  readonly customerId?: CustomerId;
  /**
   * How the payment is divided. When a payment has several purposes, the first one in `LOCK_ORDER` divides it; without
   * one, all is revenue (`asRevenue`).
   */
  readonly split?: () => Promise<PaymentSplit>;
  /**
   * Runs after the payment has completed and its money is in the books; `fact` is what the gateway reported, such as
   * the card.
   */
  readonly complete?: (payment: Transaction, split: PaymentSplit, fact: PaidFact) => Promise<void> | void;
  /** The fields of the payment itself that `complete` has changed. */
  readonly changes?: () => Partial<Pick<Transaction, "subscriptionId" | "invoiceId">>;
  /** Runs after the payment has failed or was cancelled; `fact` says why. */
  readonly fail?: (payment: Transaction, fact: UnpaidFact) => Promise<void> | void;
  /**
   * How much of the payment's invoice may be refunded, in cents, and how much of it was credited and is used, which is
   * why it is not more.
   */
  readonly refundable?: { readonly left: Cents; readonly used: Cents };
  /** Runs after a refund of the payment is in the books. */
  readonly refund?: (refunded: PostedRefund) => Promise<void>;
  /**
   * Runs after a bank reversed the payment and the reversal is in the books. `undone`: what is no longer applied or
   * earned, in cents.
   */
  readonly reverse?: (payment: Transaction, reversal: Reversal, undone: Cents) => Promise<void> | void;
  /**
   * Runs before a reversal of the payment is posted: takes back credit of the payment from invoices that it pays, at most `wanted`
   * cents, and answers how much.
   */
  readonly takeCreditBack?: (reversal: Reversal, wanted: Cents) => Promise<Cents>;
  /** Whether the invoices still owe all the credit that the reversal took back from them. */
  readonly owesCreditOf?: (reversal: Reversal) => boolean;
  /** Runs after the money of a reversal came back and is in the books: pays the invoices with its credit again. */
  readonly applyCreditAgain?: (reversal: Reversal) => Promise<unknown>;
  /** The most that the payment's invoice can take back of what a reversal reopened, in cents. */
  readonly takesBack?: Cents;
  /** Runs after the money of a reversal came back and is in the books; `applied` reduces what is owed, in cents. */
  readonly reinstate?: (reversal: Reversal, applied: Cents) => Promise<void> | void;
  /**
   * Runs after the other functions were called for every payment of the set: writes what they collected. Purposes of
   * one set share one function, which is called once.
   */
  readonly finish?: () => Promise<void> | void;
}

/** A refund of the payment that is in the books. */
export interface PostedRefund {
  readonly refund: Refund;
  /** The part of it, in cents, that was taken from the payment's credit; the rest was taken from revenue. */
  readonly fromCredit: Cents;
}

/** A payment that is about to change. `fact` is what changes it; null for a refund and a reversal. */
export interface Moving {
  readonly payment: Transaction;
  readonly move: PaymentMove;
  readonly fact: PaymentFact | null;
}

/** What payments can be for, such as an invoice. A payment may have several purposes. */
export type Purpose = SinglePurpose | SetPurpose;

/** All purposes of payments, in the order in which they lock their records. */
export const PURPOSES = new ExtensionPoint<Purpose>(inLockOrder);

interface AnyPurpose {
  /** The first record that it locks; the purposes are locked in this order. */
  readonly locks: Lockable;
}

/** A purpose of payments that come one by one. */
interface SinglePurpose extends AnyPurpose {
  /**
   * Locks the records that change with the payment, before the payment itself. Null when the payment does not have this
   * purpose, or when nothing changes.
   */
  lock(
    tx: Tx,
    ctx: Ctx,
    payment: Transaction,
    move: PaymentMove,
    fact: PaymentFact | null,
  ): Promise<LockedPurpose | null>;
}

/** A purpose of payments that are settled in sets. */
export interface SetPurpose extends AnyPurpose {
  /** Like `lock`, for several payments in few statements; the result leaves out those without this purpose. */
  lockSet(tx: Tx, ctx: Ctx, moving: readonly Moving[]): Promise<ReadonlyMap<TransactionId, LockedPurpose>>;
}
