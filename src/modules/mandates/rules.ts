import { ApiError, invalid } from "../../kernel/errors.ts";
import { MONTHS } from "../../kernel/frequency.ts";
import { toRand } from "../../kernel/money.ts";
import { type CalendarDay, calendarDay, dayOfMonth, type Instant, monthsSinceYearZero } from "../../kernel/time.ts";
import { moveMandate } from "./states.ts";
import type { DebitTerms, Mandate } from "./types.ts";

/** Interface 3.5: this many debits unpaid in a row pause the mandate. */
export const UNPAID_MAX = 3;
/** Interface 2.8. */
export const MANDATE_CURRENCY = "ZAR" as const;
/** The description of a mandate without one and without a product. */
export const DEFAULT_DESCRIPTION = "Debit order";

/** The last four characters, the only ones that are shown. */
export const last4 = (number: string): string => number.slice(-4);

/** The active mandate. It is collected next on the first date of its terms from `today` on. */
export const activated = (mandate: Mandate, today: CalendarDay): Mandate => ({
  ...mandate,
  status: "active",
  nextDebitDate: nextDebitDate(mandate, today),
});

/** The fields of a mandate that the outcome of a debit changes. */
type Counted = Pick<Mandate, "status" | "failureCount" | "lastUnpaidDate" | "lastCollectedAt" | "nextDebitDate">;

/**
 * The mandate after a debit was collected, which ends the row of unpaid ones (interface 3.5). `on`: the date of the
 * debit.
 */
export const collected = <Of extends Counted>(mandate: Of, on: CalendarDay): Of => ({
  ...mandate,
  failureCount: 0,
  lastUnpaidDate: null,
  lastCollectedAt: mandate.lastCollectedAt !== null && mandate.lastCollectedAt > on ? mandate.lastCollectedAt : on,
});

/**
 * The mandate after a debit of the date `on` was returned unpaid; the third unpaid date in a row pauses an active
 * mandate (interface 3.5). A date counts once, and not at all when any of its debits was collected, in whatever order
 * the gateway reports them. A debit that is taken back after it was collected (`reversed`) counts.
 */
export function unpaid<Of extends Counted>(mandate: Of, on: CalendarDay, reversed = false): Of {
  if (mandate.lastUnpaidDate === on || (!reversed && mandate.lastCollectedAt === on)) return mandate;
  const failureCount = mandate.failureCount + 1;
  const pauses = mandate.status === "active" && failureCount >= UNPAID_MAX;
  return {
    ...mandate,
    failureCount,
    lastUnpaidDate: on,
    ...(pauses ? { status: "paused", nextDebitDate: null } : {}),
  };
}

/**
 * The mandate after a debit that denies the authority: it is paused until an agreement is signed. A mandate that has
 * ended stays as it is.
 */
export const withoutAuthority = <Of extends Counted & Pick<Mandate, "authorityLostAt">>(
  mandate: Of,
  at: Instant,
): Of =>
  mandate.status === "active" || mandate.status === "paused"
    ? { ...mandate, status: "paused", nextDebitDate: null, authorityLostAt: at }
    : mandate;

/**
 * The mandate after an agreement was signed that gives the authority again: it is active again, or, where staff approve
 * mandates, paused until they resume it.
 */
export function withAuthority(mandate: Mandate, now: Instant, approves: boolean): Mandate {
  const renewed = { ...mandate, authorityLostAt: null, authorityRenewedAt: now };
  return approves ? renewed : activated({ ...renewed, failureCount: 0, lastUnpaidDate: null }, calendarDay(now));
}

/** The changes of a PATCH (interface 4.10); a field that is left out stays. */
export interface MandateChanges {
  readonly amount?: Mandate["amount"] | undefined;
  readonly debitDay?: number | undefined;
  readonly status?: "paused" | "active" | "cancelled" | undefined;
}

/** The action that a PATCH asks for by the status that it names. */
const ACTION_TO = { active: "resume", paused: "pause", cancelled: "cancel" } as const;

/**
 * The mandate after a PATCH. Resuming sets its count of unpaid debits to zero. Throws 409 for `active` of a mandate
 * that is not paused; 400 for any other change that interface 3.5 does not have, and for any change of a cancelled one.
 */
