import { addBusinessDays } from "../../kernel/business-days.ts";
import { DEBIT_RETURNS } from "../../kernel/debit-returns.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import { parseCalendarDay, startOfDay } from "../../kernel/time.ts";
import type { ReportedAmount } from "../amounts.ts";
import type { StatementLine } from "../contract.ts";
import { internalFact, type RefundFact } from "../facts.ts";
import { GatewayUnclear } from "../http.ts";
import { linesOf, reportedRand } from "./wire.ts";

/** Business days after its action date in which a collected debit is often returned; after them it counts as collected. */
const WAITING_DAYS = 2;

/**
 * What each type of line reports of a payment. `collected` counts after `WAITING_DAYS`, `paid` at once. A refund is
 * made in Netcash's dashboard.
 */
const TYPES: Readonly<Record<string, "collected" | "paid" | "returned" | "refunded">> = {
  TDD: "collected",
  SDD: "collected",
  TDC: "collected",
  SDC: "collected",
  DCS: "collected",
  DRU: "returned",
  DCU: "returned",
  DCX: "returned",
  DCD: "returned",
  PNC: "paid",
  PNE: "paid",
  PNP: "paid",
  PNM: "paid",
  PNU: "returned",
  PNZ: "returned",
  PNQ: "returned",
  PNW: "returned",
  PND: "returned",
  PNR: "refunded",
};

const unreadable = (why: string) => new GatewayUnclear(`netcash: a statement cannot be read: ${why}`);

/**
 * The lines of a statement that report on payments, in their order. All others are left out: balances, fees, transfers, and lines without a
 * reference, which do not come from a file of ours. Throws `GatewayUnclear` for a statement that is cut or not understood.
 */
export const readStatement = (text: string): readonly StatementLine[] =>
  linesOf(text)
    .filter((line) => !line.startsWith("###"))
    .flatMap((line) => readLine(line) ?? []);

/** The columns of a line. The code of an unpaid debit belongs to its description, and may stand in a column of its own. */
function columnsOf(line: string): readonly string[] {
  const columns = line.split("\t").map((column) => column.trim());
  const [date = "", type = "", id = "", description = "", ...rest] = columns;
  return /^-\s*Code\s*:/i.test(rest[0] ?? "")
    ? [date, type, id, `${description} ${rest[0]}`, ...rest.slice(1)]
    : columns;
}

function readLine(line: string): StatementLine | null {
  const [date = "", type = "", id = "", description = "", rand = "", sign = "", , reference = ""] = columnsOf(line);
  if (!/^[A-Z]{3}$/.test(type)) throw unreadable("a line without a type");
  const kind = TYPES[type];
  if (!kind) return null;
  const day = parseCalendarDay(date.replace(/^(\d{4})[/]?(\d{2})[/]?(\d{2})$/, "$1-$2-$3"));
  if (!day || !/^[\w.-]{1,60}$/.test(id)) throw unreadable("a line without a date or an id");
  // A refund that comes back.
  if (kind === "refunded" && sign === "+") return null;
  const isTaken = kind === "returned" || kind === "refunded";
  if (sign !== (isTaken ? "-" : "+")) throw unreadable(`a line of type ${type} with the sign ${sign}`);
  if (reference === "") return null;
  const news = {
    ...internalFact(reference, type),
    occurredAt: startOfDay(day),
    currency: "ZAR",
  };
  const amount = reportedRand(rand);
  if (kind === "refunded") return { id, description, fact: refundOf(news, id, amount), countsFrom: null };
  if (kind !== "returned")
    return {
      id,
      description,
      fact: { ...news, kind: "paid", ...amount, fee: null },
      countsFrom: kind === "paid" ? null : countsFrom(day),
    };
  const code = /-\s*Code\s*:\s*(\d{1,3})\s*$/i.exec(description)?.[1]?.padStart(2, "0") ?? null;
  return {
    id,
    description,
    fact: {
      ...news,
      kind: "declined",
      gatewayWord: code === null ? type : `${type} ${code}`,
      ...amount,
      reason: reasonOf(type, code),
      // After a soft code the same account may pay on the next date; Netcash deactivates the debtor after every other one.
      hard: code !== null && !DEBIT_RETURNS[code]?.soft,
      takesBack: { code: code ?? type },
    },
    countsFrom: null,
  };
}

/** A refund as a fact; one whose amount is not whole cents tells none. */
const refundOf = (
  {
    occurredAt,
    gatewayWord,
    reference,
    currency,
  }: Pick<RefundFact, "occurredAt" | "gatewayWord" | "reference"> & {
    readonly currency: string;
  },
  id: string,
  { amount, inexactAmount }: ReportedAmount,
): RefundFact => ({
  about: "refund",
  kind: "processed",
  ...{ occurredAt, gatewayWord, reference, currency },
  refundId: null,
  providerRefundRef: id,
  amount: inexactAmount === undefined ? amount : null,
  reason: null,
});

/** The day from which money collected on `day` counts as collected (decisions.md#collected-debits-wait-two-days). */
const countsFrom = (day: CalendarDay): CalendarDay => addBusinessDays(day, WAITING_DAYS);

function reasonOf(type: string, code: string | null): string {
  const known = code === null ? undefined : DEBIT_RETURNS[code]?.reason;
  if (known) return `${known} (${code}).`;
  const what = type === "PND" || type === "DCD" ? "The payment was disputed" : "The payment was returned unpaid";
  return code === null ? `${what}.` : `${what} (${code}).`;
}
