import { createHash } from "node:crypto";
import type { GatewayAccountId } from "../../kernel/ids.ts";
import { type Cents, cents, sum } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import type { ItemId, NamedPayment, PaymentFacts, ReturnFacts, Rule } from "./types.ts";

/** A line before it is an item. */
export interface Line {
  readonly date: CalendarDay;
  readonly description: string;
  readonly amount: Cents;
  readonly reference: string | null;
  /** The bank's own id of it; null or absent where it has none. */
  readonly bankId?: string | null;
  /** Whether it is a charge beside the amount of its row, which is a line too. */
  readonly charge?: boolean;
}

/** The key of the bank's own id of a line. */
export const bankLineKey = (account: string, id: string): Buffer =>
  createHash("sha256")
    .update(JSON.stringify(["bank", account, id]))
    .digest()
    .subarray(0, 16);

/** A line that was imported before, by the bank's own id of it. */
export interface KnownLine {
  readonly date: CalendarDay;
  readonly amount: Cents;
}

const isKnown =
  ({ date, amount }: KnownLine) =>
  (one: KnownLine) =>
    one.date === date && one.amount === amount;

/**
 * How many of a file's ids name the lines that they named before, and how many name others. A bank that numbers the
 * lines of each file again gives the same id to different lines: then its ids say nothing.
 */
export function heldIds(lines: readonly { readonly line: KnownLine; readonly known: readonly KnownLine[] }[]): {
  readonly same: number;
  readonly other: number;
} {
  const named = lines.filter(({ known }) => known.length > 0);
  const same = named.filter(({ line, known }) => known.some(isKnown(line))).length;
  return { same, other: named.length - same };
}

/**
 * Whether a line was imported before (decisions.md#lines-are-known-by-their-contents). One id is one line whatever its text, and two ids
 * are two lines; without an id, or with one that named another line before, the text decides: a line is a repetition as often as its text
 * was imported.
 */
export function isImported(
  line: KnownLine & { readonly trusted: boolean },
  before: {
    /** Lines that had its id. */
    readonly known: readonly KnownLine[];
    /** How many lines had its text, and how many of these no id. */
    readonly texts: { readonly count: number; readonly without: number };
    /** How many lines of its file with its text came before it, itself among them: all, and those with an id that is new. */
    readonly seen: { readonly all: number; readonly fresh: number };
  },
): boolean {
  if (!line.trusted) return before.seen.all <= before.texts.count;
  return before.known.some(isKnown(line)) || before.seen.fresh <= before.texts.without;
}

/** The key of a line, which recognises it when it is imported again: everything that the account's statement says about it. */
export const lineKey = (account: string, { date, description, amount, reference }: Line): Buffer =>
  createHash("sha256")
    .update(JSON.stringify([account, date, amount, description, reference]))
    .digest()
    .subarray(0, 16);

/** The key of a line of a gateway's own statement, which recognises it when it is read again: the gateway's id of it. */
export const feedLineKey = (account: GatewayAccountId, line: string): Buffer =>
  createHash("sha256")
    .update(JSON.stringify(["gateway", account, line]))
    .digest()
    .subarray(0, 16);

const REFERENCES_MAX = 40;
const TOKEN = /[A-Z0-9]+(?:[-_/][A-Z0-9]+)*/g;
/** References of the interface (2.2) in text without punctuation, and their usual form. Banks leave out punctuation, and cut long texts. */
const SQUEEZED: readonly (readonly [RegExp, (parts: readonly string[]) => string])[] = [
  [/(?=EFT([2-9A-HJKMNP-Z]{8}))/g, ([random]) => `EFT-${random}`],
  [/(?=TEFO(\d{8})([0-9A-F]{8}))/g, ([day, random]) => `TEFO-${day}-${random}`],
  [/(?=TEFOC([0-9A-F]{16})(\d))/g, ([random, attempt]) => `TEFOC-${random?.toLowerCase()}-${attempt}`],
  [/(?=DO([0-9A-F]{10})(\d{8}))/g, ([random, day]) => `DO${random}-${day}`],
];

