import { addDays, businessDay } from "../../kernel/time.ts";
import { csvRows } from "../../platform/csv.ts";
import { randAmount } from "../amounts.ts";
import type { GatewayCall, PaymentIdentity } from "../contract.ts";
import type { PaidFact } from "../facts.ts";
import { GatewayUnclear } from "../http.ts";
import { askText } from "./client.ts";
import { OF_SUBSCRIPTION } from "./form.ts";

/** The most rows that one answer has, and how many answers are read for one payment. */
const ROWS = 1000;
const PAGES_MAX = 20;

/**
 * Looks for a payment by our reference in the transactions of its days: the way to a payment whose notification was lost, since the gateway tells its own id
 * by that alone. Null when it is not among them. Throws `GatewayUnclear` when the list cannot be read to its end, and for the first payment of a
 * subscription: its token comes by notification only, so it is awaited.
 */
export async function findInHistory(
  { reference, startedAt }: PaymentIdentity,
  call: GatewayCall,
): Promise<PaidFact | null> {
  const from = addDays(businessDay(startedAt), -1);
  const to = addDays(businessDay(call.now > startedAt ? call.now : startedAt), 1);
  for (let page = 0; page < PAGES_MAX; page++) {
    const query = { from, to, offset: String(page * ROWS), limit: String(ROWS) };
    const answer = await askText(call, { method: "GET", path: "/transactions/history", query });
    if (answer.kind === "absent") return null;
    if (answer.kind === "refused") throw new GatewayUnclear(`PayFast: ${answer.reason}`);
    const rows = await rowsOf(answer.text);
    const row = rows.find((one) => one["m payment id"] === reference && isReceipt(one));
    if (row) return receiptFact(reference, row);
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

function receiptFact(reference: string, row: Row): PaidFact {
  const [gross, fee] = ["gross", "fee"].map((name) => randAmount((row[name] ?? "").replaceAll(/[ ,]/g, "")));
  const providerRef = row["pf payment id"] ?? "";
  if (!gross || providerRef === "") throw new GatewayUnclear("PayFast: a transaction that cannot be read");
  if (Object.values(row).includes(OF_SUBSCRIPTION))
    throw new GatewayUnclear("PayFast: the payment was made; the notification that begins its subscription is awaited");
  return {
    ...gross,
    about: "payment",
    kind: "paid",
    occurredAt: null,
    gatewayWord: row["type"] ?? "",
    reference,
    providerRef,
    payerEmail: null,
    card: null,
    subscription: null,
    currency: row["currency"] || "ZAR",
    fee: fee ? (Math.abs(fee.amount) as PaidFact["fee"]) : null,
  };
}
