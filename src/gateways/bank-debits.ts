import type { Cents } from "../kernel/money.ts";
import type { BusinessDay } from "../kernel/time.ts";

/* What debits of bank accounts are told by (`contract.ts`, bank debits). */

export interface BankAccount {
  readonly holder: string;
  readonly number: string;
  readonly branchCode: string;
  readonly type: "current" | "savings" | "transmission";
}

/** Findings do not block (interface 4.10 `warnings`). */
export interface BankAccountCheck {
  readonly warnings: readonly string[];
}

export interface DebitBatchRequest {
  /** Ours; the idempotency key. */
  readonly reference: string;
  readonly actionDate: BusinessDay;
  /** Read once, in order, so that a large batch need not be in memory as a whole. The same lines in the same order when it is sent again. */
  readonly lines: AsyncIterable<DebitLine> | Iterable<DebitLine>;
  readonly notifyUrl: string;
}

export interface DebitLine {
  /** Of the transaction (interface 2.2); comes back in the facts. */
  readonly reference: string;
  readonly accountReference: string;
  readonly amount: Cents;
  readonly description: string;
  readonly bank: BankAccount;
}

export interface RejectedDebit {
  readonly reference: string;
  readonly reason: string;
}
