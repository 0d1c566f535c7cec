import { type Cents, cents } from "../../kernel/money.ts";
import { singleLine, truncate } from "../../kernel/text.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import type { BankAccount } from "../contract.ts";
import { VENDOR_KEY } from "./wire.ts";

/** How soon a file is collected: two business days after it is authorised, or on the same day. */
export type Instruction = "TwoDay" | "Sameday";

/** The header of a file. */
export interface BatchHead {
  readonly serviceKey: string;
  readonly instruction: Instruction;
  /** Ours; it finds the batch again. */
  readonly name: string;
  readonly actionDate: CalendarDay;
}

/** A card as a file names it: the token of the vault and what belongs to it, never a card number. */
export interface CardOnFile {
  readonly holder: string;
  /** Code of the network, `CARD_CODES`. */
  readonly code: string;
  readonly expiryMonth: number;
  /** Four digits. */
  readonly expiryYear: number;
  readonly token: string;
  /** Such as `490100******1234`. */
  readonly masked: string;
}

/** A debit in a file. */
export interface BatchRecord {
  /** 2 to 22 characters, unique in the file. */
  readonly accountReference: string;
  readonly accountName: string;
  readonly amount: Cents;
  /** Comes back on the statement. */
  readonly reference: string;
}

const ACCOUNT_TYPES: Readonly<Record<BankAccount["type"], string>> = { current: "1", savings: "2", transmission: "3" };

/** Lengths of the fields that are text, in characters. */
const NAME_MAX = 50;
const HOLDER_MAX = 30;

/** Text without tabs and line breaks, which separate fields and records, cut to its length. */
const field = (text: string, max: number): string => truncate(singleLine(text), max).trim();

/** A kind of file: the numbers of its columns, and the values of a record in their order. */
interface Layout<Line> {
  readonly columns: readonly string[];
  readonly values: (line: Line) => readonly string[];
}

/** A bank account to be debited. */
export type BankRecord = BatchRecord & { readonly bank: BankAccount };

export const BANK_FILE: Layout<BankRecord> = {
  columns: ["101", "102", "131", "132", "133", "134", "136", "162", "301"],
  values: ({ accountReference, accountName, amount, reference, bank }) => [
    accountReference,
    field(accountName, NAME_MAX),
    "1",
    field(bank.holder, HOLDER_MAX),
    ACCOUNT_TYPES[bank.type],
    bank.branchCode,
    bank.number,
    String(amount),
    reference,
  ],
};

/** A card to be debited. */
export type CardRecord = BatchRecord & { readonly card: CardOnFile };

export const CARD_FILE: Layout<CardRecord> = {
  columns: ["101", "102", "131", "132", "133", "134", "135", "136", "137", "162", "301"],
  values: ({ accountReference, accountName, amount, reference, card }) => [
    accountReference,
    field(accountName, NAME_MAX),
    "2",
    field(card.holder, HOLDER_MAX),
    card.code,
    String(card.expiryMonth).padStart(2, "0"),
    String(card.expiryYear),
    card.token,
    card.masked,
    String(amount),
    reference,
  ],
};

const record = (values: readonly string[]): string => values.join("\t");

/**
 * A file, a record at a time: header, column numbers, a record for each debit, and the footer with their number and
 * sum. Records are separated by LF, because XML has no other line break. Text goes out as UTF-8.
 */
export async function* batchFile<Line extends BatchRecord>(
  { serviceKey, instruction, name, actionDate }: BatchHead,
  { columns, values }: Layout<Line>,
  lines: AsyncIterable<Line> | Iterable<Line>,
): AsyncGenerator<string> {
  yield record(["H", serviceKey, "1", instruction, name, actionDate.replaceAll("-", ""), VENDOR_KEY]);
  yield `\n${record(["K", ...columns])}`;
  let count = 0;
  let total = cents(0);
  for await (const line of lines) {
    yield `\n${record(["T", ...values(line)])}`;
    count += 1;
    total = cents(total + line.amount);
  }
  yield `\n${record(["F", String(count), String(total), "9999"])}`;
}