export function patched(mandate: Mandate, { amount, debitDay, status }: MandateChanges, today: CalendarDay): Mandate {
  const isRefused = status !== undefined && moveMandate(mandate.status, ACTION_TO[status]) === null;
  if (status === "active" && isRefused)
    throw new ApiError(
      "invalid_request",
      409,
      `This mandate is ${mandate.status}. Only a paused one can be made active; ` +
        "a pending one becomes active once it is signed and, where the settings ask for it, approved.",
    );
  if (status === "active" && mandate.authorityLostAt !== null)
    throw new ApiError(
      "invalid_request",
      409,
      "The account holder has told the bank that there is no authority to debit, so this mandate is collected " +
        "again only once a new agreement is signed: issue one with POST /mandates/{id}/agreement.",
    );
  if (mandate.status === "cancelled") throw invalid("This mandate is cancelled for good.");
  if (isRefused) throw invalid(`This mandate is ${mandate.status}; only an active one can be paused.`);
  const terms = withDebitDay({ ...mandate, amount: amount ?? mandate.amount }, debitDay ?? mandate.debitDay, today);
  switch (status) {
    case "active":
      return activated({ ...terms, failureCount: 0, lastUnpaidDate: null }, today);
    case "paused":
    case "cancelled":
      return { ...terms, status, nextDebitDate: null };
    case undefined:
      return terms.status === "active" && terms.debitDay !== mandate.debitDay ? activated(terms, today) : terms;
  }
}

/** A subscription that a mandate is to collect. */
interface ToCollect {
  readonly id: string;
  readonly customerId: string;
  readonly currency: string;
}

/**
 * Why a mandate cannot collect a customer subscription from now on, in a sentence; null when it can: it is the
 * customer's, active, or paused and the subscription's already, and collects no other subscription. `signed`: whether
 * the settings require a signed agreement; `owes`: whether it has debits of its own amount that were held back.
 */
export function whyNotCollecting(
  mandate: Pick<
    Mandate,
    | "customerId"
    | "subscriptionId"
    | "authority"
    | "status"
    | "authorityLostAt"
    | "agreementSignedAt"
    | "nextDebitDate"
    | "endDate"
  >,
  of: ToCollect,
  { signed, owes, today }: { readonly signed: boolean; readonly owes: boolean; readonly today: CalendarDay },
): string | null {
  if (mandate.customerId !== of.customerId) return "Choose one of the customer's mandates.";
  if (of.currency !== MANDATE_CURRENCY)
    return `Debit orders are collected in ${MANDATE_CURRENCY}; the subscription is in ${of.currency}.`;
  if (mandate.subscriptionId !== null && mandate.subscriptionId !== of.id)
    return "This mandate collects another subscription.";
  if (mandate.subscriptionId === null && mandate.authority === "emandate")
    return "Its electronic mandate allows its own amount only. Create a mandate that names the subscription.";
  if (mandate.authorityLostAt !== null)
    return "The account holder's bank says that there is no authority to debit. Have a new agreement signed first.";
  if (mandate.status !== "active" && (mandate.status !== "paused" || mandate.subscriptionId === null))
    return `This mandate is ${mandate.status}. Choose an active one.`;
  if (
    mandate.endDate !== null &&
    (mandate.status === "active" ? mandate.nextDebitDate === null : mandate.endDate < today)
  )
    return "This mandate has ended.";
  if (signed && mandate.agreementSignedAt === null)
    return "Its agreement is not signed yet, which your settings require.";
  if (owes) return "Debits of its own amount were held back and are not collected yet. Collect them first.";
  return null;
}

/** The mandate as the audit log stores it: of the bank account only the last digits. */
export const auditedMandate = (mandate: Mandate) => ({
  status: mandate.status,
  amount: toRand(mandate.amount),
  debitDay: mandate.debitDay,
  frequency: mandate.frequency,
  authority: mandate.authority,
  subscriptionId: mandate.subscriptionId,
  accountNumberLast4: mandate.bank.accountNumberLast4,
  failureCount: mandate.failureCount,
  rejectionReason: mandate.rejectionReason,
});

/** The first debit day on or after the start date. */
export function firstDebitDate({ startDate, debitDay }: Pick<DebitTerms, "startDate" | "debitDay">): CalendarDay {
  const month = monthsSinceYearZero(startDate);
  const inMonth = dayOfMonth(month, debitDay);
  return inMonth >= startDate ? inMonth : dayOfMonth(month + 1, debitDay);
}

/**
 * The first date on or after `from` on which the mandate is due, before `actionDateAt` of debit batches moves it to a
 * business day (interface 16.22); null after the end date. Dates are counted from the first one and clamped to the
 * month's end: 31 January, 28 February, 31 March. A period that was debited is not due again when the debit day changes.
 */
