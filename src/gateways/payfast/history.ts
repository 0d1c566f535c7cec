import { cents } from "../../kernel/money.ts";
import { addDays, calendarDay } from "../../kernel/time.ts";
import { csvRows } from "../../platform/csv.ts";
import { randAmount } from "../amounts.ts";
import type { GatewayCall, PaymentIdentity } from "../contract.ts";
import { internalFact, type PaymentFact } from "../facts.ts";
import { GatewayUnclear } from "../http.ts";
import { ask, askText } from "./client.ts";
import { OF_CARD, OF_SUBSCRIPTION } from "./form.ts";
import { Refundable } from "./wire.ts";

/** The most rows that one answer has, and how many answers are read for one payment. */
const ROWS = 1000;
const PAGES_MAX = 20;

/**
 * Looks for a payment by our reference in the transactions of its days. This finds a payment whose notification was
 * lost, since the gateway gives its own id only in the notification. Null when it is not among them. The first payment
 * of a subscription is pending although it was made, because its token comes only by notification, which staff can have
 * sent again; so is a payment that saves a card. Either has failed when it was refunded there in the meantime. Throws
 * `GatewayUnclear` when the list cannot be read to its end.
 */
export async function findInHistory(
  { reference, startedAt }: PaymentIdentity,
  call: GatewayCall,
): Promise<PaymentFact | null> {
  const from = addDays(calendarDay(startedAt), -1);
  const to = addDays(calendarDay(call.now > startedAt ? call.now : startedAt), 1);
  for (let page = 0; page < PAGES_MAX; page++) {
    const query = { from, to, offset: String(page * ROWS), limit: String(ROWS) };
    const answer = await askText(call, { method: "GET", path: "/transactions/history", query });
    if (answer.kind === "absent") return null;
    if (answer.kind === "refused") throw new GatewayUnclear(`PayFast: ${answer.reason}`);
    const rows = await rowsOf(answer.text);
    const row = rows.find((one) => one["m payment id"] === reference && isReceipt(one));
    if (row) return receiptFact(reference, row, call);
    if (rows.length < ROWS) return null;
  }
  throw new GatewayUnclear("PayFast: the history of transactions is too long");
}

type Row = Readonly<Record<string, string | undefined>>;

/** The rows by their headings, in lower case: the columns vary. */
async function rowsOf(text: string): Promise<Row[]> {
  let headings: readonly string[] | null = null;
  const rows: Row[] = [];
  for await (const { cells } of csvRows(Buffer.from(text))) {
    if (headings) rows.push(Object.fromEntries(headings.map((heading, at) => [heading, cells[at]])));
    else headings = cells.map((cell) => cell.toLowerCase());
  }
  if (headings && !headings.includes("m payment id"))
    throw new GatewayUnclear("PayFast: the history of transactions has no payment ids");
  return rows;
}

/** Money received, not a fee, refund or payout. */
const isReceipt = ({ sign = "", type = "" }: Row): boolean =>
  sign.toLowerCase() === "credit" && !/refund|reversal/i.test(type);

/** The note for staff about a payment whose notification was lost, since only that names the subscription or the card. */
const awaited = (what: string): string =>
  `PayFast has this payment, and its notification, which alone names the ${what}, has not come. ` +
  "Have it sent again in PayFast's dashboard (the transaction, Resend ITN). " +
  `If it cannot be sent, cancel the ${what} there and refund the payment.`;

/** Whether all of a payment was refunded there. When that query is unclear, the payment counts as not refunded. */
async function isGivenBack(providerRef: string, call: GatewayCall): Promise<boolean> {
  const path = `/refunds/query/${encodeURIComponent(providerRef)}`;
  const answer = await ask(call, { method: "GET", path }, Refundable).catch((error: unknown) => {
    if (error instanceof GatewayUnclear) return null;
    throw error;
  });
  if (answer?.kind !== "answer") return false;
  const { status, amount_available_for_refund: left } = answer.value;
  return status.toUpperCase() === "COMPLETED" && Number(left ?? 0) === 0;
}

async function receiptFact(reference: string, row: Row, call: GatewayCall): Promise<PaymentFact> {
  const [gross, fee] = ["gross", "fee"].map((name) => randAmount((row[name] ?? "").replaceAll(/[ ,]/g, "")));
  const providerRef = row["pf payment id"] ?? "";
  if (!gross || providerRef === "") throw new GatewayUnclear("PayFast: a transaction that cannot be read");
  const news = { ...internalFact(reference, row["type"] ?? ""), currency: row["currency"] || "ZAR" };
  // Without the gateway's id, so that later queries look for it here again.
  const values = Object.values(row);
  const what = values.includes(OF_SUBSCRIPTION) ? "subscription" : values.includes(OF_CARD) ? "card" : null;
  if (what !== null && (await isGivenBack(providerRef, call)))
    return { ...news, kind: "declined", amount: gross.amount, reason: "It was given back at PayFast.", hard: false };
  if (what !== null) return { ...news, kind: "pending", amount: gross.amount, forStaff: awaited(what) };
  return {
    ...news,
    ...gross,
    kind: "paid",
    providerRef,
    fee: fee ? cents(Math.abs(fee.amount)) : null,
  };
}
