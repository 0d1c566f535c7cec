import { ApiError, invalid } from "../../kernel/errors.ts";
import { toRand } from "../../kernel/money.ts";
import { type BusinessDay, businessDay, type Instant } from "../../kernel/time.ts";
import { nextDebitDate, withDebitDay } from "./rules/debit-dates.ts";
import { moveMandate } from "./states.ts";
import type { Mandate } from "./types.ts";

/** Interface 3.5: this many debits unpaid in a row pause the mandate. */
export const UNPAID_MAX = 3;
/** Interface 2.8. */
export const MANDATE_CURRENCY = "ZAR";
/** The description of a mandate without one and without a product. */
export const DEFAULT_DESCRIPTION = "Debit order";

/** The last four characters, the only ones that are shown. */
export const last4 = (number: string): string => number.slice(-4);

/** The active mandate. It is collected next on the first date of its terms from `today` on. */
export const activated = (mandate: Mandate, today: BusinessDay): Mandate => ({
  ...mandate,
  status: "active",
  nextDebitDate: nextDebitDate(mandate, today),
});

/** The fields of a mandate that outcomes of debits change. */
type Counted = Pick<Mandate, "status" | "failureCount" | "lastUnpaidDate" | "lastCollectedAt" | "nextDebitDate">;

/** The mandate after a debit was collected, which ends the row of unpaid ones (interface 3.5). `on`: the date of the debit. */
export const collected = <Of extends Counted>(mandate: Of, on: BusinessDay): Of => ({
  ...mandate,
  failureCount: 0,
  lastUnpaidDate: null,
  lastCollectedAt: mandate.lastCollectedAt !== null && mandate.lastCollectedAt > on ? mandate.lastCollectedAt : on,
});

/**
 * The mandate after a debit of the date `on` was returned unpaid; the third date in a row pauses an active mandate (interface 3.5). A date counts
 * once, however many invoices were debited on it, and does not count when another of its debits was collected, whatever the order of the reports.
 * A debit that is taken back after it was collected (`reversed`) counts.
 */
export function unpaid<Of extends Counted>(mandate: Of, on: BusinessDay, reversed = false): Of {
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

/** The banks' codes by which an account holder says that there is no authority to debit, or no longer one. */
const NO_AUTHORITY: ReadonlySet<string> = new Set(["30", "34"]);

/** Whether a debit that is returned with this code says that nothing may be debited until the account holder signs anew. */
export const deniesAuthority = (code: string | null): boolean => code !== null && NO_AUTHORITY.has(code);

/** The mandate after such a debit: it is paused, and stays so until an agreement is signed. One that has ended stays as it is. */
export const withoutAuthority = <Of extends Counted & Pick<Mandate, "authorityLostAt">>(
  mandate: Of,
  at: Instant,
): Of =>
  mandate.status === "active" || mandate.status === "paused"
    ? { ...mandate, status: "paused", nextDebitDate: null, authorityLostAt: at }
    : mandate;

/**
 * The mandate after an agreement was signed that gives the authority anew: active again, or paused until staff resume it where they approve
 * mandates.
 */
export function withAuthority(mandate: Mandate, now: Instant, approves: boolean): Mandate {
  const renewed = { ...mandate, authorityLostAt: null, authorityRenewedAt: now };
  return approves ? renewed : activated({ ...renewed, failureCount: 0, lastUnpaidDate: null }, businessDay(now));
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
 * The mandate after a PATCH. Resuming sets its count of unpaid debits to zero. Throws 409 for `active` of a mandate that is not paused; 400 for
 * any other change that interface 3.5 does not have, and for any change of a cancelled one.
 */
export function patched(mandate: Mandate, { amount, debitDay, status }: MandateChanges, today: BusinessDay): Mandate {
  const isRefused = status !== undefined && moveMandate(mandate.status, ACTION_TO[status]) === null;
  if (status === "active" && isRefused)
    throw new ApiError(
      "invalid_request",
      409,
      `This mandate is ${mandate.status}. Only a paused one can be made active; a pending one becomes active once it is signed and, where the settings ask for it, approved.`,
    );
  if (status === "active" && mandate.authorityLostAt !== null)
    throw new ApiError(
      "invalid_request",
      409,
      "The account holder has told the bank that there is no authority to debit, so this mandate is collected again only once a new agreement is signed: issue one with POST /mandates/{id}/agreement.",
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
