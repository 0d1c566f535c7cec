import type { Frequency } from "../kernel/frequency.ts";
import type { Cents } from "../kernel/money.ts";
import type { CalendarDay, Instant } from "../kernel/time.ts";
import type { GatewayCall, Payer, Refusal } from "./call.ts";
import type { MandateFact, PaymentFact, RefundFact } from "./facts.ts";

export interface BankAccount {
  readonly holder: string;
  readonly number: string;
  readonly branchCode: string;
  readonly type: "current" | "savings" | "transmission";
}

/** The findings do not block the mandate (interface 4.10 `warnings`). */
export interface BankAccountCheck {
  readonly warnings: readonly string[];
}

export interface DebitBatchRequest {
  /** Ours; the idempotency key. */
  readonly reference: string;
  readonly actionDate: CalendarDay;
  /**
   * A one-way stream, read in order, so that a large batch need not be in memory as a whole. When the batch is sent
   * again, it has the same lines in the same order.
   */
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

/**
 * `processing`: uploaded, and neither accepted nor refused yet, so the gateway is asked again. `held`: uploaded, and
 * waiting for staff to release it at the gateway; it must not be sent again. Outcomes per debit are payment facts.
 */
export type DebitBatchState =
  | {
      readonly kind: "processing" | "submitted";
      readonly batchRef: string;
      readonly rejected: readonly RejectedDebit[];
    }
  | {
      readonly kind: "held";
      readonly batchRef: string;
      readonly reason: string;
      readonly rejected: readonly RejectedDebit[];
    }
  | Refusal;

export interface RejectedDebit {
  readonly reference: string;
  readonly reason: string;
}

/** A batch that was sent; `lines` as they were sent, for gateways that refer to a line by its position. */
export type KnownBatch = Pick<DebitBatchRequest, "reference" | "lines"> & { readonly batchRef: string | null };

export interface DebitOrderAbility {
  /** How many debits it takes in one batch. */
  readonly most: number;
  /** The first action date that a batch sent at that time can have; left out where any day from today on is possible. */
  readonly earliest?: (at: Instant) => CalendarDay;
  /** How many business days ahead of its action date a batch is gathered, unless the merchant has set another number; left out: two. */
  readonly cutOffDays?: number;
  readonly submit: (batch: DebitBatchRequest, call: GatewayCall) => Promise<DebitBatchState>;
  /** Null: the gateway has no such batch, so it may be sent. Throws `GatewayUnclear` when that is not certain. */
  readonly query: (batch: KnownBatch, call: GatewayCall) => Promise<DebitBatchState | null>;
  /**
   * Whether the gateway lists a batch with our reference now. For a gateway where `query` alone cannot be certain:
   * staff may then have the batch sent again.
   */
  readonly lists?: (reference: string, call: GatewayCall) => Promise<boolean>;
  /**
   * How debits of a batch ended, some at a time: `after` is the last answer's `next`, null at first; `next` is null at
   * the end. Debits that are not decided are `pending`. Null: the gateway has no such batch. Left out where results
   * come by notification or statement alone.
   */
  readonly results?: (
    batch: { readonly reference: string; readonly batchRef: string | null; readonly after: string | null },
    call: GatewayCall,
  ) => Promise<{ readonly facts: readonly PaymentFact[]; readonly next: string | null } | null>;
}

export interface EMandateRequest {
  readonly accountReference: string;
  readonly amount: Cents;
  /** Debits may be of other amounts than this one. */
  readonly amountVaries: boolean;
  readonly frequency: Frequency;
  /** 1 to 31. */
  readonly debitDay: number;
  readonly startDate: CalendarDay;
  readonly description: string;
  readonly payer: Payer;
  readonly idNumber: string | null;
  readonly bank: BankAccount;
  readonly notifyUrl: string;
}

export interface EMandateAbility {
  /** The addresses at which payers sign are short links, at hosts that the gateway does not document: any https address is taken. */
  readonly shortLinks?: true;
  readonly create: (
    request: EMandateRequest,
    call: GatewayCall,
  ) => Promise<{ readonly kind: "created"; readonly signUrl: string } | Refusal>;
  readonly query: (accountReference: string, call: GatewayCall) => Promise<MandateFact | null>;
}

/** Statements, one a day. */
export interface StatementAbility {
  /** Seconds after the end of a day from which its statement can be read. */
  readonly readyAfterSeconds: number;
  /** For how many days a statement may still change; it is read again on each of them. */
  readonly days: number;
  /** Business days after a payment on the gateway's pages after which its line has come: one that has none then is flagged. */
  readonly lineWithinDays: number;
  readonly read: (request: StatementRequest, call: GatewayCall) => Promise<StatementReading>;
}

/** `ticket` is the one that the last reading of the same day answered, null at first: some gateways prepare statements on request. */
export interface StatementRequest {
  readonly day: CalendarDay;
  readonly ticket: string | null;
}

/** `refused`: the gateway has no statement for the day, or gives none to this account. */
export type StatementReading =
  | { readonly kind: "ready"; readonly lines: readonly StatementLine[] }
  | { readonly kind: "wait"; readonly ticket: string | null }
  | Refusal;

/** A line of a statement about one payment. The same line is read on several days. */
export interface StatementLine {
  /** The gateway's id of the line, the same each time. */
  readonly id: string;
  /** In the gateway's words, for people. */
  readonly description: string;
  /** A line that returns money already collected is `declined`, with `takesBack`; one that gives a payment back by a refund is a refund. */
  readonly fact: PaymentFact | RefundFact;
  /** The money counts as collected from the beginning of this day on, unless it is returned before; null: at once. */
  readonly countsFrom: CalendarDay | null;
}
