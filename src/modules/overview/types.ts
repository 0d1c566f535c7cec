import type { LedgerAccount } from "../../domain/ledger.ts";
import type { CurrencyTotal } from "../../domain/totals.ts";
import type { CustomerId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";

/** The money that came and went on a South African day in a currency; what was refunded and reversed is above zero. */
export interface ReceivedDay {
  readonly currency: string;
  readonly day: CalendarDay;
  readonly gross: Cents;
  readonly refunded: Cents;
  readonly reversed: Cents;
  /** The number of payments in `gross`. */
  readonly payments: number;
}

/** What came and went by one method, and through one gateway where a gateway did it. */
export interface ReceivedWay {
  readonly method: string;
  readonly gateway: string | null;
  readonly gross: Cents;
  readonly refunded: Cents;
  readonly reversed: Cents;
  /** What the gateway kept of the payments in `gross`, as far as it told. */
  readonly fees: Cents;
  /** The number of payments in `gross`. */
  readonly payments: number;
}

/** Kinds of receipts: what came by a gateway or an approved transfer, a bank line, or a record of staff; what went. */
export const RECEIPT_KINDS = ["payment", "bank_line", "recorded", "refund", "reversal"] as const;
export type ReceiptKind = (typeof RECEIPT_KINDS)[number];

/** Money that came from a customer, or went back to one. */
export interface ReceiptRow {
  /** Its day, a colon, and the id of the record. */
  readonly id: string;
  readonly kind: ReceiptKind;
  readonly day: CalendarDay;
  /** In cents; below zero for what went. */
  readonly amount: Cents;
  readonly currency: string;
  readonly customer: {
    readonly id: CustomerId;
    readonly externalReference: string | null;
    readonly email: string | null;
  } | null;
  readonly method: string | null;
  readonly gateway: string | null;
  readonly reference: string | null;
  /** Below `/dashboard`. */
  readonly path: string;
}

/** What needs a person, the most urgent first. */
export const TASK_KINDS = [
  "disputes_open",
  "endpoints_disabled",
  "emails_failed",
  "gateways_down",
  "batches_refused",
  "lines_to_match",
  "proofs_to_check",
  "mandates_pending",
  "quotes_to_invoice",
  "drafts_to_send",
  "cards_expiring",
  "vat_return_due",
] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

/** The tasks of a kind, of one currency where they are about money; or the debits for which something is still owed. */
export interface TaskTotal {
  readonly kind: TaskKind | "debits_unpaid";
  readonly currency: string | null;
  readonly count: number;
  readonly amount: Cents | null;
  readonly since: CalendarDay;
  /** The list of the tasks, below the API, where it depends on them. */
  readonly list?: string;
}

/** Ways in which money is expected. */
export const EXPECTED_KINDS = ["invoices", "debits", "cards"] as const;
export type ExpectedKind = (typeof EXPECTED_KINDS)[number];

/** The money expected in one way on a South African day in a currency. */
export interface ExpectedDay extends CurrencyTotal {
  readonly kind: ExpectedKind;
  readonly day: CalendarDay;
}

/** The amount due of open invoices in a currency, and the part of it that is past its due date. */
export interface OwedTotal extends CurrencyTotal {
  readonly overdue: Cents;
  readonly overdueCount: number;
}

/**
 * The ledger accounts that hold customers' money, and those into which it goes from there but not back to customers: all
 * that was received is what they hold together.
 */
export const MONEY_ACCOUNTS = [
  "bank_reconciled",
  "bank",
  "gateway_clearing",
  "gateway_fees",
  "bank_charges",
  "own_transfers",
] as const satisfies readonly LedgerAccount[];
export type MoneyAccount = (typeof MONEY_ACCOUNTS)[number];

/** What a ledger account of money holds in a currency, of a gateway account where its lines name one. */
export interface MoneyHeld {
  readonly currency: string;
  readonly account: MoneyAccount;
  readonly gatewayAccountId: string | null;
  readonly amount: Cents;
}

/** What is in one bank or gateway account; without a name, what is known to be in none of them. */
export interface MoneyPart {
  readonly name: string | null;
  readonly id: string | null;
  readonly amount: Cents;
}

/** What a ledger account of money holds, and the bank or gateway accounts that it is in, which add up to it. */
export interface MoneyPlace {
  readonly place: MoneyAccount;
  readonly amount: Cents;
  readonly parts: readonly MoneyPart[];
}