/** The references that a line may name, as payments have them; most of them do not exist. */
export function referencesIn({ description, reference }: Pick<Line, "description" | "reference">): readonly string[] {
  const found = new Set<string>();
  if (reference) found.add(reference.trim());
  const text = `${reference ?? ""} ${description}`.toUpperCase();
  for (const token of text.match(TOKEN) ?? []) if (token.length > 5) found.add(token);
  const squeezed = text.replaceAll(/[^A-Z0-9]/g, "");
  for (const [pattern, written] of SQUEEZED)
    for (const [, ...parts] of squeezed.matchAll(pattern)) found.add(written(parts));
  return [...found].slice(0, REFERENCES_MAX);
}

/** How a line is matched: each part of its amount with a payment, or with money that was returned. */
export type Decision =
  | { readonly reason: "reference" | "references"; readonly payments: readonly PaymentFacts[] }
  | { readonly reason: "reference"; readonly returned: ReturnFacts };

/**
 * The decision by a line's references; null leaves it to the later rules and to staff (decisions.md#one-possible-reading). `payments` are
 * the completed ones that it names, with the amounts still open of them; `returns` are the refunds and reversals of them.
 */
export function decideByReference(
  amount: Cents,
  payments: readonly PaymentFacts[],
  returns: readonly ReturnFacts[],
): Decision | null {
  if (amount < 0) return decideReturn(cents(-amount), returns);
  const [only, ...others] = payments;
  if (!only) return null;
  if (others.length === 0) return only.open === amount ? { reason: "reference", payments } : null;
  const whole = payments.every((payment) => payment.open === payment.amount);
  return whole && sum(payments.map(({ open }) => open)) === amount ? { reason: "references", payments } : null;
}

/** Of several equal refunds of a payment any one may be taken; a refund and a reversal of the same amount are different. */
function decideReturn(amount: Cents, returns: readonly ReturnFacts[]): Decision | null {
  const fitting = returns.filter(({ open }) => open === amount);
  const [first] = fitting;
  const same = fitting.every(({ kind, payment }) => kind === first?.kind && payment.id === first.payment.id);
  return first && same ? { reason: "reference", returned: first } : null;
}

/**
 * Whether a line of a gateway's own statement matches the payment that it names: the whole open amount, or the whole
 * amount that was returned.
 */
export const isFeedLineOf = (amount: Cents, { amount: whole, open }: Pick<PaymentFacts, "amount" | "open">): boolean =>
  amount > 0 ? open === amount : whole - open === -amount;

/** A line that names one payment and is less than the payment's open amount. */
export interface PartLine {
  readonly itemId: ItemId;
  readonly amount: Cents;
  readonly payment: PaymentFacts;
}

/** The lines that name one payment each and together are exactly the open amount of that payment. */
export function decideParts(lines: readonly PartLine[]): readonly (readonly PartLine[])[] {
  const ofPayment = Map.groupBy(lines, ({ payment }) => payment.id);
  return [...ofPayment.values()].filter(
    (parts) => parts.length > 1 && sum(parts.map(({ amount }) => amount)) === parts[0]?.payment.open,
  );
}

/** The most days between a payment and its line. */
export const DATE_WINDOW_DAYS = 5;
/** A line with more payments of its amount around its date than this is left to staff. */
export const CANDIDATES_MAX = 50;
const FRAGMENT_MIN = 6;
const NAME_MIN = 3;
/** Words in companies' names that do not identify a company. */
const COMMON = /\b(?:PTY|LTD|CC|INC|LIMITED|EDMS|BPK|NPC|TRUST|THE|AND)\b/g;

/** Text as words in upper case with single spaces around each; punctuation and accents are removed. */
const words = (text: string): string =>
  ` ${text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()} `;