export function nextDebitDate(terms: DebitTerms, from: CalendarDay): CalendarDay | null {
  const { frequency, debitDay, startDate, endDate, firstDebitDate: first, lastDebitDate } = terms;
  const earliest = from > startDate ? from : startDate;
  const anchor = monthsSinceYearZero(first);
  const step = MONTHS[frequency];
  const open = lastDebitDate === null ? anchor : monthsSinceYearZero(lastDebitDate) + 1;
  const periods = Math.max(0, Math.ceil((Math.max(open, monthsSinceYearZero(earliest)) - anchor) / step));
  const inPeriod = dayOfMonth(anchor + periods * step, debitDay);
  const next = inPeriod >= earliest ? inPeriod : dayOfMonth(anchor + (periods + 1) * step, debitDay);
  return endDate !== null && next > endDate ? null : next;
}

/**
 * The terms with another debit day from `today` on. A mandate that was not debited starts again: its first date is the
 * first such day from today and from its start on. Later, the next date stays in the month in which it was due, or
 * moves to the month after when that day has passed; periods are counted from it. So no period is debited twice, and
 * none is left out.
 */
export function withDebitDay<Terms extends DebitTerms>(terms: Terms, debitDay: number, today: CalendarDay): Terms {
  if (debitDay === terms.debitDay) return terms;
  const due = terms.lastDebitDate === null ? null : nextDebitDate({ ...terms, endDate: null }, today);
  const from = due === null ? terms.startDate : dayOfMonth(monthsSinceYearZero(due), 1);
  const firstDate = firstDebitDate({ startDate: from > today ? from : today, debitDay });
  return { ...terms, debitDay, firstDebitDate: firstDate };
}

/**
 * The date that the API shows: the next one of an active mandate; for a pending one the next date if it became active
 * `today`.
 */
export const shownNextDebitDate = (mandate: Mandate, today: CalendarDay): CalendarDay | null =>
  mandate.status === "pending" ? nextDebitDate(mandate, today) : mandate.nextDebitDate;

/**
 * The result of checking the digits of an account number. `unknown`: the bank's rule for such a number is not public.
 */
export type CheckDigits = "right" | "doubtful" | "wrong" | "unknown";

/** Numbers of a bank that one rule covers. */
interface Rule {
  readonly pattern: RegExp;
  /** One weight for each digit, from the first: the weighted sum of the digits is divisible by 11. */
  readonly weights: readonly number[];
  /** Whether every number that breaks the rule is wrong; without it, such a number only looks wrong. */
  readonly strict: boolean;
}

interface Bank {
  readonly name: string;
  readonly rules: readonly Rule[];
}

const NINE = [9, 8, 7, 6, 5, 4, 3, 2, 1];
const TEN = [10, ...NINE];
const ELEVEN = [2, 1, ...NINE];

/**
 * South African banks by the universal branch code that accepts payments for all their branches, with the public rules
 * of their check digits (decisions.md#check-digits-refuse-only-what-is-proved).
 */
const BANKS: ReadonlyMap<string, Bank> = new Map([
  ["051001", bank("Standard Bank", [rule(/^10\d{9}$/, ELEVEN, true), rule(/^\d{9}$/, NINE, false)])],
  ["198765", bank("Nedbank", [rule(/^1\d{9}$/, TEN, false)])],
  ["470010", bank("Capitec", [rule(/^\d{10}$/, [1, ...NINE], false)])],
  ["250655", bank("FNB", [])],
  ["430000", bank("African Bank", [])],
  ["462005", bank("Bidvest Bank", [])],
  ["580105", bank("Investec", [])],
  ["632005", bank("Absa", [])],
  ["678910", bank("TymeBank", [])],
  ["679000", bank("Discovery Bank", [])],
]);

function bank(name: string, rules: readonly Rule[]): Bank {
  return { name, rules };
}

function rule(pattern: RegExp, weights: readonly number[], strict: boolean): Rule {
  return { pattern, weights, strict };
}

/** The bank of a universal branch code; null for any other code. */
export const bankOfBranch = (branchCode: string): string | null => BANKS.get(branchCode)?.name ?? null;

/** Checks an account number, of digits only, by the rule of its bank. */
export function checkDigits(branchCode: string, accountNumber: string): CheckDigits {
  const known = BANKS.get(branchCode)?.rules.find(({ pattern }) => pattern.test(accountNumber));
  if (!known) return "unknown";
  const sum = known.weights.reduce((total, weight, at) => total + weight * Number(accountNumber[at]), 0);
  if (sum % 11 === 0) return "right";
  return known.strict ? "wrong" : "doubtful";
}

/** The warning about an account number that the check digits do not confirm (interface 4.10); null when they do. */
export function checkDigitWarning(result: CheckDigits, branchCode: string): string | null {
  const name = bankOfBranch(branchCode) ?? `branch ${branchCode}`;
  switch (result) {
    case "doubtful":
      return `The account number does not look like one of ${name}. Check it with the customer.`;
    case "unknown":
      return `The check digits of this account number at ${name} could not be verified.`;
    default:
      return null;
  }
}
