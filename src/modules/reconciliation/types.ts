import type { CustomerId, GatewayAccountId, Id, InvoiceId, TransactionId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { CalendarDay, Instant } from "../../kernel/time.ts";
import type { Warning } from "../../platform/bank-statements/fault.ts";
import type { RowCounts } from "../../platform/bank-statements/statement.ts";

export type RunId = Id<"rcn">;
export type ItemId = Id<"rci">;
export type MatchId = Id<"rcm">;
export type RuleId = Id<"rcr">;

export const RUN_STATUSES = ["running", "completed", "failed"] as const;
export const ITEM_STATUSES = ["matched", "unmatched", "not_received", "duplicate", "ignored"] as const;
export const RULE_STATUSES = ["proposed", "accepted", "declined"] as const;
export type ItemStatus = (typeof ITEM_STATUSES)[number];

/** Counts and sums of a run's items; sums are in cents, with their signs. */
export interface RunTotals {
  readonly items: number;
  readonly matched: number;
  readonly unmatched: number;
  readonly notReceived: number;
  readonly amountMatched: Cents;
  readonly amountUnmatched: Cents;
}

/** What became of each row of an imported file: of the lines, those that were imported before are `duplicates`. */
export type RunRows = RowCounts & { readonly duplicates: number };

/** Where the lines of a run come from: the statement of a gateway, or an uploaded one of a bank. */
export const RUN_SOURCES = ["statement_feed", "csv_upload"] as const;
export type RunSource = (typeof RUN_SOURCES)[number];

/** A statement that was imported, or read from a gateway (interface 2.14). */
export interface Run {
  readonly id: RunId;
  readonly source: RunSource;
  /** The bank account, as staff name it. */
  readonly account: string;
  /** The gateway account whose statement it is; null for an upload. */
  readonly gatewayAccountId: GatewayAccountId | null;
  readonly status: (typeof RUN_STATUSES)[number];
  readonly currency: string;
  readonly periodStart: CalendarDay;
  readonly periodEnd: CalendarDay;
  readonly totals: RunTotals;
  readonly fileName: string | null;
  /** Why the statement could not be read; null unless `failed`. */
  readonly failure: string | null;
  readonly startedAt: Instant;
  readonly finishedAt: Instant | null;
  /** Null for a gateway's statement, and for a file that could not be read. */
  readonly rows: RunRows | null;
  readonly warnings: readonly Warning[];
  /** When staff took the statement back; its lines count as never imported. */
  readonly withdrawnAt: Instant | null;
  readonly withdrawnBy: string | null;
}

/** Why an item is matched, in the order in which the rules are applied. */
export const MATCH_REASONS = [
  "reference",
  "references",
  "parts",
  "amount_and_date",
  "rule",
  "statement_feed",
  "by_hand",
] as const;
export type MatchReason = (typeof MATCH_REASONS)[number];

/** A line of a statement, or a payment that the statement lacks. */
export interface Item {
  readonly id: ItemId;
  readonly runId: RunId;
  /** The position in the run, from 0. */
  readonly place: number;
  readonly date: CalendarDay;
  readonly description: string;
  /** In cents; money received is above zero. */
  readonly amount: Cents;
  readonly reference: string | null;
  readonly status: ItemStatus;
  /** Of the payment, or of the first of several. */
  readonly transactionReference: string | null;
  readonly matchId: MatchId | null;
  readonly reason: MatchReason | null;
  /** Who matched or ignored it by hand; null for the service. */
  readonly matchedBy: string | null;
  readonly matchedAt: Instant | null;
  /** Why staff have ignored it as none of the organisation's; null unless `ignored`. */
  readonly ignoredBecause: string | null;
}

/** The later line that shows the money of a payment which an earlier statement lacked. */
export interface Receipt {
  readonly itemId: ItemId;
  readonly runId: RunId;
  readonly date: CalendarDay;
}

/** A line as it is stored, with the keys that recognise a repeated import. */
export interface NewItem extends Item {
  /** Null for a payment that the statement lacks. */
  readonly key: Buffer | null;
  /** The number of the line among equal lines of its statement, from 1; null as `key`. */
  readonly occurrence: number | null;
  /** Of the bank's own id; null where it has none that can be trusted. */
  readonly bankKey: Buffer | null;
}

export const ALLOCATION_KINDS = [
  "payment",
  "refund",
  "reversal",
  "invoice_payment",
  "credit_refund",
  "customer_credit",
  "payout",
  "bank_fee",
  "own_transfer",
] as const;
export type AllocationKind = (typeof ALLOCATION_KINDS)[number];

/** A part of a line's amount, and its kind. */
export interface Allocation {
  readonly matchId: MatchId;
  /** The position in the match, from 0. */
  readonly place: number;
  readonly itemId: ItemId;
  readonly kind: AllocationKind;
  /** Id of the payment, refund, reversal, payment of an invoice, customer or gateway account; null for fees and own transfers. */
  readonly subject: string | null;
  /** In cents, with the sign of the line. */
  readonly amount: Cents;
  /** Whether it has an entry in the books: a match in a gateway's own statement has none. */
  readonly posted: boolean;
  /** Whether the match has recorded the payment of the invoice, so that undoing the match deletes it. */
  readonly recorded: boolean;
  /** Whether the match has made the invoice as well, so that undoing the match cancels it. */
  readonly invoiced: boolean;
  /** The invoice whose payment was recorded, also after the match is undone; null for all other parts. */
  readonly invoiceId: InvoiceId | null;
  readonly undoneAt: Instant | null;
}

/** The facts about a payment that matching needs. */
export interface PaymentFacts {
  readonly id: TransactionId;
  readonly reference: string;
  /** The amount that no statement has shown yet, in cents. */
  readonly open: Cents;
  readonly amount: Cents;
  readonly gatewayAccountId: GatewayAccountId;
  readonly gatewayType: string;
}

/** Money of a payment that was returned: a refund or a reversal. */
export interface ReturnFacts {
  readonly kind: "refund" | "reversal";
  readonly id: string;
  readonly payment: Pick<PaymentFacts, "id" | "reference" | "gatewayAccountId">;
  /** The amount that no statement has shown yet, in cents, above zero. */
  readonly open: Cents;
  /** Whether it was paid from the bank account itself. */
  readonly manual: boolean;
}

/** A payment with the words that a payer may name it by. */
export interface NamedPayment extends PaymentFacts {
  readonly paidOn: CalendarDay;
  readonly externalReference: string | null;
  readonly invoiceNumber: string | null;
  readonly customer: {
    readonly id: CustomerId;
    readonly accountCode: string;
    readonly externalReference: string | null;
    readonly firstName: string | null;
    readonly lastName: string | null;
    readonly company: string | null;
  } | null;
}

/** A rule from a match by hand: lines of an account that contain a fragment are of one kind. It applies once staff have accepted it. */
export interface Rule {
  readonly id: RuleId;
  readonly account: string;
  /** Words in upper case, with single spaces. */
  readonly fragment: string;
  readonly direction: "in" | "out";
  readonly kind: "payout" | "bank_fee" | "own_transfer";
  /** The gateway account of a payout. */
  readonly subject: GatewayAccountId | null;
  readonly status: (typeof RULE_STATUSES)[number];
  /** The item that was matched by hand. */
  readonly itemId: ItemId;
  readonly decidedAt: Instant | null;
  readonly createdAt: Instant;
}