/** Words of banks and payers that do not identify a customer, although a customer may have such a name. */
const NO_NAME = new Set(
  [
    "PAYMENT PAYMENTS PMT PAID PAY TRANSFER TRF EFT ACB IMMEDIATE INTERNET ONLINE CASH DEPOSIT CREDIT DEBIT ORDER",
    "FROM FOR INVOICE INV REF REFERENCE ACCOUNT ACC BANK",
  ].flatMap((words) => words.split(" ")),
);
const NAMES_MAX = 12;

/** The words of a line that may name a customer, the longest first. */
export function namesIn({ description, reference }: Pick<Line, "description" | "reference">): readonly string[] {
  const text = words(`${reference ?? ""} ${description}`).replaceAll(COMMON, " ");
  const found = new Set(text.split(" ").filter((word) => /^\p{L}{3,}$/u.test(word) && !NO_NAME.has(word)));
  return [...found].toSorted((one, other) => other.length - one.length).slice(0, NAMES_MAX);
}

/** Whether a line names a payment, by a part of its reference, its invoice, or its customer. */
export function namesPayment(line: Pick<Line, "description" | "reference">, payment: NamedPayment): boolean {
  const text = words(`${line.reference ?? ""} ${line.description}`);
  const squeezed = text.replaceAll(" ", "");
  const { customer } = payment;
  const codes = [payment.invoiceNumber, payment.externalReference, customer?.externalReference, customer?.accountCode];
  const company = customer?.company ? words(words(customer.company).replaceAll(COMMON, " ")).trim() : "";
  const names = [company, customer?.lastName ? words(customer.lastName).trim() : ""];
  return (
    randomParts(payment.reference).some((part) => squeezed.includes(part)) ||
    codes.some((code) => code && hasWord(text, words(code).trim(), NAME_MIN)) ||
    names.some((name) => hasWord(text, name, NAME_MIN))
  );
}

const hasWord = (text: string, name: string, min: number): boolean =>
  name.length >= min && /\p{L}|\d{3}/u.test(name) && text.includes(` ${name} `);

/** Parts of a reference's random end that are long enough to identify this payment among those of the same amount and days. */
function randomParts(reference: string): readonly string[] {
  const random = /([0-9A-Z]{8,16})(?:-\d{1,8})?$/i.exec(reference)?.[1]?.toUpperCase() ?? "";
  if (random.length < FRAGMENT_MIN) return [];
  return [
    random.slice(0, Math.max(FRAGMENT_MIN, random.length - 2)),
    random.slice(-Math.max(FRAGMENT_MIN, random.length - 2)),
  ];
}

/** A line and a payment of its amount and days that it names. */
export interface Pair {
  readonly itemId: ItemId;
  readonly payment: PaymentFacts;
}

/** The pairs whose line and payment are in no other pair. */
export function uniquePairs(pairs: readonly Pair[]): readonly Pair[] {
  const lines = counts(pairs.map(({ itemId }) => itemId));
  const payments = counts(pairs.map(({ payment }) => payment.id));
  return pairs.filter(({ itemId, payment }) => lines.get(itemId) === 1 && payments.get(payment.id) === 1);
}

function counts(keys: readonly string[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const key of keys) found.set(key, (found.get(key) ?? 0) + 1);
  return found;
}

const RULE_MIN = 4;
const RULE_MAX = 60;

/** The words of a description that its next line will have too: those without digits. Null when too few are left to recognise a line. */
export function fragmentOf(description: string): string | null {
  const kept = words(description)
    .trim()
    .split(" ")
    .filter((word) => !/\d/.test(word));
  const fragment = kept.join(" ").slice(0, RULE_MAX).trim();
  return fragment.replaceAll(" ", "").length < RULE_MIN ? null : fragment;
}

/** The one accepted rule that applies to a line; null when there is none, and when rules disagree. */
export function ruleFor(
  { description, amount }: Pick<Line, "description" | "amount">,
  rules: readonly Rule[],
): Rule | null {
  const fitting = rules.filter(
    ({ fragment, direction }) => direction === (amount < 0 ? "out" : "in") && fragmentOf(description) === fragment,
  );
  const [first] = fitting;
  return first && fitting.every(({ kind, subject }) => kind === first.kind && subject === first.subject) ? first : null;
}
